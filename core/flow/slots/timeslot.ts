/** Free times: as a source lists them, as a question offers them, and as a typed answer names one. */
import { isZone, parseMoment } from '../../amf/moments.js'
import { isRecord } from '../../json.js'
import { amf } from '../../limits/index.js'
import { slotLabels, slotNames } from '../../render/values.js'
import type { Offered, TimeslotValue } from '../contract.js'
import { matchChoice } from './choice.js'
import { timesIn } from './clock.js'
import { datesIn, type ReadingPlace, zonedTime } from './date.js'

export interface OfferedTime extends Offered {
  readonly value: TimeslotValue
}

const format = (zone: string) => ({ locale: 'en-US', zone })

export function isTimeslot(value: unknown): value is TimeslotValue {
  return isRecord(value) && typeof value.startUtc === 'number' && typeof value.start === 'string'
}

/** The time that a moment on file is; undefined for text that is no moment. */
export function timeslotAt(moment: string | number, zone: string): TimeslotValue | undefined {
  const startUtc = typeof moment === 'number' ? moment : momentOf(moment)
  if (startUtc === undefined || !isDateTime(startUtc)) return undefined
  const known = isZone(zone) ? zone : 'UTC'
  const start = startIn(startUtc, known)
  return { startUtc, start, zone: known, label: labelOf(start, known) }
}

/** Those of a result that can be offered, in its order: `{ zone?, slots: [{ id, start, … }] }`, or the list alone. */
export function offeredTimes(result: unknown, zone: string): OfferedTime[] {
  const list = isRecord(result) ? result.slots : result
  const listZone = isRecord(result) && typeof result.zone === 'string' && isZone(result.zone) ? result.zone : zone
  const entries = (Array.isArray(list) ? list : []).flatMap((entry) => entryOf(entry, listZone) ?? [])
  const offered = new Map<string, OfferedTime>()
  for (const { id, value, name } of entries) {
    const isShared = entries.some((other) => other.id !== id && other.value.startUtc === value.startUtc)
    const label = isShared && name !== undefined ? `${value.label} with ${name}` : value.label
    if (offered.size < amf.options && !offered.has(id)) offered.set(id, { id, label, value: { ...value, label } })
  }
  return [...offered.values()]
}

interface Entry {
  readonly id: string
  readonly value: TimeslotValue
  readonly name?: string
}

/** Whether the label says more than the day and the time. */
export function hasOwnLabel({ label, value }: OfferedTime): boolean {
  return label !== labelOf(value.start, value.zone)
}

function entryOf(entry: unknown, zone: string): Entry | undefined {
  const members = typeof entry === 'string' ? { start: entry } : entry
  if (!isRecord(members) || typeof members.start !== 'string') return undefined
  const value = timeslotAt(members.start, zone)
  if (!value) return undefined
  const { id, durationMinutes, representativeId, representativeName } = members
  const isId = typeof id === 'string' && id !== '' && id.length <= amf.idChars && !/\p{Cc}/u.test(id)
  return {
    id: isId ? id : value.start,
    value: {
      ...value,
      ...(typeof durationMinutes === 'number' && { durationMinutes }),
      ...(typeof representativeId === 'string' && { representativeId }),
    },
    ...(typeof representativeName === 'string' && representativeName.trim() !== '' && { name: representativeName }),
  }
}

function momentOf(text: string): number | undefined {
  const moment = parseMoment(text)
  return typeof moment === 'string' ? undefined : moment.at
}

/** Later moments have years of more digits, which messages cannot hold. */
const latest = Date.UTC(9999, 0, 1)
const isDateTime = (at: number) => at >= 0 && at <= latest

function startIn(startUtc: number, zone: string): string {
  return zonedTime(startUtc, zone).toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

function labelOf(start: string, zone: string): string {
  return slotLabels([{ start: { iso: start, tz: zone } }], format(zone))[0] ?? start
}

/** The offered time that a text means: by its label or rank, or by a day and a time of day that only one has. */
export function matchTime(text: string, offered: readonly OfferedTime[], place: ReadingPlace): OfferedTime | undefined {
  const choices = offered.map(({ id, label, value }) => {
    return { id, label, names: slotNames({ start: { iso: value.start, tz: value.zone } }, format(value.zone)) }
  })
  const matched = matchChoice(text, choices, 'ask.time')
  return matched ? offered[choices.indexOf(matched)] : matchDayAndTime(text, offered, place)
}

function matchDayAndTime(text: string, offered: readonly OfferedTime[], place: ReadingPlace): OfferedTime | undefined {
  const days = new Set(datesIn(text, place, true).map(({ value }) => value))
  const times = new Set(timesIn(text).map(({ value }) => value))
  if (days.size > 1 || times.size > 1 || days.size + times.size === 0) return undefined
  const [minutes] = times
  const fitting = offered.filter(({ value: { start } }) => {
    const isDay = days.size === 0 || days.has(start.slice(0, 10))
    const minute = Number(start.slice(11, 13)) * 60 + Number(start.slice(14, 16))
    return isDay && (minutes === undefined || minutes.split(' ').includes(String(minute)))
  })
  return fitting.length === 1 ? fitting[0] : undefined
}
