/** The operator's rules on the agent's replies: which text of a message they match, and what a match does. */
import type { ContentMessage } from '../amf/index.js'
import { traitsOf } from '../channel/channeltraits.js'
import type { Reader } from '../render/contract.js'
import { readableTexts } from '../render/losscheck.js'
import { floorText, render } from '../render/render.js'
import { isPattern, type Pattern, readPattern } from './pattern/index.js'
import type { Rule } from './resources/character.js'

/** An enabled rule as conversations use it. */
export interface ReplyRule {
  readonly id: string
  readonly patterns: readonly string[]
  readonly action: 'block' | 'flag'
  /** Sent in place of a blocked message; absent: the message is refused. */
  readonly replacement?: string
}

export function enabledRules(rules: readonly Rule[]): ReplyRule[] {
  return rules
    .filter(({ enabled = true }) => enabled)
    .map(({ id, check, action = 'block', replacement = '' }) => ({
      id,
      patterns: check.patterns,
      action,
      ...(replacement.trim() !== '' && { replacement }),
    }))
}

/**
 * All text that a person would read of the message: its own text, the same without markup, and every text in native
 * payloads.
 */
export function textForRules(message: ContentMessage, reader: Reader): string {
  const natives = message.parts.flatMap((part) => (part.type === 'native' ? textsIn(part.payload) : []))
  const plainText = floorText(render(message, traitsOf('sms'), reader))
  return [...readableTexts(message, reader), plainText, ...natives].join('\n')
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const neverMatches: Pattern = {
  matches: () => false,
  // biome-ignore lint/correctness/useYield: it knows at once
  search: function* () {
    return false
  },
  states: 1,
}

/** An invalid pattern matches nothing: patterns are validated when they are written. */
export function compilePattern(source: string): Pattern {
  const read = readPattern(source)
  return isPattern(read) ? read : neverMatches
}

/** A message with the id and channels of the one that it replaces. */
export function replacementOf({ parts: _parts, chips: _chips, ...rest }: ContentMessage, text: string): ContentMessage {
  return { ...rest, parts: [{ type: 'text', text }] }
}
