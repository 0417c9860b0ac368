/** Finds email addresses in a text. */
import { agentLimits } from '../../limits/index.js'
import type { Mention } from './mention.js'

const local = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const domain = /[\p{L}\p{N}.-]/u
const wholeDomain = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u
const longestLocal = 64

/** The domain is lower-cased, and full stops around an address are not part of it. */
export function emailsIn(text: string): Mention<string>[] {
  const mentions: Mention<string>[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let from = at
    while (from > 0 && at - from < longestLocal && local.test(text[from - 1]!)) from--
    while (from < at && /[.'{|}]/.test(text[from]!)) from++
    let to = at + 1
    while (to < text.length && to - at < agentLimits.emailChars && domain.test(text[to]!)) to++
    while (to > at + 1 && /[.-]/.test(text[to - 1]!)) to--
    const name = text.slice(from, at)
    const host = text.slice(at + 1, to)
    const isAddress = from < at && !name.endsWith('.') && !name.includes('..') && wholeDomain.test(host)
    const isAlone = text[from - 1] !== '@' && text[to] !== '@' && to - from <= agentLimits.emailChars
    if (isAddress && isAlone) mentions.push({ value: `${name}@${host.toLowerCase()}`, from, to })
  }
  return mentions
}
