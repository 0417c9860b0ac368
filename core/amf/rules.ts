/** What a shape cannot tell of a value that has it. */
import type { Static } from 'typebox'
import { amf as limits } from '../limits.js'
import { charactersOf } from './characters.js'
import { Card, Chip, type ChipKind, plainParts } from './message.js'
import { isZone, readMoment } from './moments.js'
import { Event, Moment, Place } from './values.js'
import { type Check, note, noteAt, type Walk } from './walk.js'

/** By the properties of the shape: an optional member is a copy of its shape that has them in common. */
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

/** By the name of a member, whatever holds it. */
export const memberRules = new Map<string, Check>([
  ['url', (value, walk) => checkAddress(value as string, walk)],
  ['mediaUrl', (value, walk) => checkMediaAddress(value as string, walk)],
  ['thumbnailUrl', (value, walk) => checkMediaAddress(value as string, walk)],
])

function rule<Value>(properties: object, check: (value: Value, walk: Walk) => boolean): [object, Check] {
  return [properties, (value, walk) => check(value as Value, walk)]
}

function checkMoment({ iso, tz }: Moment, walk: Walk): boolean {
  const read = readMoment(iso)
  const exists = typeof read !== 'string' || noteAt(walk, 'iso', read, { rule: 'badDate' })
  return isZone(tz) ? exists : noteAt(walk, 'tz', 'must be an IANA time zone such as Europe/Paris')
}

function checkEvent({ start, end }: Event, walk: Walk): boolean {
  if (Date.parse(end.iso) > Date.parse(start.iso)) return true
  return noteAt(walk, 'end', 'must be after the start', { rule: 'badDate' })
}

function checkPlace({ address, latitude, longitude }: Place, walk: Walk): boolean {
  if ((latitude === undefined) !== (longitude === undefined)) {
    const absent = latitude === undefined ? 'latitude' : 'longitude'
    return noteAt(walk, absent, 'is required: a latitude and a longitude go together')
  }
  return (
    address !== undefined || latitude !== undefined || note(walk, 'must have an address, or a latitude and a longitude')
  )
}

/** What each kind of chip acts upon; `value` is no such member, since every tap may bring one back. */
const acting: Readonly<Partial<Record<ChipKind, keyof Chip>>> = {
  url: 'url',
  dial: 'phone',
  calendar: 'event',
  viewLocation: 'place',
}

function checkChip(chip: Chip, walk: Walk): boolean {
  const { kind = 'reply' } = chip
  const own = acting[kind]
  let fine = true
  if (own && chip[own] === undefined) fine = noteAt(walk, own, `is required for a chip of kind ${kind}`)
  for (const [other, member] of Object.entries(acting)) {
    if (member !== own && chip[member] !== undefined) {
      fine = noteAt(walk, member, `belongs to chips of kind ${other}; this one is of kind ${kind}`)
    }
  }
  return fine
}

function checkCard({ title, description, mediaUrl }: Card, walk: Walk): boolean {
  return (
    (title ?? description ?? mediaUrl) !== undefined || note(walk, 'must have a title, a description or a mediaUrl')
  )
}

function checkText({ text }: Static<typeof plainParts.text>, walk: Walk): boolean {
  if (typeof text === 'string') return true
  const words = text.filter((run) => typeof run === 'string')
  if (words.length === text.length && words.every((run) => run.trim() === '')) {
    return noteAt(walk, 'text', 'must not be empty')
  }
  const characters = words.reduce((sum, run) => sum + charactersOf(run), 0)
  if (characters <= limits.textChars) return true
  return noteAt(walk, 'text', `must have at most ${limits.textChars} characters`, { code: 'tooLarge' })
}

function checkAddress(address: string, walk: Walk): boolean {
  const url = parsedUrl(address)
  if (!url) return note(walk, 'must be an address that can be opened')
  return (url.username === '' && url.password === '') || note(walk, 'must not carry a user name or a password')
}

/** Not `URL.canParse`: once compiled it judges letters beyond ASCII otherwise than before (seen in Node 20). */
function parsedUrl(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

function checkMediaAddress(address: string, walk: Walk): boolean {
  if (/^http:/i.test(address)) return note(walk, 'must be an https address: media is not fetched over http')
  return checkAddress(address, walk)
}
