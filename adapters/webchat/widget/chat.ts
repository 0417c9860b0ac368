/** A chat in one tab: what is known of it, what a visitor can do, and who is told when it changes. */
import type { Place } from '../../../core/amf/values.js'
import { webchat as limits } from '../../../core/limits.js'
import type { ServerFrame } from '../frames.js'
import { type LinkState, openLink } from './link.js'
import { openMarks } from './marks.js'
import { openMemory } from './memory.js'
import { openOutbox } from './outbox.js'
import {
  askingOlder,
  emptyTranscript,
  forgotten,
  retried,
  type SaidByPage,
  said,
  seen,
  type Transcript,
  told,
  unread,
  unsent,
} from './transcript.js'
import { knownVisitor } from './visitor.js'

export interface ChatState {
  readonly transcript: Transcript
  readonly link: LinkState
}

export interface Chat {
  state(): ChatState
  /** The id of the visitor, once the gateway gave one. */
  visitorId(): string | undefined
  /** Called after every change; answers what ends it. */
  follow(call: () => void): () => void
  start(): void
  /** Connects at once where the next try would be later. */
  tryNow(): void
  write(text: string): void
  /** `shown` is what the tap reads as in the conversation; a tap without it is told and not shown. */
  tap(tap: string, label: string, shown?: string): void
  share(place: Place): void
  retry(id: string): void
  /** Asks for lines before the oldest that is shown, where there are any. */
  older(): void
  typing(): void
  /** These were in view, in a panel that is open, on a page that is looked at. */
  saw(messageIds: readonly string[]): void
}

const v = 1

export function openChat(chatUrl: string): Chat {
  let state: ChatState = { transcript: emptyTranscript, link: 'idle' }
  const followers = new Set<() => void>()
  const memory = openMemory(`parley ${chatUrl} `, () => localStorage)
  const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`parley ${chatUrl}`) : undefined
  let lastTypingMs = 0

  function change(to: Partial<ChatState>): void {
    state = { ...state, ...to }
    for (const call of followers) call()
  }

  const link = openLink({
    chatUrl,
    memory,
    cursor: () => state.transcript.cursor,
    becameNew: () => change({ transcript: forgotten(state.transcript) }),
    changed(link) {
      if (link !== 'open') outbox.broken()
      change({ link })
    },
    told: hear,
  })
  const marks = openMarks(link.send)
  const outbox = openOutbox({
    memory,
    unsent: () => unsent(state.transcript),
    send: link.send,
    unanswered: link.again,
  })

  function hear(frame: ServerFrame): void {
    change({ transcript: told(state.transcript, frame, Date.now()) })
    outbox.told(frame)
    if (frame.type === 'message' && frame.state === 'sent') marks.add('delivered', [frame.messageId])
    if (frame.type === 'typing') setTimeout(() => change({}), frame.forMs + 50)
    if (frame.type === 'welcome') marks.flush()
    // What was told back after a break needs no second sending, so that is waited for.
    if (frame.type === 'caughtUp') outbox.flush()
  }

  function say(frame: SaidByPage, shown?: string): void {
    const at = new Date().toISOString()
    change({ transcript: said(state.transcript, frame, at, shown) })
    outbox.keep({ frame, at, ...(shown !== undefined && { shown }) })
    link.start()
    outbox.flush()
  }

  tabs?.addEventListener('message', ({ data }) => {
    if (Array.isArray(data)) change({ transcript: seen(state.transcript, new Set(data)) })
  })
  for (const { frame, at, shown } of outbox.left(Date.now()))
    state = { ...state, transcript: said(state.transcript, frame, at, shown) }
  // Somebody who was here before may have been written to; for all others nothing is asked until they open the chat.
  if (knownVisitor(memory)) link.start()

  return {
    state: () => state,
    visitorId: () => knownVisitor(memory)?.visitorId,
    follow(call) {
      followers.add(call)
      return () => followers.delete(call)
    },
    start: link.start,
    tryNow: link.tryNow,
    write: (text) => say({ v, type: 'text', id: newId(), text: text.slice(0, limits.textChars) }),
    tap: (tap, label, shown) =>
      say({ v, type: 'tap', id: newId(), tap, label: (shown ?? label).slice(0, limits.labelChars) }, shown),
    share: (place) => say({ v, type: 'location', id: newId(), place }),
    retry(id) {
      change({ transcript: retried(state.transcript, id) })
      outbox.flush()
    },
    older() {
      const { oldest, more, isAskingOlder } = state.transcript
      if (oldest === undefined || !more || isAskingOlder) return
      if (link.send({ v, type: 'older', before: oldest })) change({ transcript: askingOlder(state.transcript) })
    },
    typing() {
      if (Date.now() - lastTypingMs < limits.typingEveryMs) return
      if (link.send({ v, type: 'typing' })) lastTypingMs = Date.now()
    },
    saw(messageIds) {
      const isNew = new Set(unread(state.transcript).map(({ messageId }) => messageId))
      const found = messageIds.filter((id) => isNew.has(id))
      if (found.length === 0) return
      change({ transcript: seen(state.transcript, new Set(found)) })
      marks.add('read', found)
      tabs?.postMessage(found)
    },
  }
}

/** Pages that are not served safely have no `randomUUID`, but all of them have random numbers. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
