/** A chat in one tab: what is known of it, what a visitor can do, and who is told when it changes. */
import type { Place } from '../../../core/amf/values.js'
import { webchat as limits } from '../../../core/limits/index.js'
import type { ServerFrame } from '../frames.js'
import { type ConnectionState, createConnection } from './connection.js'
import { createOutbox } from './outbox.js'
import { createReceipts } from './receipts.js'
import { createChatStorage } from './storage.js'
import {
  addOutgoing,
  applyFrame,
  emptyTranscript,
  markRead,
  type OutgoingFrame,
  resetForVisitor,
  retryEntry,
  startLoadingOlder,
  type Transcript,
  unreadEntries,
  unsentFrames,
} from './transcript.js'
import { savedVisitor } from './visitor.js'

export interface ChatState {
  readonly transcript: Transcript
  readonly connection: ConnectionState
}

export interface Chat {
  state(): ChatState
  /** The id of the visitor, once the gateway gave one. */
  visitorId(): string | undefined
  /** Called after every change; answers what ends it. */
  subscribe(call: () => void): () => void
  start(): void
  /** Connects at once where the next try would be later. */
  reconnectNow(): void
  write(text: string): void
  /** `shown` is what the tap reads as in the conversation; a tap without it is told and not shown. */
  tap(tap: string, label: string, shown?: string): void
  share(place: Place): void
  retry(id: string): void
  /** Asks for lines before the oldest that is shown, where there are any. */
  older(): void
  typing(): void
  /** These were in view, in a panel that is open, on a page that is looked at. */
  markSeen(messageIds: readonly string[]): void
}

const v = 1

export function createChat(chatUrl: string): Chat {
  let state: ChatState = { transcript: emptyTranscript, connection: 'idle' }
  const followers = new Set<() => void>()
  const storage = createChatStorage(`parley ${chatUrl} `, () => localStorage)
  const tabChannel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`parley ${chatUrl}`) : undefined
  let lastTypingAt = 0

  function setState(to: Partial<ChatState>): void {
    state = { ...state, ...to }
    for (const call of followers) call()
  }

  const connection = createConnection({
    chatUrl,
    storage,
    cursor: () => state.transcript.cursor,
    onNewVisitor: () => setState({ transcript: resetForVisitor(state.transcript) }),
    onStateChange(connection) {
      if (connection !== 'open') outbox.onDisconnect()
      setState({ connection })
    },
    onFrame: handleFrame,
  })
  const receipts = createReceipts(connection.send)
  const outbox = createOutbox({
    storage,
    unsent: () => unsentFrames(state.transcript),
    send: connection.send,
    onTimeout: connection.reconnect,
  })

  function handleFrame(frame: ServerFrame): void {
    setState({ transcript: applyFrame(state.transcript, frame, Date.now()) })
    outbox.onFrame(frame)
    if (frame.type === 'message' && frame.state === 'sent') receipts.add('delivered', [frame.messageId])
    if (frame.type === 'typing') setTimeout(() => setState({}), frame.forMs + 50)
    if (frame.type === 'welcome') receipts.flush()
    // What was told back after a break needs no second sending, so that is waited for.
    if (frame.type === 'caughtUp') outbox.flush()
  }

  function sendFrame(frame: OutgoingFrame, shown?: string): void {
    const at = new Date().toISOString()
    setState({ transcript: addOutgoing(state.transcript, frame, at, shown) })
    outbox.save({ frame, at, ...(shown !== undefined && { shown }) })
    connection.start()
    outbox.flush()
  }

  tabChannel?.addEventListener('message', ({ data }) => {
    if (Array.isArray(data)) setState({ transcript: markRead(state.transcript, new Set(data)) })
  })
  for (const { frame, at, shown } of outbox.restore(Date.now()))
    state = { ...state, transcript: addOutgoing(state.transcript, frame, at, shown) }
  // Somebody who was here before may have been written to; for all others nothing is asked until they open the chat.
  if (savedVisitor(storage)) connection.start()

  return {
    state: () => state,
    visitorId: () => savedVisitor(storage)?.visitorId,
    subscribe(call) {
      followers.add(call)
      return () => followers.delete(call)
    },
    start: connection.start,
    reconnectNow: connection.reconnectNow,
    write: (text) => sendFrame({ v, type: 'text', id: newId(), text: text.slice(0, limits.textChars) }),
    tap: (tap, label, shown) =>
      sendFrame({ v, type: 'tap', id: newId(), tap, label: (shown ?? label).slice(0, limits.labelChars) }, shown),
    share: (place) => sendFrame({ v, type: 'location', id: newId(), place }),
    retry(id) {
      setState({ transcript: retryEntry(state.transcript, id) })
      outbox.flush()
    },
    older() {
      const { oldest, more, isLoadingOlder: isAskingOlder } = state.transcript
      if (oldest === undefined || !more || isAskingOlder) return
      if (connection.send({ v, type: 'older', before: oldest }))
        setState({ transcript: startLoadingOlder(state.transcript) })
    },
    typing() {
      if (Date.now() - lastTypingAt < limits.typingEveryMs) return
      if (connection.send({ v, type: 'typing' })) lastTypingAt = Date.now()
    },
    markSeen(messageIds) {
      const unreadIds = new Set(unreadEntries(state.transcript).map(({ messageId }) => messageId))
      const newlySeen = messageIds.filter((id) => unreadIds.has(id))
      if (newlySeen.length === 0) return
      setState({ transcript: markRead(state.transcript, new Set(newlySeen)) })
      receipts.add('read', newlySeen)
      tabChannel?.postMessage(newlySeen)
    },
  }
}

/** Pages that are not served safely have no `randomUUID`, but all of them have random numbers. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
