/** Days named by words: today, tomorrow, a day of the week, in three days, the 5th. */
import { Temporal } from 'temporal-polyfill'
import { flow as limits } from '../../limits/index.js'
import type { Mention } from './mention.js'

const named = /\b(?:the )?day after tomorrow\b|\b(?:today|tonight|tomorrow)\b/gi
const distance = /\bin (a|an|one|two|three|four|five|six|seven|\d{1,3}) (day|week|month)s?\b/gi
const dayOfMonth = /\b(the )?(\d{1,2})(?:st|nd|rd|th)\b/gi
const weekday = /\b(?:(this|next|last|coming) )?(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(day)?\b/gi

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const counts = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven']

/** Short forms (`fri`, `5th`) count only in an answer: elsewhere `sat` and `sun` are other words. */
export function dayWordsIn(text: string, today: Temporal.PlainDate, isAnswer: boolean): Mention<string>[] {
  const mentions: Mention<Temporal.PlainDate>[] = []
  const add = (found: string, from: number, value: Temporal.PlainDate | undefined) =>
    value && mentions.push({ value, from, to: from + found.length })
  for (const { 0: found, index } of firstMatches(text, named)) {
    const word = found.toLowerCase()
    add(found, index, today.add({ days: word.endsWith('after tomorrow') ? 2 : word === 'tomorrow' ? 1 : 0 }))
  }
  for (const { 0: found, 1: count = '', 2: unit = '', index } of firstMatches(text, distance)) {
    const number = Number(count) || Math.max(1, counts.indexOf(count.toLowerCase()))
    add(found, index, today.add({ [`${unit.toLowerCase()}s`]: number }))
  }
  for (const { 0: found, 1: article, 2: number, index } of firstMatches(text, dayOfMonth)) {
    if (isAnswer || article !== undefined) add(found, index, nextDayOfMonth(Number(number), today))
  }
  for (const { 0: found, 1: which = '', 2: name = '', 3: ending, index } of firstMatches(text, weekday)) {
    const dayOfWeek = weekdays.indexOf(name.slice(0, 3).toLowerCase()) + 1
    // `Monday the 20th` is one day, when it is a Monday.
    const isRepeated = mentions.length > 0 && mentions.every(({ value }) => value.dayOfWeek === dayOfWeek)
    if (isRepeated || which.toLowerCase() === 'last' || !(isAnswer || ending !== undefined)) continue
    add(found, index, nextWeekday(dayOfWeek, today, which.toLowerCase() === 'next'))
  }
  return mentions
    .sort((one, other) => one.from - other.from)
    .map(({ value, from, to }) => ({ value: value.toString(), from, to }))
}

/** Two are as unclear as more. */
function firstMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  return [...text.matchAll(pattern)].slice(0, limits.dayWords)
}

/** The day of the coming seven, today included; with `next` the one in the week after this. */
function nextWeekday(dayOfWeek: number, today: Temporal.PlainDate, isNextWeek: boolean): Temporal.PlainDate {
  if (isNextWeek) return today.add({ days: 7 - today.dayOfWeek + dayOfWeek })
  return today.add({ days: (dayOfWeek - today.dayOfWeek + 7) % 7 })
}

function nextDayOfMonth(day: number, today: Temporal.PlainDate): Temporal.PlainDate | undefined {
  for (let months = 0; months < 3 && day >= 1; months++) {
    const first = today.with({ day: 1 }).add({ months })
    const candidate = first.with({ day: Math.min(day, first.daysInMonth) })
    if (candidate.day === day && Temporal.PlainDate.compare(candidate, today) >= 0) return candidate
  }
  return undefined
}
