/** The chat of one tab: its state, the visitor's actions, and its subscribers. */
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
  /** The visitor id, once the gateway has assigned one. */
  visitorId(): string | undefined
  /** Calls back after every change; returns the function that unsubscribes. */
  subscribe(call: () => void): () => void
  start(): void
  /** Connects now instead of at the next scheduled attempt. */
  reconnectNow(): void
  write(text: string): void
  /** `shown` is the text of the tap in the conversation; a tap without it is sent and not shown. */
  tap(tap: string, label: string, shown?: string): void
  share(place: Place): void
  retry(id: string): void
  /** Requests entries before the oldest one shown, if there are any. */
  older(): void
  typing(): void
  /** These messages were in view, in an open panel of a visible page. */
  markSeen(messageIds: readonly string[]): void
}

const v = 1

export function createChat(chatUrl: string): Chat {
  let state: ChatState = { transcript: emptyTranscript, connection: 'idle' }
  const subscribers = new Set<() => void>()
  const storage = createChatStorage(`parley ${chatUrl} `, () => localStorage)
  const tabChannel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`parley ${chatUrl}`) : undefined
  let lastTypingAt = 0

  function setState(to: Partial<ChatState>): void {
    state = { ...state, ...to }
    for (const call of subscribers) call()
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
    // Entries that arrive after a reconnect need no second sending, so the outbox waits for `caughtUp`.
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
  // A returning visitor may have new messages; for a new one the gateway is not called before the chat is opened.
  if (savedVisitor(storage)) connection.start()

  return {
    state: () => state,
    visitorId: () => savedVisitor(storage)?.visitorId,
    subscribe(call) {
      subscribers.add(call)
      return () => subscribers.delete(call)
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

/** `randomUUID` is absent on insecure pages; `getRandomValues` is not. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
