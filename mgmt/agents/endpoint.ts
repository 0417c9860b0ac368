/**
 * A route of an agent's document as a value: what it reads, how a change becomes a candidate document, and its view of
 * the document after the change.
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
  /** The body was long, and its shape was checked where it was parsed. */
  readonly isShaped?: true
  /** The result of `lookUp`, which ran before the command. */
  readonly lookup?: unknown
  /** A page of the list; absent: the whole list. */
  readonly page?: PageRequest
}

/** Lookups that run before a command, since a command cannot wait. */
export interface EndpointLookups {
  /** Another endpoint's view of the current document. */
  view(endpoint: string, request: EndpointRequest): Promise<unknown>
  /** The status of these connections of the agent's org, by id; an id that the org does not know is left out. */
  connections(ids: readonly string[]): Promise<Connections | Refusal>
  /** The result for each address. Absent: there is no geocoder. */
  geocode?(addresses: readonly string[]): Promise<GeocodedAddresses>
}

export type Connections = ReadonlyMap<string, ConnectionState>

export type GeocodedAddresses = readonly (readonly [address: string, found: Geocoded])[]

export type Person = Readonly<Record<string, unknown>> & { readonly customFields?: Readonly<Record<string, string>> }

/** The agent as an endpoint reads it. */
export interface ReadContext {
  readonly agent: AgentRecord
  readonly document: AgentDocument
  /** For writes only: a later write may change the index. */
  readonly index: IndexLoader
  secrets(section: SecretSection, item?: string): ReadonlyMap<string, SealedSecret>
  person(personId: string): Person | undefined
  /** The document with the URL of every media item, which is not stored in it. */
  withMediaUrls(): AgentDocument
  draftCampaigns(): readonly DraftCampaign[]
  /** Whether the agent answers by itself, for want of a webhook. */
  isManaged(): boolean
}

export type WriteOutcome = WriteResult | Refusal

export interface WriteResult {
  readonly document: AgentDocument
  readonly agentFields?: { readonly name?: string; readonly description?: string | null }
  /** Id of the created item. */
  readonly id?: string
  /** Of a route with two success statuses. */
  readonly status?: number
  /** Input of the view only; not stored. */
  readonly viewExtra?: Readonly<Record<string, unknown>>
}

/** Secrets taken out of a body before the command, and the body without them. */
export interface SplitSecrets extends UnsealedSecrets {
  readonly body: unknown
}

export interface Endpoint {
  /** Has no route: another area's command, or another endpoint, calls it. */
  readonly isInternal?: true
  readonly method: Method
  /** Path below the agent. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly access: Access
  /** The parts of the resource: their versions make its ETag, and a read loads only these and `needs`. */
  readonly sections: readonly Part[] | 'all'
  readonly needs?: readonly Section[]
  readonly params?: TObject
  readonly query?: TObject
  /** The view is a list, shown whole unless `limit` or `pageToken` ask for a page. */
  readonly isPaged?: true
  readonly body?: TSchema
  /** Prefix of paths into the body, where the contract names one. */
  readonly bodyAt?: string
  /** Removes ignored members from a body before its shape is checked. */
  readonly read?: (body: unknown) => unknown
  /** The HTTP front checks the body by its schema, so the endpoint does not. */
  readonly isCheckedBefore?: true
  readonly bodyLimitBytes?: number
  readonly bodyDepth?: number
  /** The body may be long; its shape is checked where it is parsed. */
  readonly longBody?: 'list' | 'things' | 'import'
  /** The body may be YAML; or the reply is YAML unless the caller asks for JSON. */
  readonly yaml?: 'body' | 'reply'
  readonly reply: Readonly<Record<number, TSchema | null>>
  readonly errors?: readonly ErrorCode[]
  /** Authorizes what the caller sends beyond the endpoint's access; the body has passed the shape check. */
  readonly permit?: (caller: Member, request: EndpointRequest) => Refusal | undefined
  /** The part of the view that the caller may see; the same object where nothing is hidden. */
  readonly visibleTo?: (caller: Member, view: unknown) => unknown
  /** Runs before the command, on a body that passed the shape check; `write` must refuse all that this refuses. */
  readonly splitSecrets?: (request: EndpointRequest) => SplitSecrets | Refusal
  /** Runs before the command too; its refusal ends the call. */
  readonly lookUp?: (request: EndpointRequest, lookups: EndpointLookups) => Promise<unknown>
  readonly write?: (
    context: ReadContext,
    request: EndpointRequest & { readonly at: string },
  ) => WriteOutcome | Steps<WriteOutcome>
  /** Absent: the reply has no body. */
  readonly view?: (context: ReadContext, request: EndpointRequest & { readonly result?: WriteResult }) => unknown
  /** In place of `view` for long work; after its first step it reads nothing but the document. */
  readonly viewInSteps?: (
    context: Pick<ReadContext, 'document' | 'isManaged'>,
    request: EndpointRequest,
  ) => Steps<unknown>
  /** The view may change while its parts do not: the ETag serves If-Match, and If-None-Match is ignored. */
  readonly viewExceedsTag?: true
  /** Adds data of other shards to a view; it may change without the document, so the ETag does not cover it. */
  readonly complete?: (view: unknown, lookups: Pick<EndpointLookups, 'connections'>) => Promise<unknown>
}

export function endpointNameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path || '/'}`
}

/** For endpoints whose change is a function of document and request. */
export function updates(
  change: (
    document: AgentDocument,
    request: EndpointRequest & { readonly at: string },
    context: ReadContext,
  ) => Outcome,
): Endpoint['write'] {
  return (context, request) => toWriteOutcome(change(context.document, request, context))
}

/** For endpoints whose body may be long. */
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
