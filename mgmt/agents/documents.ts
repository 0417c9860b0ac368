/**
 * The one command and the one query behind every route of an agent's document. Both run where the agent's shard is, so
 * a change is judged by the very document that it changes, and shown as it was kept.
 */
import {
  type AgentDocument,
  admitInSteps,
  type DraftCampaign,
  find,
  idOf,
  type Section,
} from '../../core/agent/index.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { type PageCursor, pageOf } from '../../core/paging.js'
import { finish, isSteps, type Steps } from '../../core/steps.js'
import { type Conditions, unmet } from '../../runtime/http/etag.js'
import type { Command, Query, Shards, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { activity, forgetDeeds, record } from './activity.js'
import { firstVersion, type ItemPlace, type Loaded, openDocuments, type Part, settleInSteps } from './document.js'
import { etagOf, itemEtagOf } from './etag.js'
import { objectOf } from './mediaobjects.js'
import { type Asked, type Connections, nameOf, type Person, type Resource, type Seen, type Wrote } from './resource.js'
import { agentResources } from './resources/index.js'
import { dropOrphans, hasSecrets, keepSecrets, removeSecrets, type SealedChanges, secretsOf } from './secrets.js'
import { isList } from './sections.js'
import { bytesAfter } from './size.js'

export interface AskedOf extends AgentPlace {
  readonly resource: string
  readonly asked: Asked
}

export interface WriteOf extends AskedOf, Conditions {
  readonly secrets?: SealedChanges
}

type ShownOf = Asked & { readonly wrote?: Wrote }

export interface Shown {
  readonly status: number
  readonly json?: unknown
  /** The item that a page ended with, where another follows. */
  readonly last?: PageCursor
  readonly etag: string
}

/**
 * Called with every change of a document, in the commit that makes it and before it is written: a refusal keeps the
 * change from being made. Listeners are called in the order of their registration, until one refuses.
 */
export type DocumentListener = (
  tx: Tx,
  place: AgentPlace,
  before: AgentDocument,
  after: AgentDocument,
  told: Told,
) => Refusal | undefined

/** What a later area answers about an agent, for the endpoints that need it. Absent: the agent has none of it. */
export interface DocumentLookups {
  /** A person as templates read one. */
  readonly person?: (reader: Reader, place: AgentPlace, personId: string) => Person | undefined
  /** Campaigns that are being drafted, since a segment that one of them names stays. */
  readonly draftCampaigns?: (reader: Reader, place: AgentPlace) => readonly DraftCampaign[]
  /** How connections of an org stand; an id that the org does not know is left out. */
  readonly connections?: (
    shards: Pick<Shards, 'read'>,
    orgId: string,
    ids: readonly string[],
  ) => Promise<Connections | Refusal>
}

export interface DocumentsDeps {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  /** Where a stored object is served, by its name. Absent: pictures have no address. */
  readonly mediaUrl?: (object: string) => string
}

const notFound = refuse('resource.not_found')

export function createDocuments({ orgEvent, mediaUrl }: DocumentsDeps) {
  const documents = openDocuments()
  const listeners: DocumentListener[] = []
  let lookups: DocumentLookups = {}
  const isoOf = isoWriter()
  const rows = new Map(agentResources.map((resource) => [nameOf(resource), resource]))

  function rowOf(name: string): Resource {
    const row = rows.get(name)
    if (!row) throw new Error(`an agent's document has no resource ${name}`)
    return row
  }

  function seenBy(reader: Reader, place: AgentPlace, { agent, document, index }: Loaded): Seen {
    return {
      agent,
      document,
      index,
      secrets: (section, item = '') => secretsOf(reader, place, section, item),
      person: (personId) => lookups.person?.(reader, place, personId),
      pictured: () => withPictures(reader, place, document),
      draftCampaigns: () => lookups.draftCampaigns?.(reader, place) ?? [],
    }
  }

  /** Each step costs by the lists that change; the writes of a short body are decided in one go. */
  function* writeInSteps(
    tx: Tx,
    { orgId, agentId, resource, asked, ifMatch, ifNoneMatch, secrets }: WriteOf,
    told: Told,
  ): Steps<Shown | Refusal> {
    const place = { orgId, agentId }
    const row = rowOf(resource)
    const before = documents.load(tx, place)
    if (!before) return notFound
    const stale = ifMatch || ifNoneMatch ? mismatch(row, tx, before, asked, { ifMatch, ifNoneMatch }) : undefined
    if (stale) return stale
    const { params, query, body, found, isShaped } = asked
    const at = isoOf(told.at)
    const writing = row.write!(seenBy(tx, place, before), { params, query, body, found, isShaped, at })
    const wrote = isSteps(writing) ? yield* writing : writing
    if (isRefusal(wrote)) return wrote
    // Settled first: a list that was sent whole is judged by what is different in it.
    const candidate = yield* settleInSteps(before.document, wrote.document)
    yield
    const document = yield* admitInSteps(before.document, candidate, before.index)
    if (isRefusal(document)) return document
    yield
    const bytes = yield* bytesAfter(before.head, before.document, document)
    if (isRefusal(bytes)) return bytes
    for (const listener of listeners) {
      const refused = listener(tx, place, before.document, document, told)
      if (refused) return refused
    }
    const isTouched = secrets !== undefined && keepSecrets(tx, place, secrets)
    const touched = isTouched ? [secrets.section] : []
    const { loaded, changed } = documents.keep(tx, before, { document, about: wrote.about ?? {}, touched, bytes }, told)
    if (changed.length > 0) {
      dropOrphans(tx, place, before.document, loaded.document)
      tell(tx, loaded, changed, told)
      const item = wrote.id ?? lastOf(params)
      record(tx, place, {
        version: loaded.head.version,
        at: told.at,
        action: resource,
        changed,
        ...(item !== undefined && { item }),
        ...(told.by && { by: told.by }),
      })
    }
    yield
    return shown(row, tx, place, loaded, { params, query, body, found, wrote })
  }

  const write: Command<WriteOf, Shown> = {
    name: 'agents.write',
    decide: (tx, input, told) => finish(writeInSteps(tx, input, told)),
    inSteps: { isFor: mayTakeLong, decide: writeInSteps },
  }

  /** A long body, or what may take away what anything in the agent may name. */
  function mayTakeLong({ resource, asked }: WriteOf): boolean {
    const { method, path, of } = rowOf(resource)
    const isWholeList = method === 'PUT' && !path.includes('{')
    return asked.isShaped === true || method === 'DELETE' || isWholeList || of === 'all'
  }

  function tell(tx: Tx, { agent }: Loaded, changed: readonly string[], { by }: Told): void {
    const { orgId, id, name } = agent
    const data = { id, name, changed, ...(by && { by }) }
    tx.tell(orgId, orgEvent, { type: 'agent.updated', orgId, agentId: id, data })
  }

  function shown(row: Resource, reader: Reader, place: AgentPlace, loaded: Loaded, asked: ShownOf): Shown | Refusal {
    const json = row.view?.(seenBy(reader, place, loaded), asked)
    if (isRefusal(json)) return json
    const status = asked.wrote?.status ?? Number(Object.keys(row.reply)[0])
    return { status, ...(row.view && { json }), etag: tagOf(row, reader, loaded, asked) }
  }

  function wholeView(reader: Reader, { orgId, agentId, resource, asked }: AskedOf): Shown | Refusal {
    const place = { orgId, agentId }
    const views = documents.views(reader, place)
    if (!views) return notFound
    const name = viewOf(resource, asked)
    const again = name === undefined ? undefined : views.get(name)
    if (again) return again as Shown
    const row = rowOf(resource)
    const item = itemOf(row, asked)
    const sections = row.of === 'all' ? undefined : [...row.of.filter(isSection), ...(row.needs ?? [])]
    const loaded = item ? documents.loadItem(reader, place, item, row.needs) : documents.load(reader, place, sections)
    const is = loaded ? shown(row, reader, place, loaded, asked) : notFound
    if (name !== undefined && row.of !== 'all' && !isRefusal(is)) views.set(name, is)
    return is
  }

  /** Documents are values, so the one that was loaded first is told of to the end. */
  function* viewInSteps(reader: Reader, { orgId, agentId, resource, asked }: AskedOf): Steps<Shown | Refusal> {
    const row = rowOf(resource)
    const loaded = documents.load(reader, { orgId, agentId })
    if (!loaded) return notFound
    const [status, etag] = [Number(Object.keys(row.reply)[0]), tagOf(row, reader, loaded, asked)]
    const json = yield* row.viewInSteps!(loaded, asked)
    return isRefusal(json) ? json : { status, json, etag }
  }

  const view: Query<AskedOf, Shown> = {
    name: 'agents.view',
    read(reader, input) {
      if (rowOf(input.resource).viewInSteps) return finish(viewInSteps(reader, input))
      const is = wholeView(reader, input)
      const { page } = input.asked
      if (!page || isRefusal(is)) return is
      const { data, last } = pageOf((is.json as { data: readonly object[] }).data, page, idOf)
      return { ...is, json: { data }, ...(last && { last }) }
    },
    inSteps: { isFor: ({ resource }) => rowOf(resource).viewInSteps !== undefined, read: viewInSteps },
  }

  /** What happens to the document when its agent is created or deleted. */
  const lifecycle = {
    created(tx: Tx, { orgId, agentId }: AgentPlace, { at, by }: Told): void {
      record(tx, { orgId, agentId }, { version: firstVersion, at, action: 'POST /', changed: [], ...(by && { by }) })
    },
    /** Why the agent is not deleted: the caller wants it as it was last read, and it is not. */
    mismatch(tx: Tx, place: AgentPlace, conditions: Conditions): Refusal | undefined {
      const loaded = documents.load(tx, place, [])
      const etag = loaded && tagOfParts(rowOf('GET /'), loaded)
      return etag === undefined ? undefined : unmet(conditions, { own: etag })
    },
    removed(tx: Tx, place: AgentPlace): void {
      documents.remove(tx, place)
      removeSecrets(tx, place)
      forgetDeeds(tx, place)
    },
  }

  const pictured = new WeakMap<AgentDocument, AgentDocument>()

  function withPictures(reader: Reader, place: AgentPlace, document: AgentDocument): AgentDocument {
    if (!mediaUrl || document.media.length === 0) return document
    const known = pictured.get(document)
    if (known) return known
    const media = document.media.map((item) => {
      const object = objectOf(reader, place, item.id)
      return object === undefined ? item : { ...item, url: mediaUrl(object) }
    })
    const made = { ...document, media }
    pictured.set(document, made)
    return made
  }

  /** For those who show what the agent has: every media item says where it is served, which the document leaves open. */
  function load(reader: Reader, place: AgentPlace, sections?: readonly Section[]): Loaded | undefined {
    const loaded = documents.load(reader, place, sections)
    return loaded && { ...loaded, document: withPictures(reader, place, loaded.document) }
  }

  return {
    commands: { write },
    queries: { view, activity },
    lifecycle,
    load,
    onChanged: (listener: DocumentListener): void => void listeners.push(listener),
    /** Sets what a later area answers; called once for each lookup, when that area is created. */
    provide(more: DocumentLookups): void {
      lookups = { ...lookups, ...more }
    },
    /** Every connection is unknown where no area keeps connections. */
    connectionsOf: async (shards: Pick<Shards, 'read'>, orgId: string, ids: readonly string[]) =>
      (await lookups.connections?.(shards, orgId, ids)) ?? new Map(),
  }
}
export type AgentDocuments = ReturnType<typeof createDocuments>

/**
 * The name of a view that is of the document alone: secrets change with its stamp, and only who asks with a query or a
 * body can be told of anything else.
 */
function viewOf(resource: string, { params, query, body }: Asked): string | undefined {
  if (body !== undefined) return undefined
  for (const _asked in query) return undefined
  let name = resource
  // Ids may hold anything, so each says where it ends.
  for (const parameter in params) name += ` ${params[parameter]!.length}:${params[parameter]}`
  return name
}

function lastOf(params: Asked['params']): string | undefined {
  let last: string | undefined
  for (const name in params) last = params[name]
  return last
}

/** Everything that joins a commit is told the same time, and to write one costs as much as to compare two documents. */
function isoWriter(): (at: number) => string {
  let last = { at: 0, text: new Date(0).toISOString() }
  return (at) => {
    if (at !== last.at) last = { at, text: new Date(at).toISOString() }
    return last.text
  }
}

function isSection(part: Part): part is Section {
  return part !== 'agent'
}

/** What a path names by its parameter, or a 201 made, is an item of the one list that the row is about. */
function itemOf({ of, reply }: Resource, { params, wrote }: ShownOf): ItemPlace | undefined {
  const [section, ...others] = of === 'all' ? [] : of
  const [id = reply[201] ? wrote?.id : undefined] = Object.values(params)
  if (id === undefined || section === undefined || others.length > 0) return undefined
  return isSection(section) && isList(section) ? { section, id } : undefined
}

/** What a row is about has one tag: the item that the path names or the write made, else the parts of the row. */
function tagOf(row: Resource, reader: Reader, loaded: Loaded, asked: ShownOf): string {
  const { agent, document } = loaded
  const item = itemOf(row, asked)
  const kept = item && find(document, item.section, item.id)
  if (!kept) return tagOfParts(row, loaded)
  const { section, id } = item
  const place = { orgId: agent.orgId, agentId: agent.id }
  return itemEtagOf(agent.serial, kept, hasSecrets(section) ? secretsOf(reader, place, section, id) : undefined)
}

/** An item is as it was read while its own tag is the same, or that of the list it was read in. */
function mismatch(row: Resource, tx: Tx, before: Loaded, asked: Asked, conditions: Conditions): Refusal | undefined {
  const item = itemOf(row, asked)
  const isNew = item !== undefined && find(before.document, item.section, item.id) === undefined
  return unmet(conditions, { own: tagOf(row, tx, before, asked), list: tagOfParts(row, before), isNew })
}

/** Paths of one resource are about the same parts, so a tag that one of them showed is good for the others. */
function tagOfParts({ of }: Resource, { agent, head }: Loaded): string {
  if (of === 'all') return etagOf(agent.serial, head.version)
  let newest = firstVersion
  for (const part of of) newest = Math.max(newest, head.parts[part] ?? firstVersion)
  return etagOf(agent.serial, newest)
}
