/** Finds times of day in a text. */
import { flow as limits } from '../../limits/index.js'
import type { Mention } from './mention.js'

const spelled = /\b(noon|midday|midnight)\b/gi
const clock =
  /(?<![\d:.\-/])(at |@ ?)?(\d{1,2})(?:[:.](\d{2}))?(?: ?(a\.?m\b|p\.?m\b|o'clock\b|h\b))?(?![\d:\-/]|\.\d)/gi

const noon = 12 * 60

/**
 * Minutes of the day, as text: `15:00` is `900`. Three without am or pm may be in the afternoon: `180 900`. A bare
 * number is a time only after `at`.
 */
export function timesIn(text: string): Mention<string>[] {
  const read = text.slice(0, limits.dateChars)
  const mentions: Mention<string>[] = []
  for (const { 0: found, index } of read.matchAll(spelled)) {
    const minutes = found.toLowerCase() === 'midnight' ? 0 : noon
    mentions.push({ value: String(minutes), from: index, to: index + found.length })
  }
  for (const { 0: found, 1: at, 2: hours, 3: minutes, 4: half, index } of read.matchAll(clock)) {
    if (at === undefined && minutes === undefined && half === undefined) continue
    const value = minutesOf(Number(hours), Number(minutes ?? 0), half?.toLowerCase()[0])
    if (value !== undefined) mentions.push({ value, from: index, to: index + found.length })
  }
  return mentions
}

function minutesOf(hours: number, minutes: number, half: string | undefined): string | undefined {
  if (hours > 23 || minutes > 59) return undefined
  const isHalf = half === 'a' || half === 'p'
  if (isHalf && (hours < 1 || hours > 12)) return undefined
  if (isHalf) return String((hours % 12) * 60 + minutes + (half === 'p' ? noon : 0))
  const value = hours * 60 + minutes
  return half === 'h' || hours < 1 || hours > 12 ? String(value) : `${value % noon} ${(value % noon) + noon}`
}
