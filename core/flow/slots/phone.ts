/** Finds phone numbers in a text, as people of a region write them. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { flow as limits } from '../../limits/index.js'
import { possiblePhoneOf } from '../../people/address.js'
import type { Mention } from './mention.js'
import type { Region } from './region.js'

/** Bounded, so that no start costs more than one candidate. */
const candidate = /(?<![\p{L}\p{N}+])[+(]?\d[\d\s().\-/\u2010-\u2015\u00a0]{4,26}\d(?![\p{L}\p{N}])/gu

/** In E.164. `isAnswer`: a number that is all of the text may be one that its country has not assigned. */
export function phonesIn(text: string, region: Region, isAnswer: boolean): Mention<string>[] {
  const mentions: Mention<string>[] = []
  let candidates = 0
  for (const { 0: found, index } of text.matchAll(candidate)) {
    if (++candidates > limits.phoneCandidates) break
    const isAll = isAnswer && text.trim().replace(/\.$/, '') === found
    const value = phoneFrom(found, region, isAll)
    if (value !== undefined) mentions.push({ value, from: index, to: index + found.length })
  }
  return mentions
}

/** In most regions 00 stands for the plus. */
function phoneFrom(text: string, region: Region, mayBeUnassigned: boolean): string | undefined {
  const parsed = parsePhoneNumberFromString(text.replace(/^00/, '+'), { defaultCountry: region, extract: false })
  if (!parsed || !(mayBeUnassigned ? parsed.isPossible() : parsed.isValid())) return undefined
  return possiblePhoneOf(parsed.number)
}
