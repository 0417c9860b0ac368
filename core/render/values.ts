/** Typed values in the language of their reader. A moment is always written in its own zone, from its instant alone. */
import { LRUCache } from 'lru-cache'
import type { Moment, Money } from '../amf/index.js'
import { rendering } from '../limits/index.js'

export interface FormatOptions {
  readonly locale: string
  readonly zone: string
  readonly links?: ReadonlyMap<string, string>
  readonly names?: ReadonlyMap<string, string>
}

/** Creating a formatter is far slower than using it. */
const formatterCache = new LRUCache<string, Intl.DateTimeFormat | Intl.NumberFormat>({
  max: rendering.cachedFormatters,
})

function cachedFormatter<Formatter extends Intl.DateTimeFormat | Intl.NumberFormat>(
  key: string,
  make: () => Formatter,
): Formatter {
  const cached = formatterCache.get(key)
  if (cached) return cached as Formatter
  const formatter = make()
  formatterCache.set(key, formatter)
  return formatter
}

const day = { weekday: 'short', month: 'short', day: 'numeric' } as const
const time = { hour: 'numeric', minute: '2-digit' } as const
const styles = {
  /** A day and a time, for labels. */
  short: { ...day, ...time },
  full: { ...day, year: 'numeric', ...time, timeZoneName: 'short' },
  /** Shorter forms for chips with less room: the text gives the day of the week and the year. */
  compactAndZone: { month: 'short', day: 'numeric', ...time, timeZoneName: 'short' },
  compact: { month: 'short', day: 'numeric', ...time },
  day: { ...day, year: 'numeric' },
  dayAndTime: { ...day, year: 'numeric', ...time },
  time,
  timeAndZone: { ...time, timeZoneName: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
type Style = keyof typeof styles

function dateText(moment: Moment, style: Style, locale: string): string {
  const key = `${style} ${moment.tz} ${locale}`
  const textKey = `${key} ${moment.iso}`
  const cached = dateTextCache.get(textKey)
  if (cached !== undefined) return cached
  const instant = Date.parse(moment.iso)
  if (Number.isNaN(instant)) return moment.iso
  const formatter = cachedFormatter(
    key,
    () => new Intl.DateTimeFormat(locale, { ...styles[style], timeZone: moment.tz }),
  )
  const text = plainSpaces(formatter.format(instant))
  dateTextCache.set(textKey, text)
  return text
}

/** A moment is formatted several times in one rendering: for the blocks, and for the loss check. */
const dateTextCache = new LRUCache<string, string>({ max: rendering.cachedDates })

/** Formatters insert narrow and no-break spaces, which are not in GSM-7 and which people cannot type. */
function plainSpaces(text: string): string {
  return text.replace(/[\u00a0\u2009\u202f]/g, ' ')
}

export function momentText(moment: Moment, { locale }: FormatOptions): string {
  return dateText(moment, 'full', locale)
}

/** The zone is named once, unless the two ends differ in it: then each end is written in full. */
export function spanText(start: Moment, end: Moment, { locale }: FormatOptions): string {
  const whole = (moment: Moment) => dateText(moment, 'full', locale)
  if (start.tz !== end.tz || zoneName(start, locale) !== zoneName(end, locale)) return `${whole(start)} - ${whole(end)}`
  if (dateText(start, 'day', locale) !== dateText(end, 'day', locale)) {
    return `${dateText(start, 'dayAndTime', locale)} - ${whole(end)}`
  }
  return `${dateText(start, 'dayAndTime', locale)} - ${dateText(end, 'timeAndZone', locale)}`
}

function zoneName(moment: Moment, locale: string): string {
  const time = dateText(moment, 'time', locale)
  return dateText(moment, 'timeAndZone', locale).replace(time, '')
}

/**
 * Labels of slots without a label of their own. A day and a time are enough, unless the reader's clock would show
 * another time, or two slots would get the same label (the repeated hour in autumn).
 */
export function slotLabels(
  slots: readonly { start: Moment; label?: string }[],
  { locale, zone }: FormatOptions,
): string[] {
  const short = slots.map(({ start, label }) => label ?? dateText(start, 'short', locale))
  const counts = new Map<string, number>()
  for (const label of short) counts.set(label, (counts.get(label) ?? 0) + 1)
  return slots.map(({ start, label }, index) => {
    if (label !== undefined) return label
    const name = short[index]!
    const isOtherInZone = dateText({ iso: start.iso, tz: zone }, 'short', locale) !== name
    return isOtherInZone || counts.get(name)! > 1 ? dateText(start, 'full', locale) : name
  })
}

type Slot = { readonly start: Moment; readonly label?: string }

/** Each of them has the full hour. */
const zonedForms = ['compactAndZone', 'compact', 'timeAndZone', 'time'] as const satisfies Style[]
const plainForms = ['compact', 'time'] as const satisfies Style[]

/**
 * Shorter forms of each slot for chips that have no room for its label, longest first; the text gives what they leave
 * out. A slot with a label of its own has none.
 */
export function shortForms(slots: readonly Slot[], format: FormatOptions): (readonly string[] | undefined)[] {
  const { locale } = format
  const labels = slotLabels(slots, format)
  const isZoned = slots.some(({ start }, at) => labels[at] === dateText(start, 'full', locale))
  return slots.map(({ start, label }) =>
    label === undefined
      ? (isZoned ? zonedForms : plainForms).map((style) => dateText(start, style, locale))
      : undefined,
  )
}

/** All names under which a slot without a label of its own may have been shown. */
export function slotNames({ start, label }: Slot, { locale }: FormatOptions): readonly string[] {
  return label === undefined ? (['short', ...zonedForms] as const).map((style) => dateText(start, style, locale)) : []
}

/** Exact for every amount: the decimal digits go to the formatter unchanged, and none of them is rounded away. */
export function moneyText({ amount, currency }: Money, { locale }: FormatOptions): string {
  const decimals = amount.split('.')[1]?.replace(/0+$/, '').length ?? 0
  const formatter = cachedFormatter(`${currency} ${decimals} ${locale}`, () => {
    const style = { style: 'currency', currency } as const
    const defaultDecimals = new Intl.NumberFormat(locale, style).resolvedOptions().maximumFractionDigits ?? 0
    return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: Math.max(defaultDecimals, decimals) })
  })
  return plainSpaces(formatter.format(amount as Intl.StringNumericLiteral))
}

export function valueText(value: string | Moment | Money, format: FormatOptions): string {
  if (typeof value === 'string') return value
  return 'iso' in value ? momentText(value, format) : moneyText(value, format)
}

const localeCache = new LRUCache<string, boolean>({ max: rendering.cachedFormatters })

/** An unsupported locale falls back to English. */
export function formatOptionsFor(preferredLocale: string | undefined, reader: FormatOptions): FormatOptions {
  const locale = [preferredLocale, reader.locale].find((each) => each !== undefined && isLocale(each)) ?? 'en-US'
  const { zone, links, names } = reader
  return { locale, zone, ...(links && { links }), ...(names && { names }) }
}

function isLocale(name: string): boolean {
  const cached = localeCache.get(name)
  if (cached !== undefined) return cached
  const valid = isWellFormed(name)
  localeCache.set(name, valid)
  return valid
}

function isWellFormed(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1
  } catch {
    return false
  }
}
