/** Things: the whole list is replaced at once, and what each of them leaves unsaid is taken from the one it replaces. */
import type { FieldError } from '../../errors.js'
import { isRecord } from '../../json.js'
import { agentLimits } from '../../limits.js'
import { finish, mapInSteps, type Steps } from '../../steps.js'
import { type AgentDocument, type Item, withSection } from '../document.js'
import type { ThingAction, ThingBody, ThingLocation } from '../resources/knowledge.js'
import { Thing as Kept, ThingsBody } from '../resources/knowledge.js'
import { canonical } from '../transfer/canonical.js'
import { invalidFields, misshapen, type Outcome, tidy } from '../writing.js'
import { type Coordinates, readAddress } from './places.js'

type Thing = Item<'things'>

/** What an address came to: a place with its address written out, or no place at all. */
export type Geocoded = (Coordinates & { readonly address: string }) | 'nowhere'

export interface ThingReaders {
  /** E.164 of a number in any common format, one without a country code read as US; undefined for what is none. */
  readonly phone: (written: string) => string | undefined
  /** Addresses that were looked up; one that is missing could not be, and is kept without coordinates. */
  readonly geocoded?: ReadonlyMap<string, Geocoded>
}

interface Work {
  readonly readers: ThingReaders
  readonly collections: ReadonlySet<string>
  readonly faults: FieldError[]
}

const imagePrefix = 'image:'

/** What an action of each kind has of its own. */
const ownMembers: Readonly<Record<string, string>> = { url: 'url', dial: 'phone', reply: 'value', viewLocation: '' }

/** As they are read: what is foreign to the kind of an action is dropped, whatever it holds. */
export function thingsRead(body: unknown): unknown {
  const things = membersOf(body)?.things
  if (!Array.isArray(things)) return body
  return { ...(body as object), things: things.map((thing) => withOwnActions(thing)) }
}

function withOwnActions(thing: unknown): unknown {
  const actions = membersOf(thing)?.actions
  if (!Array.isArray(actions)) return thing
  return { ...(thing as object), actions: actions.map((action) => withOwnMembers(action)) }
}

function withOwnMembers(action: unknown): unknown {
  const members = membersOf(action)
  const own = members && ownMembers[(members.kind ?? 'url') as string]
  if (own === undefined) return action
  const foreign = Object.values(ownMembers).filter((name) => name !== own)
  return Object.fromEntries(Object.entries(members!).filter(([name]) => !foreign.includes(name)))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined
}

/** The addresses of these things that have to be looked up before they are kept; none where they are misshapen. */
export function addressesToGeocode(document: AgentDocument, sent: unknown, isShaped = false): string[] {
  const body = isShaped ? sent : thingsRead(sent)
  if (!isShaped && misshapen(ThingsBody, body)) return []
  const kept = keptThings(document)
  const addresses = (body as { things: ThingBody[] }).things.flatMap(({ id, location }) => {
    if (!location?.address || location.latitude !== undefined || location.longitude !== undefined) return []
    if (isPlacedAlready(location, kept.get(id)?.location)) return []
    const read = readAddress(location.address)
    return read.kind === 'words' && read.address !== '' ? [read.address] : []
  })
  return [...new Set(addresses)]
}

function keptThings({ things }: AgentDocument): Map<string, Thing> {
  return new Map(things.map((thing) => [thing.id, thing]))
}

/** `isShaped` where the list was judged before. */
export function* replaceThingsInSteps(
  document: AgentDocument,
  sent: unknown,
  readers: ThingReaders,
  isShaped = false,
): Steps<Outcome> {
  const body = thingsRead(sent)
  const wrong = isShaped ? undefined : misshapen(ThingsBody, body)
  if (wrong) return wrong
  const kept = keptThings(document)
  const work: Work = { readers, collections: new Set(document.collections.map(({ id }) => id)), faults: [] }
  const things = yield* mapInSteps((body as { things: ThingBody[] }).things, (thing, place) =>
    canonical(Kept, becomes(work, thing, kept.get(thing.id), `things[${place}]`)),
  )
  if (work.faults.length > 0) return invalidFields(work.faults)
  return withSection(document, 'things', things)
}

export function thingsReplaced(...given: Parameters<typeof replaceThingsInSteps>): Outcome {
  return finish(replaceThingsInSteps(...given))
}

function becomes(work: Work, sent: ThingBody, kept: Thing | undefined, at: string): Kept {
  const { collection: _old, collections: _new, location: _where, actions, media, ...plain } = sent
  const location = locationOf(work, sent.location, kept?.location, `${at}.location`)
  const collections = collectionsOf(work, sent, kept, at)
  return tidy({
    ...plain,
    media: media === undefined ? undefined : mediaOf(work, media, `${at}.media`),
    actions: actions?.map((action, nth) => actionOf(work, action, location !== undefined, `${at}.actions[${nth}]`)),
    location,
    collections: collections.length > 0 ? collections : undefined,
  })
}

function mediaOf({ faults }: Work, written: string, at: string): string | undefined {
  const id = written.startsWith(imagePrefix) ? written.slice(imagePrefix.length) : written
  if (id === '') return undefined
  const most = agentLimits.things.mediaChars
  if ([...id].length > most) faults.push({ field: at, message: `must have at most ${most} characters` })
  return id
}

/** What is foreign to the kind is dropped. */
function actionOf({ readers, faults }: Work, action: ThingAction, isPlaced: boolean, at: string): ThingAction {
  const { label, kind, url, phone, value } = action
  const same = tidy({ label, kind })
  const needed = (member: string) => faults.push({ field: `${at}.${member}`, message: 'is required' })
  switch (kind ?? 'url') {
    case 'url':
      if (url === undefined) needed('url')
      return tidy({ ...same, url })
    case 'dial': {
      if (phone === undefined) needed('phone')
      const number = phone === undefined ? undefined : readers.phone(phone)
      if (phone !== undefined && number === undefined)
        faults.push({ field: `${at}.phone`, message: 'must be a phone number' })
      return tidy({ ...same, phone: number })
    }
    case 'reply':
      return tidy({ ...same, value })
    default:
      if (!isPlaced) faults.push({ field: `${at}.kind`, message: 'needs the thing to have a location' })
      return same
  }
}

type Location = ThingLocation | Thing['location']

function isPlacedAlready(sent: Location, kept: Location): boolean {
  return kept?.latitude !== undefined && sent?.address !== undefined && sent.address === kept.address
}

/** Without the key the kept one stays; null clears it. */
function locationOf(
  work: Work,
  sent: ThingLocation | null | undefined,
  kept: Location,
  at: string,
): ThingLocation | undefined {
  if (sent === undefined) return kept as ThingLocation | undefined
  if (sent === null) return undefined
  const { address, latitude, longitude, label } = sent
  if ((latitude === undefined) !== (longitude === undefined)) {
    const missing = latitude === undefined ? 'latitude' : 'longitude'
    work.faults.push({ field: `${at}.${missing}`, message: 'is required beside the other coordinate' })
  }
  if (latitude !== undefined) return tidy({ address, latitude, longitude, label })
  if (!address?.trim()) {
    work.faults.push({ field: `${at}.address`, message: 'is required without coordinates' })
    return undefined
  }
  if (isPlacedAlready(sent, kept)) return tidy({ address, latitude: kept?.latitude, longitude: kept?.longitude, label })
  return lookedUp(work, address, label, at)
}

function lookedUp(
  { readers, faults }: Work,
  written: string,
  label: string | undefined,
  at: string,
): ThingLocation | undefined {
  const read = readAddress(written)
  if (read.kind === 'place') return tidy({ address: read.address, ...read.coordinates, label })
  const found = read.kind === 'words' ? readers.geocoded?.get(read.address) : undefined
  if (read.kind === 'fault' || found === 'nowhere') {
    faults.push({ field: `${at}.address`, message: read.kind === 'fault' ? read.message : 'matches no place' })
    return undefined
  }
  if (!found) return tidy({ address: read.address, label })
  const { address, latitude, longitude } = found
  return tidy({ address, latitude, longitude, label })
}

/** `collections` wins. `collection` alone keeps the others when it is what a read shows, and moves the thing otherwise. */
function collectionsOf({ collections, faults }: Work, sent: ThingBody, kept: Thing | undefined, at: string): string[] {
  const check = (id: string, field: string) => {
    if (!collections.has(id))
      faults.push({ field, message: `There is no collection ${id}`, code: 'thing.collection.unknown' })
  }
  if (sent.collections) {
    for (const [nth, id] of sent.collections.entries()) check(id, `${at}.collections[${nth}]`)
    return [...new Set(sent.collections)]
  }
  if (!sent.collection) return []
  if (kept && sent.collection === kept.collections?.[0]) return [...(kept.collections ?? [])]
  check(sent.collection, `${at}.collection`)
  return [sent.collection]
}

/** A read shows the first collection under its old name as well. */
export function thingView(thing: Thing): Thing {
  const [first] = thing.collections ?? []
  return first === undefined ? thing : { ...thing, collection: first }
}
