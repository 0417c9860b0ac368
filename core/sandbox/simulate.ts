/**
 * Converts a directive to the inbound that a channel would report: a tap is looked up in the agent's actual messages.
 */

import { asExpression, isPattern, readPattern } from '../agent/pattern/index.js'
import { type ContentMessage, type Tap, tapsOf } from '../amf/index.js'
import type { Inbound } from '../channel/inbound.js'
import type { Reader } from '../render/contract.js'
import { labelsOf } from '../render/optionlabels.js'
import type { Directive } from './directive.js'

export interface VisibleMessage {
  readonly messageId: string
  readonly message: ContentMessage
}

/** What the person sees. */
export interface VisibleMessages {
  /** Messages of the agent, newest first. */
  readonly messages: readonly VisibleMessage[]
  /** How many of these the agent sent after the person's last action; if none, after the action before it. */
  readonly latest: number
}

/** Undefined when there is no matching tap and no fallback text. */
export function toInbound(directive: Directive, visible: VisibleMessages, reader: Reader): Inbound | undefined {
  if ('system' in directive) return { kind: 'system', system: directive.system }
  if ('media' in directive) {
    const { media, url, text } = directive
    return {
      kind: 'content',
      content: { ...(text !== undefined && { text }), media: [{ url, type: typeOf(media, url) }] },
    }
  }
  if ('text' in directive) return textInbound(directive.text)
  const tapped = findTap(directive, visible, reader)
  if (tapped) return { kind: 'tap', ...tapped }
  return 'fallback' in directive && directive.fallback !== undefined ? textInbound(directive.fallback) : undefined
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mov: 'video/quicktime',
  webm: 'video/webm',
}
const defaultTypes = { image: 'image/jpeg', video: 'video/mp4' } as const

/** The sandbox fetches nothing, so the media type that a provider would report is derived from the name. */
function typeOf(kind: 'image' | 'video', url: string): string {
  const byExtension = mediaTypes[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? '']
  return byExtension?.startsWith(kind) ? byExtension : defaultTypes[kind]
}

function textInbound(text: string): Inbound {
  return { kind: 'content', content: { text } }
}

type TapDirective = Extract<Directive, { chip: string } | { slot: number } | { confirm: boolean } | { action: string }>
type TapInbound = Omit<Extract<Inbound, { kind: 'tap' }>, 'kind'>

function findTap(
  directive: TapDirective,
  { messages, latest }: VisibleMessages,
  reader: Reader,
): TapInbound | undefined {
  if ('slot' in directive)
    return findInLastQuestion('ask.time', messages, reader, (_tap, tapIndex) => tapIndex === directive.slot)
  if ('confirm' in directive) {
    const expectedId = directive.confirm ? 'yes' : 'no'
    return findInLastQuestion('confirm', messages, reader, ({ optionId }) => optionId === expectedId)
  }
  const recent = messages.slice(0, latest).map((visibleMessage) => affordancesIn(visibleMessage, reader))
  const [kind, label] = 'chip' in directive ? ['reply', directive.chip] : [directive.action, directive.label]
  const matching = recent.map((all) => all.filter(({ tap }) => tap.kind === kind))
  const affordance = label === undefined ? matching.flat()[0] : findByLabel(label, matching.flat())
  return affordance?.tapped
}

interface Affordance {
  readonly tap: Tap
  readonly tapped: TapInbound
  readonly label: string
}

function affordancesIn({ messageId, message }: VisibleMessage, reader: Reader): Affordance[] {
  const labels = labelsOf(message, reader)
  return tapsOf(message).map((tap, tapIndex) => {
    const label = labels[tapIndex] ?? tap.optionId
    return { tap, label, tapped: { messageId, tapIndex, label } }
  })
}

/** A whole label wins over a partial match, so that a chip whose label is part of another's can be tapped. */
function findByLabel(query: string, matching: readonly Affordance[]): Affordance | undefined {
  const plain = (text: string) => text.trim().toLowerCase()
  const exact = asExpression(query) ? undefined : matching.find(({ label }) => plain(label) === plain(query))
  const pattern = readPattern(query)
  return exact ?? (isPattern(pattern) ? matching.find(({ label }) => pattern.matches(label)) : undefined)
}

/** Searches the options of the newest question of that kind, however old. */
function findInLastQuestion(
  intent: Tap['intent'],
  messages: readonly VisibleMessage[],
  reader: Reader,
  isTarget: (tap: Tap, tapIndex: number) => boolean,
): TapInbound | undefined {
  for (const visibleMessage of messages) {
    const options = affordancesIn(visibleMessage, reader).filter(({ tap }) => tap.intent === intent)
    const last = options.at(-1)?.tap.intentId
    if (last === undefined) continue
    return options.filter(({ tap }) => tap.intentId === last).find(({ tap }, tapIndex) => isTarget(tap, tapIndex))
      ?.tapped
  }
  return undefined
}
