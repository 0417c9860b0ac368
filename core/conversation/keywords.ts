/** Opt-out, opt-in and help keywords of carrier channels, and Parley's answers to them. */
import { type ChannelName, carrierChannels } from '../channelnames.js'

export type Keyword = 'stop' | 'help' | 'start'

interface Words {
  /** On every carrier channel. */
  readonly always: readonly string[]
  /** Only where Parley answers keywords, since agents use these words. */
  readonly answered: readonly string[]
  /** Only from a person who has opted out: from others they are answers. */
  readonly optedOut: readonly string[]
}

const words: Record<Keyword, Words> = {
  stop: {
    always: ['stop', 'stopall', 'stop all', 'unsubscribe', 'revoke', 'optout', 'opt out'],
    answered: ['cancel', 'end', 'quit'],
    optedOut: [],
  },
  help: { always: [], answered: ['help'], optedOut: [] },
  start: { always: ['start', 'unstop'], answered: [], optedOut: ['yes'] },
}

/** The person and the binding that a text is read for. */
export interface KeywordContext {
  /** Parley answers keywords on this binding. */
  readonly answersKeywords: boolean
  readonly isOptedOut: boolean
}

/**
 * The keyword that a text consists of. Case, space, punctuation and emoji do not count; further words do: "Stop this
 * bill" is a message.
 */
export function parseKeyword(
  text: string,
  channel: ChannelName,
  { answersKeywords, isOptedOut }: KeywordContext,
): Keyword | undefined {
  if (!carrierChannels.includes(channel)) return undefined
  const word = normalizeWord(text)
  if (word === '') return undefined
  for (const keyword of ['stop', 'help', 'start'] as const) {
    const { always, answered, optedOut } = words[keyword]
    if (
      always.includes(word) ||
      (answersKeywords && answered.includes(word)) ||
      (isOptedOut && optedOut.includes(word))
    ) {
      return keyword
    }
  }
  return undefined
}

const longestKeyword = 12

function normalizeWord(text: string): string {
  if (isLongAsciiText(text)) return ''
  const normalized = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  return normalized.length > longestKeyword ? '' : normalized.toLowerCase()
}

/** Whether the text begins in ASCII, with more letters and digits than any keyword has. Most texts end here. */
function isLongAsciiText(text: string): boolean {
  let counted = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) return false
    const isDigit = unit >= 0x30 && unit <= 0x39
    const letter = unit | 0x20
    if (!isDigit && (letter < 0x61 || letter > 0x7a)) continue
    counted += 1
    if (counted > longestKeyword) return true
  }
  return false
}

/** How an agent presents itself in texts that carriers require. */
export interface BrandInfo {
  readonly name: string
  readonly contactEmail?: string
  readonly contactPhone?: string
  readonly websiteUrl?: string
}

export const defaultTexts = {
  stop: ({ name }: BrandInfo) =>
    `${name}: You are unsubscribed and will get no more messages. Reply START to get messages again.`,
  start: ({ name }: BrandInfo) => `${name}: You will get messages again. Reply HELP for help, STOP to end.`,
  help(brand: BrandInfo) {
    const contact = [brand.contactPhone, brand.contactEmail, brand.websiteUrl].filter(Boolean).join(', ')
    const where = contact === '' ? '' : ` Contact us: ${contact}.`
    return `${brand.name}:${where} Msg & data rates may apply, message frequency varies. Reply STOP to end.`
  },
  disclaimer: ({ name }: BrandInfo) =>
    `${name}: Msg & data rates may apply, message frequency varies. Reply HELP for help, STOP to end.`,
} as const
