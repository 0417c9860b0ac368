/** Time slots, grouped by the days of the visitor's calendar and clock. */
import type { Slot } from '../frames.js'

export interface Day {
  readonly name: string
  readonly times: readonly Time[]
}

export interface Time {
  readonly slot: Slot
  /** On the visitor's clock. Slots that read alike, as when clocks are set back, name their offset. */
  readonly text: string
  /** The text of the choice in the conversation: day and time. */
  readonly fullText: string
  /** The agent's spelling, where it differs from the visitor's clock. */
  readonly note?: string
}

export function daysOf(slots: readonly Slot[], locale: string | undefined, zone: string): Day[] {
  const dayName = new Intl.DateTimeFormat(locale, { weekday: 'long', month: 'long', day: 'numeric', timeZone: zone })
  const dayKey = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone })
  const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone: zone })
  const exact = new Intl.DateTimeFormat(locale, {
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'shortOffset',
    timeZone: zone,
  })
  const days = new Map<string, { name: string; slots: Slot[] }>()
  const readable = slots.filter(({ start }) => !Number.isNaN(Date.parse(start.iso)))
  for (const slot of readable.toSorted((a, b) => Date.parse(a.start.iso) - Date.parse(b.start.iso))) {
    const instant = Date.parse(slot.start.iso)
    const day = days.get(dayKey.format(instant)) ?? { name: dayName.format(instant), slots: [] }
    day.slots.push(slot)
    days.set(dayKey.format(instant), day)
  }
  return [...days.values()].map((day) => {
    const texts = day.slots.map(({ start }) => clock.format(Date.parse(start.iso)))
    const times = day.slots.map((slot, index): Time => {
      const instant = Date.parse(slot.start.iso)
      const isUnambiguous = day.slots.every(
        (other, otherIndex) => texts[otherIndex] !== texts[index] || Date.parse(other.start.iso) === instant,
      )
      const text = isUnambiguous ? texts[index]! : exact.format(instant)
      return { slot, text, fullText: `${day.name}, ${text}`, ...noteOf(slot, zone) }
    })
    return { name: day.name, times }
  })
}

/** Whether any slot reads differently in its own zone than on the visitor's clock. */
export function anyInOtherZone(slots: readonly Slot[], zone: string): boolean {
  return slots.some(({ start }) => isInOtherZone(start, zone))
}

function noteOf({ start, label }: Slot, zone: string): { note?: string } {
  const lacksTime = !/\d[:.h]\d\d|\d ?[ap]\.?m/i.test(label)
  return lacksTime || isInOtherZone(start, zone) ? { note: label } : {}
}

function isInOtherZone({ iso, tz }: Slot['start'], zone: string): boolean {
  return wallClock(iso, tz) !== wallClock(iso, zone)
}

function wallClock(iso: string, zone: string): string {
  const instant = Date.parse(iso)
  if (Number.isNaN(instant)) return iso
  try {
    return new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeStyle: 'short', timeZone: zone }).format(instant)
  } catch {
    // In a zone that this browser does not know, the visitor's clock is used.
    return iso
  }
}
