/** The declaration of a route: matching, validation, limits, errors, documentation and access tests follow from it. */
import type { Static, TObject, TSchema } from 'typebox'
import type { Access, AgentCaller, Grant, Member } from '../../core/access.js'
import type { ErrorCode, Refusal } from '../../core/errors.js'
import type { BudgetName } from '../../core/limits/index.js'
import type { AnswerBody, Connection } from './exchange.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Plane = 'mgmt' | 'gateway'

/** The body of a refusal: problem details (RFC 9457), `{ statusCode, message }`, or the gateway's `{ message }`. */
export type ErrorStyle = 'problem' | 'classic' | 'gateway'

export type CallerOf<A extends Access> = A extends { who: 'public' }
  ? undefined
  : A extends { who: 'emulator' }
    ? Grant
    : A extends { who: 'agent' }
      ? AgentCaller
      : A extends { grant: true }
        ? Member | Grant
        : Member

/** The validated call that a handler gets: the caller is authorized, and the org is the caller's own. */
export interface Call<C, P, Q, B> {
  readonly caller: C
  readonly params: P
  readonly query: Q
  readonly body: B
  /** The query as it was sent, without the token. */
  readonly queryText: string
  readonly requestId: string
  readonly connection: Connection
  /** A HEAD request: the caller wants the head of the answer and no effect. */
  readonly isHead: boolean
  /** A request header that the route declares in `headers`; empty when absent. */
  header(name: string): string
}

/** A call before its body. */
export type PrecheckCall = Pick<Call<unknown, Readonly<Record<string, string>>, unknown, unknown>, 'params' | 'header'>

/** A handler's answer: `json` for data, or `body` with its own content type. */
export interface Answer<R = unknown> {
  readonly status: number
  readonly json?: R
  /** Writes long data in slices, because one piece would block the event loop. */
  readonly inSlices?: true
  readonly body?: AnswerBody
  /** The length of a streamed body, where it is known: the reply then declares it. */
  readonly bodyBytes?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Caches the text of an answer that is the same for many calls. */
  readonly cachedText?: { text?: string }
}

/** An example of a call of a route and its answer, for the documentation. */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly status: number
  /** Absent: the answer has no body. */
  readonly reply?: unknown
}

export interface Route {
  readonly plane: Plane
  readonly method: Method
  /** Below the plane's version prefix, parameters in braces: `/orgs/{org}/api-keys/{keyId}`. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly access: Access
  readonly params?: TObject
  readonly query?: TObject
  /** Absent: the route takes no body, and ignores one that is sent. */
  readonly body?: TSchema
  /** The handler validates the body, and the schema only documents it. */
  readonly bodyUnchecked?: true
  /**
   * The handler itself refuses a lone surrogate or NUL, in the field that holds it. Otherwise the whole body is
   * refused.
   */
  readonly checksCharacters?: true
  /** The body may be left out, and is `undefined` then. */
  readonly bodyOptional?: true
  /** Media types besides JSON; such a body reaches the handler as bytes, and so does JSON where there is no `body`. */
  readonly rawTypes?: readonly string[]
  /** Longer JSON reaches the handler as bytes too, because parsing it would block the event loop. */
  readonly rawOverBytes?: number
  /** The nesting that JSON may have, where that is more than for other bodies. */
  readonly bodyDepth?: number
  /** The handler reads the query itself, as text. */
  readonly rawQuery?: true
  readonly bodyLimitBytes?: number
  /** Request headers the handler reads. */
  readonly headers?: readonly string[]
  /** Successful answers have an ETag. */
  readonly hasEtag?: true
  /** The schema of each success status; null for no content, a string for a media type that is not JSON. */
  readonly reply: Readonly<Record<number, TSchema | null | string>>
  /** Media types of successful answers besides JSON. */
  readonly replyTypes?: readonly string[]
  /** Error codes of the handler; those of the pipeline need not be listed. */
  readonly errors?: readonly ErrorCode[]
  /** The action under which the audit trail of the caller's org records a successful call. */
  readonly audit?: string
  /** The rate limit of each API key. */
  readonly budget?: BudgetName
  /** The rate limit of each address, or IPv6 network, of callers without a key. */
  readonly addressBudget?: BudgetName
  /** Called before the body is awaited: a refusal is the answer, and the body is not read. */
  readonly precheck?: (call: PrecheckCall) => Refusal | undefined | Promise<Refusal | undefined>
  readonly style?: ErrorStyle
  /** The status for a body or query that cannot be read, where the contract says 400 instead of 422. */
  readonly malformedStatus?: 400
  /** Called when the documentation is written. */
  readonly example?: () => RouteExample | undefined
  readonly handler: (call: Call<never, never, never, never>) => Promise<Answer | Refusal> | Answer | Refusal
}

type StaticOr<T, Otherwise> = T extends TSchema ? Static<T> : Otherwise
type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** Declares a route. Its schemas, path and access give the types of its handler. */
export function route<
  const A extends Access,
  const Path extends string,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  declared: Omit<Route, 'access' | 'path' | 'query' | 'body' | 'handler'> & {
    access: A
    path: Path
    query?: Q
    body?: B
    handler: (
      call: Call<
        CallerOf<A>,
        Readonly<Record<ParamNames<Path>, string>>,
        Readonly<StaticOr<Q, Record<string, never>>>,
        StaticOr<B, undefined>
      >,
    ) => Promise<Answer | Refusal> | Answer | Refusal
  },
): Route {
  return declared as unknown as Route
}

export function json<R>(status: number, body: R, headers?: Record<string, string>): Answer<R> {
  return headers ? { status, json: body, headers } : { status, json: body }
}

export const noContent: Answer = { status: 204 }
