/** Dates and times of entries, in the visitor's calendar and clock. */

/** Entries of one side form a group until this much time has passed. */
const groupMs = 5 * 60 * 1000

export function clockText(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' }).format(new Date(iso))
}

export function dayText(iso: string, now: Date): string {
  const [day, today] = [startOfDay(new Date(iso)), startOfDay(now)]
  // Days have 23 to 25 hours, so the difference is rounded.
  const daysAgo = Math.round((today - day) / 86_400_000)
  if (daysAgo === 0 || daysAgo === 1)
    return capitalised(new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(-daysAgo, 'day'))
  const style = { weekday: 'long', month: 'long', day: 'numeric' } as const
  return new Intl.DateTimeFormat(undefined, daysAgo > 300 ? { ...style, year: 'numeric' } : style).format(day)
}

export function isSameDay(a: string, b: string): boolean {
  return startOfDay(new Date(a)) === startOfDay(new Date(b))
}

export function areGrouped(a: string, b: string): boolean {
  return isSameDay(a, b) && Math.abs(Date.parse(b) - Date.parse(a)) < groupMs
}

function startOfDay(moment: Date): number {
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime()
}

function capitalised(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1)
}
