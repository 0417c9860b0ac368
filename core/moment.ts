/** Moments as callers write them: a calendar day, or a time of one, in ISO 8601. */

const isoPattern =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(?:Z|[+-]([0-9]{2}):?([0-9]{2}))?)?$/

/** Returns false for a date that the calendar does not have, such as 30 February. */
export function isMoment(text: string): boolean {
  const [, ...parts] = isoPattern.exec(text) ?? []
  if (parts.length === 0) return false
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = parts.map((part) => Number(part ?? 0))
  const days = new Date(Date.UTC(year!, month!, 0)).getUTCDate()
  const isDay = month! >= 1 && month! <= 12 && day! >= 1 && day! <= days
  return isDay && hour! <= 23 && minute! <= 59 && second! <= 59 && offsetHour! <= 23 && offsetMinute! <= 59
}
