/** What a turn answers: the events at the head of the queue that it takes, read as one. */
import type { UserContent } from '../channel/inbound.js'
import { beginsTurn } from '../conversation/events.js'
import type { ConversationEvent, Result } from '../conversation/state.js'
import { turn as limits } from '../limits/index.js'

export interface Trigger {
  readonly eventIds: readonly string[]
  /** When the first of them came. */
  readonly at: number
  readonly sessionId: string
  /** Everything that the person wrote, message by message; empty when they only answered or only began. */
  readonly text: string
  /** The answer to a question or the tap of a chip. */
  readonly result?: Result
  /** A conversation began, or the person opted in again. */
  readonly hasStarted: boolean
}

export interface TakenEvents {
  /** Absent when none of the taken events begins a turn. */
  readonly trigger?: Trigger
  readonly taken: number
}

/**
 * Messages that wait together are one turn. An answer or a tap is always its own, since it carries ids. Messages of
 * another session wait for the next turn.
 */
export function takeEvents(events: readonly ConversationEvent[]): TakenEvents {
  let taken = 0
  const used: ConversationEvent[] = []
  for (const each of events.slice(0, limits.eventsPerTurn)) {
    if (!beginsTurn(each.event)) {
      taken++
      continue
    }
    const [first] = used
    const isAnswer = each.event.type === 'result'
    const hasContent = used.some(({ event }) => event.type === 'message')
    if (first && (first.sessionId !== each.sessionId || (isAnswer && hasContent))) break
    used.push(each)
    taken++
    if (isAnswer) break
  }
  const [first] = used
  if (!first) return { taken }
  const result = used.flatMap(({ event }) => (event.type === 'result' ? [event.result] : []))[0]
  const texts = used.flatMap(({ event }) => (event.type === 'message' ? [textOf(event.message)] : []))
  return {
    taken,
    trigger: {
      eventIds: used.map(({ eventId }) => eventId),
      at: first.at,
      sessionId: first.sessionId,
      text: texts.join('\n').slice(0, limits.textChars).trim(),
      ...(result && { result }),
      hasStarted: used.some(({ event }) => event.type === 'system'),
    },
  }
}

/** Media and places as lines of text: nothing else reads them yet. */
function textOf({ text, media = [], place }: UserContent): string {
  const address = place && [place.label, place.address].filter(Boolean).join(', ')
  const position = place && `${place.latitude ?? ''},${place.longitude ?? ''}`
  const files = media.map(({ url, type }) => `[${type?.split('/')[0] ?? 'file'}: ${url}]`)
  return [text, place && `[place: ${address || position}]`, ...files].filter(Boolean).join('\n')
}
