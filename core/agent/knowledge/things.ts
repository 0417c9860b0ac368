/**
 * Things: the list is replaced as a whole; members that a thing leaves out come from the stored thing of the same id.
 */
import type { FieldError } from '../../errors.js'
import { isRecord } from '../../json.js'
import { agentLimits } from '../../limits/index.js'
import { mapInSteps, runToEnd, type Steps } from '../../steps.js'
import { type AgentDocument, type Item, withSection } from '../document.js'
import { invalidFields, type Outcome, schemaError, withoutUndefined } from '../outcome.js'
import type { ThingAction, ThingBody, ThingLocation } from '../resources/knowledge.js'
import { Thing as StoredThing, ThingsBody } from '../resources/knowledge.js'
import { canonicalize } from '../transfer/canonical.js'
import { type Coordinates, parseAddress } from './locations.js'

type Thing = Item<'things'>

/** The result of geocoding: coordinates with the full address, or no match. */
export type Geocoded = (Coordinates & { readonly address: string }) | 'notFound'

export interface ThingReaders {
  /** E.164 of a number in any common format, one without a country code read as US; undefined when it is no number. */
  readonly phone: (text: string) => string | undefined
  /** Results by address; a missing address could not be geocoded and is stored without coordinates. */
  readonly geocoded?: ReadonlyMap<string, Geocoded>
}

interface ThingContext {
  readonly readers: ThingReaders
  readonly collections: ReadonlySet<string>
  readonly faults: FieldError[]
}

const imagePrefix = 'image:'

/** The member that belongs to each kind of action alone. */
const ownMembers: Readonly<Record<string, string>> = { url: 'url', dial: 'phone', reply: 'value', viewLocation: '' }

/** The input with members dropped that are foreign to the kind of their action, whatever their values. */
export function normalizeThings(body: unknown): unknown {
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

/** The addresses of these things that need geocoding before they are stored; none when the shape is wrong. */
export function addressesToGeocode(document: AgentDocument, input: unknown, isValidated = false): string[] {
  const body = isValidated ? input : normalizeThings(input)
  if (!isValidated && schemaError(ThingsBody, body)) return []
  const stored = thingsById(document)
  const addresses = (body as { things: ThingBody[] }).things.flatMap(({ id, location }) => {
    if (!location?.address || location.latitude !== undefined || location.longitude !== undefined) return []
    if (isGeocoded(location, stored.get(id)?.location)) return []
    const read = parseAddress(location.address)
    return read.kind === 'text' && read.address !== '' ? [read.address] : []
  })
  return [...new Set(addresses)]
}

function thingsById({ things }: AgentDocument): Map<string, Thing> {
  return new Map(things.map((thing) => [thing.id, thing]))
}

/** `isValidated` when the list has been checked before. */
export function* replaceThingsInSteps(
  document: AgentDocument,
  input: unknown,
  readers: ThingReaders,
  isValidated = false,
): Steps<Outcome> {
  const body = normalizeThings(input)
  const error = isValidated ? undefined : schemaError(ThingsBody, body)
  if (error) return error
  const stored = thingsById(document)
  const context: ThingContext = { readers, collections: new Set(document.collections.map(({ id }) => id)), faults: [] }
  const things = yield* mapInSteps((body as { things: ThingBody[] }).things, (thing, index) =>
    canonicalize(StoredThing, buildThing(context, thing, stored.get(thing.id), `things[${index}]`)),
  )
  if (context.faults.length > 0) return invalidFields(context.faults)
  return withSection(document, 'things', things)
}

export function replaceThings(...args: Parameters<typeof replaceThingsInSteps>): Outcome {
  return runToEnd(replaceThingsInSteps(...args))
}

function buildThing(context: ThingContext, input: ThingBody, stored: Thing | undefined, at: string): StoredThing {
  const { collection: _collection, collections: _collections, location: _location, actions, media, ...plain } = input
  const location = locationOf(context, input.location, stored?.location, `${at}.location`)
  const collections = collectionsOf(context, input, stored, at)
  return withoutUndefined({
    ...plain,
    media: media === undefined ? undefined : mediaOf(context, media, `${at}.media`),
    actions: actions?.map((action, nth) => actionOf(context, action, location !== undefined, `${at}.actions[${nth}]`)),
    location,
    collections: collections.length > 0 ? collections : undefined,
  })
}

function mediaOf({ faults }: ThingContext, text: string, at: string): string | undefined {
  const id = text.startsWith(imagePrefix) ? text.slice(imagePrefix.length) : text
  if (id === '') return undefined
  const most = agentLimits.things.mediaChars
  if ([...id].length > most) faults.push({ field: at, message: `must have at most ${most} characters` })
  return id
}

/** Drops members that are foreign to the kind. */
function actionOf(
  { readers, faults }: ThingContext,
  action: ThingAction,
  hasLocation: boolean,
  at: string,
): ThingAction {
  const { label, kind, url, phone, value } = action
  const common = withoutUndefined({ label, kind })
  const needed = (member: string) => faults.push({ field: `${at}.${member}`, message: 'is required' })
  switch (kind ?? 'url') {
    case 'url':
      if (url === undefined) needed('url')
      return withoutUndefined({ ...common, url })
    case 'dial': {
      if (phone === undefined) needed('phone')
      const number = phone === undefined ? undefined : readers.phone(phone)
      if (phone !== undefined && number === undefined)
        faults.push({ field: `${at}.phone`, message: 'must be a phone number' })
      return withoutUndefined({ ...common, phone: number })
    }
    case 'reply':
      return withoutUndefined({ ...common, value })
    default:
      if (!hasLocation) faults.push({ field: `${at}.kind`, message: 'needs the thing to have a location' })
      return common
  }
}

type Location = ThingLocation | Thing['location']

function isGeocoded(input: Location, stored: Location): boolean {
  return stored?.latitude !== undefined && input?.address !== undefined && input.address === stored.address
}

/** Without the key the stored location stays; null clears it. */
function locationOf(
  context: ThingContext,
  input: ThingLocation | null | undefined,
  stored: Location,
  at: string,
): ThingLocation | undefined {
  if (input === undefined) return stored as ThingLocation | undefined
  if (input === null) return undefined
  const { address, latitude, longitude, label } = input
  if ((latitude === undefined) !== (longitude === undefined)) {
    const missing = latitude === undefined ? 'latitude' : 'longitude'
    context.faults.push({ field: `${at}.${missing}`, message: 'is required beside the other coordinate' })
  }
  if (latitude !== undefined) return withoutUndefined({ address, latitude, longitude, label })
  if (!address?.trim()) {
    context.faults.push({ field: `${at}.address`, message: 'is required without coordinates' })
    return undefined
  }
  if (isGeocoded(input, stored))
    return withoutUndefined({ address, latitude: stored?.latitude, longitude: stored?.longitude, label })
  return lookUpLocation(context, address, label, at)
}

function lookUpLocation(
  { readers, faults }: ThingContext,
  text: string,
  label: string | undefined,
  at: string,
): ThingLocation | undefined {
  const read = parseAddress(text)
  if (read.kind === 'place') return withoutUndefined({ address: read.address, ...read.coordinates, label })
  const geocoded = read.kind === 'text' ? readers.geocoded?.get(read.address) : undefined
  if (read.kind === 'invalid' || geocoded === 'notFound') {
    faults.push({ field: `${at}.address`, message: read.kind === 'invalid' ? read.message : 'matches no place' })
    return undefined
  }
  if (!geocoded) return withoutUndefined({ address: read.address, label })
  const { address, latitude, longitude } = geocoded
  return withoutUndefined({ address, latitude, longitude, label })
}

/**
 * `collections` wins. `collection` alone keeps the other collections when it equals what a read shows; otherwise it
 * moves the thing.
 */
function collectionsOf(
  { collections, faults }: ThingContext,
  input: ThingBody,
  stored: Thing | undefined,
  at: string,
): string[] {
  const check = (id: string, field: string) => {
    if (!collections.has(id))
      faults.push({ field, message: `There is no collection ${id}`, code: 'thing.collection.unknown' })
  }
  if (input.collections) {
    for (const [nth, id] of input.collections.entries()) check(id, `${at}.collections[${nth}]`)
    return [...new Set(input.collections)]
  }
  if (!input.collection) return []
  if (stored && input.collection === stored.collections?.[0]) return [...(stored.collections ?? [])]
  check(input.collection, `${at}.collection`)
  return [input.collection]
}

/** A read also shows the first collection under its old name. */
export function thingView(thing: Thing): Thing {
  const [first] = thing.collections ?? []
  return first === undefined ? thing : { ...thing, collection: first }
}
