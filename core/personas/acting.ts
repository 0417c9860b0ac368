/** How a directive becomes what a channel would have told: the affordance is looked up in what the agent really said. */

import { asExpression, isPattern, readPattern } from '../agent/pattern/index.js'
import { type ContentMessage, type Tap, tapsOf } from '../amf/index.js'
import type { Inbound } from '../channel/inbound.js'
import type { Reader } from '../render/contract.js'
import { labelsOf } from '../render/taplabels.js'
import type { Directive } from './directive.js'

export interface Shown {
  readonly messageId: string
  readonly message: ContentMessage
}

/** What the person has before them. */
export interface Sight {
  /** Messages of the agent, newest first. */
  readonly messages: readonly Shown[]
  /** How many of these the agent said since the person last did something; if none, since the time before. */
  readonly latest: number
}

/** Undefined when there is nothing of the kind to tap, and nothing that is typed instead. */
export function actedOut(directive: Directive, sight: Sight, reader: Reader): Inbound | undefined {
  if ('system' in directive) return { kind: 'system', system: directive.system }
  if ('media' in directive) {
    const { media, url, text } = directive
    return {
      kind: 'content',
      content: { ...(text !== undefined && { text }), media: [{ url, type: typeOf(media, url) }] },
    }
  }
  if ('text' in directive) return typed(directive.text)
  const tapped = tapFor(directive, sight, reader)
  if (tapped) return { kind: 'tap', ...tapped }
  return 'fallback' in directive && directive.fallback !== undefined ? typed(directive.fallback) : undefined
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mov: 'video/quicktime',
  webm: 'video/webm',
}
const usualTypes = { image: 'image/jpeg', video: 'video/mp4' } as const

/** Nothing is fetched in a rehearsal, so what a provider would have said of it is taken from its name. */
function typeOf(kind: 'image' | 'video', url: string): string {
  const named = mediaTypes[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? '']
  return named?.startsWith(kind) ? named : usualTypes[kind]
}

function typed(text: string): Inbound {
  return { kind: 'content', content: { text } }
}

type Tapping = Extract<Directive, { chip: string } | { slot: number } | { confirm: boolean } | { action: string }>
type Tapped = Omit<Extract<Inbound, { kind: 'tap' }>, 'kind'>

function tapFor(directive: Tapping, { messages, latest }: Sight, reader: Reader): Tapped | undefined {
  if ('slot' in directive) return inLast('ask.time', messages, reader, (_tap, place) => place === directive.slot)
  if ('confirm' in directive) {
    const wanted = directive.confirm ? 'yes' : 'no'
    return inLast('confirm', messages, reader, ({ optionId }) => optionId === wanted)
  }
  const before = messages.slice(0, latest).map((shown) => affordancesIn(shown, reader))
  const [kind, label] = 'chip' in directive ? ['reply', directive.chip] : [directive.action, directive.label]
  const offered = before.map((all) => all.filter(({ tap }) => tap.kind === kind))
  const found = label === undefined ? offered.flat()[0] : labelled(label, offered.flat())
  return found?.tapped
}

interface Affordance {
  readonly tap: Tap
  readonly tapped: Tapped
  readonly label: string
}

function affordancesIn({ messageId, message }: Shown, reader: Reader): Affordance[] {
  const labels = labelsOf(message, reader)
  return tapsOf(message).map((tap, place) => {
    const label = labels[place] ?? tap.optionId
    return { tap, label, tapped: { messageId, place, label } }
  })
}

/** The whole label before a part of one, so that a chip whose label is part of another's can be tapped. */
function labelled(written: string, offered: readonly Affordance[]): Affordance | undefined {
  const plain = (text: string) => text.trim().toLowerCase()
  const whole = asExpression(written) ? undefined : offered.find(({ label }) => plain(label) === plain(written))
  const pattern = readPattern(written)
  return whole ?? (isPattern(pattern) ? offered.find(({ label }) => pattern.matches(label)) : undefined)
}

/** Among the options of the newest question of that kind, however long ago it was asked. */
function inLast(
  intent: Tap['intent'],
  messages: readonly Shown[],
  reader: Reader,
  isMeant: (tap: Tap, place: number) => boolean,
): Tapped | undefined {
  for (const shown of messages) {
    const asked = affordancesIn(shown, reader).filter(({ tap }) => tap.intent === intent)
    const last = asked.at(-1)?.tap.intentId
    if (last === undefined) continue
    return asked.filter(({ tap }) => tap.intentId === last).find(({ tap }, place) => isMeant(tap, place))?.tapped
  }
  return undefined
}
