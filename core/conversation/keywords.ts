/** Words by which people on carrier channels stop, resume and ask for help, and what they are answered. */
import type { ChannelName } from '../channel/names.js'
import { carrierChannels } from '../channel/names.js'

export type Keyword = 'stop' | 'help' | 'start'

/** `always` counts on every carrier channel; the rest only where the house answers keywords itself, since agents use them. */
const words: Record<Keyword, { readonly always: readonly string[]; readonly answered: readonly string[] }> = {
  stop: { always: ['stop', 'stopall', 'unsubscribe'], answered: ['cancel', 'end', 'quit'] },
  help: { always: [], answered: ['help'] },
  start: { always: ['start', 'unstop'], answered: [] },
}

/**
 * The keyword that a text is, when it is nothing else: surrounding space, punctuation and emoji do not count, further
 * words do. "Stop this bill" is a message.
 */
export function keywordIn(text: string, channel: ChannelName, isAnswered: boolean): Keyword | undefined {
  if (!carrierChannels.includes(channel)) return undefined
  const word = bare(text)
  for (const keyword of ['stop', 'help', 'start'] as const) {
    const { always, answered } = words[keyword]
    if (always.includes(word) || (isAnswered && answered.includes(word))) return keyword
  }
  return undefined
}

const longestKeyword = 12

function bare(text: string): string {
  if (isLongPlain(text)) return ''
  const trimmed = text.normalize('NFKC').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return trimmed.length > longestKeyword ? '' : trimmed.toLowerCase()
}

/** Whether it begins in ASCII, with more from one letter or digit to another than any keyword has: most of what people say. */
function isLongPlain(text: string): boolean {
  let first = -1
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) return false
    const isDigit = unit >= 0x30 && unit <= 0x39
    const letter = unit | 0x20
    if (!isDigit && (letter < 0x61 || letter > 0x7a)) continue
    if (first < 0) first = at
    else if (at - first >= longestKeyword) return true
  }
  return false
}

/** How an agent presents itself where carriers want to know. */
export interface Brand {
  readonly name: string
  readonly contactEmail?: string
  readonly contactPhone?: string
  readonly websiteUrl?: string
}

export const stockTexts = {
  stop: ({ name }: Brand) =>
    `${name}: You are unsubscribed and will get no more messages. Reply START to get messages again.`,
  start: ({ name }: Brand) => `${name}: You will get messages again. Reply HELP for help, STOP to end.`,
  help(brand: Brand) {
    const contact = [brand.contactPhone, brand.contactEmail, brand.websiteUrl].filter(Boolean).join(', ')
    const where = contact === '' ? '' : ` Contact us: ${contact}.`
    return `${brand.name}:${where} Msg & data rates may apply, message frequency varies. Reply STOP to end.`
  },
  disclaimer: ({ name }: Brand) =>
    `${name}: Msg & data rates may apply, message frequency varies. Reply HELP for help, STOP to end.`,
} as const
