/**
 * The one command and the one query behind every route of an agent's document. Both run where the agent's shard is, so
 * a change is judged by the very document that it changes, and shown as it was kept.
 */
import { type AgentDocument, admitted, type DraftCampaign, type Section } from '../../core/agent/index.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { agentDocument as limits } from '../../core/limits.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, Query, Repertoire, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { activity, forgetDeeds, record } from './activity.js'
import { firstVersion, type ItemPlace, type Loaded, openDocuments, type Part, settled } from './document.js'
import { changedMeanwhile, etagOf, matches } from './etag.js'
import { type Asked, nameOf, type Person, type Resource, type Seen, type Wrote } from './resource.js'
import { agentResources } from './resources/index.js'
import { dropOrphans, keepSecrets, removeSecrets, type SealedChanges, secretsOf } from './secrets.js'
import { isList } from './sections.js'

export interface AskedOf extends AgentPlace {
  readonly resource: string
  readonly asked: Asked
}

export interface WriteOf extends AskedOf {
  readonly ifMatch: string
  readonly secrets?: SealedChanges
}

export interface Shown {
  readonly status: number
  readonly json?: unknown
  readonly etag: string
}

export interface AgentDocumentsOptions {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  /** A person of the agent, for whoever previews what one would be sent. Absent: the agent has none. */
  readonly personOf?: (reader: Reader, place: AgentPlace, personId: string) => Person | undefined
  /** Campaigns of the agent that are being drafted, since one may name a segment. Absent: the agent has none. */
  readonly draftCampaignsOf?: (reader: Reader, place: AgentPlace) => readonly DraftCampaign[]
  /** Where what `image:<id>` names is served; undefined for what is not kept. Absent: pictures have no address. */
  readonly pictureUrl?: (reader: Reader, place: AgentPlace, mediaId: string) => string | undefined
  /** Told of every change before it is kept, in its commit; what it refuses is not kept. */
  readonly follow?: (
    tx: Tx,
    place: AgentPlace,
    before: AgentDocument,
    after: AgentDocument,
    told: Told,
  ) => Refusal | undefined
}

const notFound = refuse('resource.not_found')

export function agentDocuments({ orgEvent, personOf, draftCampaignsOf, pictureUrl, follow }: AgentDocumentsOptions) {
  const documents = openDocuments()
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
      person: (personId) => personOf?.(reader, place, personId),
      draftCampaigns: () => draftCampaignsOf?.(reader, place) ?? [],
    }
  }

  const write: Command<WriteOf, Shown> = {
    name: 'agents.write',
    decide(tx, { orgId, agentId, resource, asked, ifMatch, secrets }, told) {
      const place = { orgId, agentId }
      const row = rowOf(resource)
      const before = documents.load(tx, place)
      if (!before) return notFound
      const etag = tagOf(row, before)
      if (!matches(ifMatch, etag)) return changedMeanwhile(etag)
      const { params, query, body, found, isShaped } = asked
      const at = isoOf(told.at)
      const wrote = row.write!(seenBy(tx, place, before), { params, query, body, found, isShaped, at })
      if (isRefusal(wrote)) return wrote
      // Settled first: a list that was sent whole is judged by what is different in it.
      const document = admitted(before.document, settled(before.document, wrote.document), before.index)
      if (isRefusal(document)) return document
      const stopped = follow?.(tx, place, before.document, document, told)
      if (stopped) return stopped
      const isTouched = secrets !== undefined && keepSecrets(tx, place, secrets)
      const touched = isTouched ? [secrets.section] : []
      const { loaded, changed } = documents.keep(tx, before, { document, about: wrote.about ?? {}, touched }, told)
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
      return shown(row, tx, place, loaded, { params, query, body, found, wrote })
    },
  }

  function tell(tx: Tx, { agent }: Loaded, changed: readonly string[], { by }: Told): void {
    const { orgId, id, name } = agent
    const data = { id, name, changed, ...(by && { by }) }
    tx.tell(orgId, orgEvent, { type: 'agent.updated', orgId, agentId: id, data })
  }

  function shown(
    row: Resource,
    reader: Reader,
    place: AgentPlace,
    loaded: Loaded,
    asked: Asked & { readonly wrote?: Wrote },
  ): Shown | Refusal {
    const json = row.view?.(seenBy(reader, place, loaded), asked)
    if (isRefusal(json)) return json
    const status = asked.wrote?.status ?? Number(Object.keys(row.reply)[0])
    return { status, ...(row.view && { json }), etag: tagOf(row, loaded) }
  }

  const view: Query<AskedOf, Shown> = {
    name: 'agents.view',
    read(reader, { orgId, agentId, resource, asked }) {
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
      if (name !== undefined && row.of !== 'all' && !isRefusal(is)) {
        if (views.size >= limits.heldViews) views.delete(views.keys().next().value!)
        views.set(name, is)
      }
      return is
    },
  }

  /** What of this comes and goes with the agent. */
  const part = {
    made(tx: Tx, { orgId, agentId }: AgentPlace, { at, by }: Told): void {
      record(tx, { orgId, agentId }, { version: firstVersion, at, action: 'POST /', changed: [], ...(by && { by }) })
    },
    holds(tx: Tx, place: AgentPlace, ifMatch: string): Refusal | undefined {
      const loaded = documents.load(tx, place, [])
      const etag = loaded && tagOf(rowOf('GET /'), loaded)
      return etag === undefined || matches(ifMatch, etag) ? undefined : changedMeanwhile(etag)
    },
    removed(tx: Tx, place: AgentPlace): void {
      documents.remove(tx, place)
      removeSecrets(tx, place)
      forgetDeeds(tx, place)
    },
  }

  const pictured = new WeakMap<AgentDocument, AgentDocument>()

  /** For those who show what the agent has: every media item says where it is served, which the document leaves open. */
  function load(reader: Reader, place: AgentPlace, sections?: readonly Section[]): Loaded | undefined {
    const loaded = documents.load(reader, place, sections)
    if (!loaded || !pictureUrl || loaded.document.media.length === 0) return loaded
    let document = pictured.get(loaded.document)
    if (!document) {
      const media = loaded.document.media.map((item) => {
        const url = pictureUrl(reader, place, item.id)
        return url === undefined ? item : { ...item, url }
      })
      document = { ...loaded.document, media }
      pictured.set(loaded.document, document)
    }
    return { ...loaded, document }
  }

  return { commands: { write }, queries: { view, activity }, part, load }
}
export type AgentDocuments = ReturnType<typeof agentDocuments>

export function documentRepertoire({ commands, queries }: AgentDocuments): Pick<Repertoire, 'commands' | 'queries'> {
  return { commands: Object.values(commands), queries: Object.values(queries) }
}

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

/** What a path names by its parameter is an item of the one list that the row is about. */
function itemOf({ of }: Resource, { params }: Asked): ItemPlace | undefined {
  const [section, ...others] = of === 'all' ? [] : of
  const [id] = Object.values(params)
  if (id === undefined || section === undefined || others.length > 0) return undefined
  return isSection(section) && isList(section) ? { section, id } : undefined
}

/** Paths of one resource are about the same parts, so a tag that one of them showed is good for the others. */
function tagOf({ of }: Resource, { agent, head }: Loaded): string {
  if (of === 'all') return etagOf(agent.serial, head.version)
  let newest = firstVersion
  for (const part of of) newest = Math.max(newest, head.parts[part] ?? firstVersion)
  return etagOf(agent.serial, newest)
}
