/** The one declaration of a route: matching, checking, limits, errors, documentation and access tests all read it. */
import type { Static, TObject, TSchema } from 'typebox'
import type { Access, AgentCaller, Grant, Member } from '../../core/access.js'
import type { ErrorCode, Refusal } from '../../core/errors.js'
import type { BudgetName } from '../../core/limits.js'
import type { AnswerBody, Connection } from './exchange.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Plane = 'mgmt' | 'gateway'

/** How a refusal is written: RFC-like problem details, `{ statusCode, message }`, or the gateway's `{ message }`. */
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

/** What a handler is given: everything checked, the caller known, the org its own. */
export interface Call<C, P, Q, B> {
  readonly caller: C
  readonly params: P
  readonly query: Q
  readonly body: B
  /** As it came, without a token. */
  readonly queryText: string
  readonly requestId: string
  readonly connection: Connection
  /** Only the head of the answer is wanted: whoever asks so does not mean anything to be done. */
  readonly isHead: boolean
  /** A request header that the route declared in `headers`; empty when absent. */
  header(name: string): string
}

/** What is known of a call before its body. */
export type BeforeCall = Pick<Call<unknown, Readonly<Record<string, string>>, unknown, unknown>, 'params' | 'header'>

/** A handler's answer: `json` for data, or `body` with its own content type. */
export interface Answer<R = unknown> {
  readonly status: number
  readonly json?: R
  /** The data is long and written in slices: in one piece it would hold the event loop. */
  readonly inSlices?: true
  readonly body?: AnswerBody
  /** How long a body is that comes piece by piece, where that is known: then its length is told. */
  readonly bodyBytes?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The very same answer is given again until it changes: here its text is kept. */
  readonly kept?: { text?: string }
}

/** One call of a route and its answer, for those who read about it. */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly status: number
  /** Absent: the answer says nothing. */
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
  /** Absent: the route takes no body, and one that comes is not looked at. */
  readonly body?: TSchema
  /** The handler checks the body, naming fields its own way; the schema then only documents it. */
  readonly bodyUnchecked?: true
  /** The handler refuses half of a character (a lone surrogate) itself, as narrowly as it can; elsewhere the whole body is refused. */
  readonly judgesCharacters?: true
  /** A body that may be left out altogether is then `undefined`. */
  readonly bodyOptional?: true
  /** Media types read besides JSON; such a body reaches the handler as bytes. With any of them, and no `body`, JSON does too. */
  readonly rawTypes?: readonly string[]
  /** JSON that is longer reaches the handler as bytes too: parsing it would hold the event loop. */
  readonly rawOverBytes?: number
  /** How deep JSON may be nested, where that is deeper than other bodies. */
  readonly bodyDepth?: number
  /** Whatever the query holds is left to the handler, as text. */
  readonly rawQuery?: true
  readonly bodyLimitBytes?: number
  /** Request headers the handler reads. */
  readonly headers?: readonly string[]
  /** Its successes carry an ETag. */
  readonly hasEtag?: true
  /** Success statuses with the schema of each; null for no content, a string for a media type that is not JSON. */
  readonly reply: Readonly<Record<number, TSchema | null | string>>
  /** Media types that a success may come in besides JSON. */
  readonly replyTypes?: readonly string[]
  /** Codes the handler itself may answer; those of the pipeline are understood. */
  readonly errors?: readonly ErrorCode[]
  /** The action under which a call that succeeded goes into the audit trail of the caller's org. */
  readonly audit?: string
  /** Counted for each API key. */
  readonly budget?: BudgetName
  /** Counted for each address, or network of one, that callers without a key come from. */
  readonly addressBudget?: BudgetName
  /** Asked before the body is awaited: a refusal is the answer, and the body is not read. */
  readonly before?: (call: BeforeCall) => Refusal | undefined | Promise<Refusal | undefined>
  readonly style?: ErrorStyle
  /** Status of a body or a query that cannot be read, where the contract says 400 instead of 422. */
  readonly malformedStatus?: 400
  /** Read when the documentation is, and not before. */
  readonly example?: () => RouteExample | undefined
  readonly handler: (call: Call<never, never, never, never>) => Promise<Answer | Refusal> | Answer | Refusal
}

type StaticOr<T, Otherwise> = T extends TSchema ? Static<T> : Otherwise
type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** Declares a route, its handler typed by its schemas, its path and its access. */
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
