/** Validation rules that a schema cannot express. */
import type { Static } from 'typebox'
import { amf as limits } from '../limits/index.js'
import { charactersOf } from './characters.js'
import { addFinding, addFindingAt, type Check, type ValidationContext } from './findings.js'
import { Card, Chip, type ChipKind, plainParts } from './message.js'
import { isZone, parseMoment } from './moments.js'
import { Event, Moment, Place } from './values.js'

/** Keyed by the properties object of a schema, which an optional copy of the schema shares. */
export const shapeRules = new Map<object, Check>([
  rule(Moment.properties, checkMoment),
  rule(Place.properties, checkPlace),
  rule(Event.properties, checkEvent),
  rule(Chip.properties, checkChip),
  rule(Card.properties, checkCard),
  rule(plainParts.text.properties, checkText),
  rule(plainParts['share.event'].properties, checkEvent),
  rule(plainParts['share.place'].properties, checkPlace),
])

/** Keyed by member name, for any parent. */
export const memberRules = new Map<string, Check>([
  ['url', (value, context) => checkAddress(value as string, context)],
  ['mediaUrl', (value, context) => checkMediaAddress(value as string, context)],
  ['thumbnailUrl', (value, context) => checkMediaAddress(value as string, context)],
])

function rule<Value>(
  properties: object,
  check: (value: Value, context: ValidationContext) => boolean,
): [object, Check] {
  return [properties, (value, context) => check(value as Value, context)]
}

function checkMoment({ iso, tz }: Moment, context: ValidationContext): boolean {
  const read = parseMoment(iso)
  const exists = typeof read !== 'string' || addFindingAt(context, 'iso', read, { rule: 'badDate' })
  return isZone(tz) ? exists : addFindingAt(context, 'tz', 'must be an IANA time zone such as Europe/Paris')
}

function checkEvent({ start, end }: Event, context: ValidationContext): boolean {
  if (Date.parse(end.iso) > Date.parse(start.iso)) return true
  return addFindingAt(context, 'end', 'must be after the start', { rule: 'badDate' })
}

function checkPlace({ address, latitude, longitude }: Place, context: ValidationContext): boolean {
  if ((latitude === undefined) !== (longitude === undefined)) {
    const absent = latitude === undefined ? 'latitude' : 'longitude'
    return addFindingAt(context, absent, 'is required: a latitude and a longitude go together')
  }
  return (
    address !== undefined ||
    latitude !== undefined ||
    addFinding(context, 'must have an address, or a latitude and a longitude')
  )
}

/** The member that each kind of chip requires; `value` is not among them, since every tap may return one. */
const requiredField: Readonly<Partial<Record<ChipKind, keyof Chip>>> = {
  url: 'url',
  dial: 'phone',
  calendar: 'event',
  viewLocation: 'place',
}

function checkChip(chip: Chip, context: ValidationContext): boolean {
  const { kind = 'reply' } = chip
  const required = requiredField[kind]
  let isValid = true
  if (required && chip[required] === undefined)
    isValid = addFindingAt(context, required, `is required for a chip of kind ${kind}`)
  for (const [other, member] of Object.entries(requiredField)) {
    if (member !== required && chip[member] !== undefined) {
      isValid = addFindingAt(context, member, `belongs to chips of kind ${other}; this one is of kind ${kind}`)
    }
  }
  return isValid
}

function checkCard({ title, description, mediaUrl }: Card, context: ValidationContext): boolean {
  return (
    (title ?? description ?? mediaUrl) !== undefined ||
    addFinding(context, 'must have a title, a description or a mediaUrl')
  )
}

function checkText({ text }: Static<typeof plainParts.text>, context: ValidationContext): boolean {
  if (typeof text === 'string') return true
  const words = text.filter((run) => typeof run === 'string')
  if (words.length === text.length && words.every((run) => run.trim() === '')) {
    return addFindingAt(context, 'text', 'must not be empty')
  }
  const characters = words.reduce((sum, run) => sum + charactersOf(run), 0)
  if (characters <= limits.textChars) return true
  return addFindingAt(context, 'text', `must have at most ${limits.textChars} characters`, { code: 'tooLarge' })
}

function checkAddress(address: string, context: ValidationContext): boolean {
  const url = parsedUrl(address)
  if (!url) return addFinding(context, 'must be an address that can be opened')
  return (url.username === '' && url.password === '') || addFinding(context, 'must not carry a user name or a password')
}

/** Not `URL.canParse`: once compiled it judges letters beyond ASCII otherwise than before (seen in Node 20). */
function parsedUrl(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

function checkMediaAddress(address: string, context: ValidationContext): boolean {
  if (/^http:/i.test(address)) return addFinding(context, 'must be an https address: media is not fetched over http')
  return checkAddress(address, context)
}
