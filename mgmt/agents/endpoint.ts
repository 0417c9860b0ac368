/**
 * A route of an agent's document as a row: what it reads, how a change becomes a candidate document, and what is shown
 * of the document after it.
 */
import type { TObject, TSchema } from 'typebox'
import type { Access, Member } from '../../core/access.js'
import type { AgentDocument, DraftCampaign, Geocoded, IndexLoader, Outcome, Section } from '../../core/agent/index.js'
import type { ConnectionState } from '../../core/connections/status.js'
import { type ErrorCode, isRefusal, type Refusal } from '../../core/errors.js'
import type { PageRequest } from '../../core/paging.js'
import type { Steps } from '../../core/steps.js'
import type { Method } from '../../runtime/http/route.js'
import type { Part } from './documentcache.js'
import type { SealedSecret, SecretSection, UnsealedSecrets } from './secrets.js'
import type { AgentRecord } from './store.js'

export interface EndpointRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** The body was long, and its shape was judged where it was read. */
  readonly isShaped?: true
  /** What was looked up before the command was asked. */
  readonly lookup?: unknown
  /** Of a list that is read page by page; absent: the whole list. */
  readonly page?: PageRequest
}

/** What can be found out before a command is asked, since a command waits for nobody. */
export interface EndpointLookups {
  /** What another row shows of the document as it is now. */
  view(endpoint: string, request: EndpointRequest): Promise<unknown>
  /** How those connections of the agent's org stand, by id; one that the org does not know is left out. */
  connections(ids: readonly string[]): Promise<Connections | Refusal>
  /** The addresses that were looked up, with what each came to. Absent: there is no geocoder. */
  geocode?(addresses: readonly string[]): Promise<Places>
}

export type Connections = ReadonlyMap<string, ConnectionState>

export type Places = readonly (readonly [address: string, found: Geocoded])[]

export type Person = Readonly<Record<string, unknown>> & { readonly customFields?: Readonly<Record<string, string>> }

/** The agent as a row sees it. */
export interface ReadContext {
  readonly agent: AgentRecord
  readonly document: AgentDocument
  /** For writes alone: a write that comes after may change what it found. */
  readonly index: IndexLoader
  secrets(section: SecretSection, item?: string): ReadonlyMap<string, SealedSecret>
  person(personId: string): Person | undefined
  /** The document in which every media item says where it is served, which the kept one leaves open. */
  withMediaUrls(): AgentDocument
  draftCampaigns(): readonly DraftCampaign[]
}

export type WriteOutcome = WriteResult | Refusal

export interface WriteResult {
  readonly document: AgentDocument
  readonly agentFields?: { readonly name?: string; readonly description?: string | null }
  /** Id of what was made. */
  readonly id?: string
  /** Where a route has two successes. */
  readonly status?: number
  /** For the view alone. */
  readonly viewExtra?: Readonly<Record<string, unknown>>
}

/** Secrets taken out of a body before it travels, and the body without them. */
export interface SplitSecrets extends UnsealedSecrets {
  readonly body: unknown
}

export interface Endpoint {
  /** No route of its own: it is asked within the command of another area, or on the way to another row. */
  readonly isInternal?: true
  readonly method: Method
  /** Below the agent. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly access: Access
  /** The parts it is about: their versions make its ETag, and a read loads nothing else but what it `needs`. */
  readonly sections: readonly Part[] | 'all'
  readonly needs?: readonly Section[]
  readonly params?: TObject
  readonly query?: TObject
  /** The view is a list that is whole unless `limit` or `pageToken` ask for a page of it. */
  readonly isPaged?: true
  readonly body?: TSchema
  /** What paths into the body begin with, where the contract gives it a name. */
  readonly bodyAt?: string
  /** Leaves out of a body what does not count, before its shape is looked at. */
  readonly read?: (body: unknown) => unknown
  /** The HTTP front checks the body by its schema, and not we. */
  readonly isCheckedBefore?: true
  readonly bodyLimitBytes?: number
  readonly bodyDepth?: number
  /** The body may be long, and is judged as such where it is read. */
  readonly long?: 'list' | 'things' | 'import'
  /** The body may be YAML; or what is shown is, unless JSON is asked for. */
  readonly yaml?: 'body' | 'reply'
  readonly reply: Readonly<Record<number, TSchema | null>>
  readonly errors?: readonly ErrorCode[]
  /** Judges what the caller may send beyond the row's access, by a body that has its shape. */
  readonly permit?: (caller: Member, request: EndpointRequest) => Refusal | undefined
  /** What of the view that caller may see; the view itself where nothing is left out. */
  readonly visibleTo?: (caller: Member, view: unknown) => unknown
  /** Runs before the command, on a body that has its shape; whatever it refuses, `write` would refuse too. */
  readonly splitSecrets?: (request: EndpointRequest) => SplitSecrets | Refusal
  /** Runs before the command too; a refusal of it ends the call. */
  readonly lookUp?: (request: EndpointRequest, lookups: EndpointLookups) => Promise<unknown>
  readonly write?: (
    context: ReadContext,
    request: EndpointRequest & { readonly at: string },
  ) => WriteOutcome | Steps<WriteOutcome>
  /** Absent: nothing is shown. */
  readonly view?: (context: ReadContext, request: EndpointRequest & { readonly result?: WriteResult }) => unknown
  /** In place of `view`, for what takes long: it is made of the document alone. */
  readonly viewInSteps?: (context: Pick<ReadContext, 'document'>, request: EndpointRequest) => Steps<unknown>
  /** The view may change while the parts of the row do not: the ETag is for If-Match, and If-None-Match is not answered. */
  readonly isBeyondTag?: true
  /** Adds to a view what other shards know; it may change without the document, so the ETag does not speak for it. */
  readonly complete?: (view: unknown, lookups: Pick<EndpointLookups, 'connections'>) => Promise<unknown>
}

export function endpointNameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path || '/'}`
}

/** For rows whose change is a function of the document and what was asked. */
export function updates(
  change: (
    document: AgentDocument,
    request: EndpointRequest & { readonly at: string },
    context: ReadContext,
  ) => Outcome,
): Endpoint['write'] {
  return (context, request) => toWriteOutcome(change(context.document, request, context))
}

/** For rows whose body may be long. */
export function updatesInSteps(
  change: (
    document: AgentDocument,
    request: EndpointRequest & { readonly at: string },
    context: ReadContext,
  ) => Steps<Outcome>,
): Endpoint['write'] {
  return function* (context, request) {
    return toWriteOutcome(yield* change(context.document, request, context))
  }
}

function toWriteOutcome(document: Outcome): WriteOutcome {
  return isRefusal(document) ? document : { document }
}
