/** One request on its way from the door to the reply, step by step in the one order there is. */
import { performance } from 'node:perf_hooks'
import type { Caller } from '../../core/access.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { having } from '../../core/having.js'
import { svcAgentPattern } from '../../core/ids.js'
import { http } from '../../core/limits.js'
import type { Buckets, Spent } from '../limits/contract.js'
import { limitHeaders } from '../limits/headers.js'
import type { Log } from '../observe/log.js'
import { StoreFailed } from '../store/contract.js'
import { authorise, confine, isMeantFor, mayElse, notFound, unauthenticated } from './admit.js'
import type { Audit } from './audit.js'
import type { Batch, Batched } from './batch.js'
import type { Incoming, Receiver, Reply } from './exchange.js'
import { readInput, takesParams } from './input.js'
import type { Found } from './match.js'
import type { Ready } from './ready.js'
import { answered, refused } from './reply.js'
import type { Answer, Call, Route } from './route.js'

const tooLarge = refuse('request.too_large')

type Outcome = Answer | Refusal

/**
 * Resolves a token to its caller. Undefined for a token that is missing, wrong, expired or revoked: callers cannot tell
 * these apart. A refusal when the token cannot be checked at present, which says nothing about the token.
 */
export type Authenticate = (token: string) => Caller | undefined | Promise<Caller | undefined | Refusal>

/** What the requests of one plane share. */
export interface PlaneContext {
  readonly authenticate: Authenticate
  /** The gateway also takes its token from this query parameter, where it wins over the header. */
  readonly tokenParameter?: string
  readonly buckets: Buckets
  /** Absent on a plane whose calls are not audited. */
  readonly audit?: Audit
  readonly log: Log
}

/**
 * What is at hand is used in the same turn, and only what is not is waited for. It is a class for speed alone: one
 * object a call instead of a handful of closures.
 */
export class Trip implements Receiver, Batched {
  private readonly entry: Ready
  readonly params: Readonly<Record<string, string>>
  private readonly began = performance.now()
  caller: Caller | undefined
  private spent: Spent | undefined
  /** Why the caller may not, unless the body is one for which less is asked. */
  private denied: Refusal | undefined
  private contentType = ''
  private query = ''
  private svcAgent = ''
  private token = ''
  private oversized = false
  private isAdmitted = false
  private isWaiting = false
  private header = noHeader
  private bytes: Buffer | undefined
  /** A reply that waits for its batch to be decided; once it has been, replies go out as they come. */
  private held: Reply | undefined
  private isHolding = false

  constructor(
    private readonly front: PlaneContext,
    private readonly batch: Batch,
    private readonly found: Found<Ready>,
    private readonly incoming: Incoming,
    readonly requestId: string,
    private readonly cors: Reply['cors'],
  ) {
    this.entry = found.entry
    this.params = found.params
  }

  /** Takes everything that the socket will not keep; who is calling is asked at the end of this turn. */
  depart(): void {
    const { front, entry, incoming } = this
    const { route } = entry
    this.oversized = Number(incoming.header('content-length')) > entry.limitBytes
    this.query = ownQuery(front, incoming.query)
    this.svcAgent = incoming.header('x-svc-agent')
    if (route.headers) this.header = headersOf(route.headers, incoming)
    if (route.access.who !== 'public') this.token = tokenOf(front, incoming)
    if (entry.readsBody) {
      this.contentType = incoming.header('content-type')
      this.isWaiting = true
      if (!this.oversized) incoming.body(entry.limitBytes, this)
    }
    this.batch.add(this)
  }

  receive(bytes: Buffer | undefined): void {
    this.isWaiting = false
    this.bytes = bytes
    if (this.isAdmitted) this.batch.add(this)
  }

  decide(): void {
    this.isHolding = true
    try {
      if (this.isAdmitted) this.proceed()
      else this.authenticate()
    } catch (error) {
      this.fail(error)
    }
    this.isHolding = false
  }

  answer(): void {
    if (this.held) this.incoming.respond(this.held)
  }

  private authenticate(): void {
    const { front, entry, token } = this
    if (entry.route.access.who === 'public') return this.admit(undefined)
    const known = token === '' ? undefined : front.authenticate(token)
    if (!(known instanceof Promise)) return this.admit(known)
    known
      .then((found) => (isRefusal(found) ? this.finish(found) : this.admit(found)))
      .catch((error) => this.fail(error))
  }

  private admit(caller: Caller | undefined): void {
    const { entry, params, svcAgent } = this
    const { access } = entry.route
    if (access.who !== 'public') {
      const stopped = caller ? confine(access, caller, params) : unauthenticated
      if (stopped || !caller) return this.finish(stopped ?? unauthenticated)
      this.caller = svcAgent !== '' && svcAgentPattern.test(svcAgent) ? having(caller, { svcAgent }) : caller
    }
    this.authorise()
  }

  /** Goes on once the whole body is there; only a caller who was let in, and whose budget allows it, is waited for. */
  private proceed(): void {
    if (this.isWaiting) return
    if (this.entry.readsBody && !this.bytes) this.finish(tooLarge)
    else this.run()
  }

  private authorise(): void {
    const { caller, front, entry } = this
    const { access, budget, addressBudget } = entry.route
    const denied = caller && authorise(access, caller)
    if (denied && !mayElse(access, caller)) return this.finish(denied)
    this.denied = denied
    const spending =
      budget && caller?.kind === 'key'
        ? front.buckets.spend(budget, caller.id)
        : addressBudget && front.buckets.spend(addressBudget, this.incoming.remoteAddress())
    if (!spending) this.ask()
    else if (spending instanceof Promise) spending.then((spent) => this.spend(spent)).catch((error) => this.fail(error))
    else this.spend(spending)
  }

  private spend(spent: Spent): void {
    this.spent = spent
    if (spent.allowed) this.ask()
    else this.finish(refuse('request.rate_limited'))
  }

  /** What the route can say before it has the body. */
  private ask(): void {
    const { entry, found, params, header } = this
    const { before } = entry.route
    if (!before) return this.awaitBody()
    found.valid ??= takesParams(entry, params)
    const stopped = found.valid ? before({ params, header }) : notFound
    if (!(stopped instanceof Promise)) return this.awaitBody(stopped)
    stopped.then((refusal) => this.awaitBody(refusal)).catch((error) => this.fail(error))
  }

  private awaitBody(stopped?: Refusal): void {
    if (stopped) return this.finish(stopped)
    if (this.oversized) return this.finish(tooLarge)
    this.isAdmitted = true
    this.proceed()
  }

  private run(): void {
    const { entry, found, params, caller, incoming: connection, requestId, header } = this
    found.valid ??= takesParams(entry, params)
    if (!found.valid) return this.finish(notFound)
    const input = readInput(entry, this.query, this.bytes, this.contentType)
    if (isRefusal(input)) return this.finish(this.denied ?? input)
    const { query, body } = input
    if (this.denied && !isMeantFor(entry.route.access, body)) return this.finish(this.denied)
    const isHead = connection.method === 'HEAD'
    const call = { caller, params, query, body, queryText: this.query, requestId, connection, header, isHead }
    const answer = entry.route.handler(call as unknown as Call<never, never, never, never>)
    if (!(answer instanceof Promise)) return this.finish(answer)
    answer.then((outcome) => this.finish(outcome)).catch((error) => this.fail(error))
  }

  /** What the audit trail is told is durable before the caller is answered. */
  private finish(outcome: Outcome): void {
    const noting = this.front.audit && this.noted(outcome)
    if (noting) noting.then(() => this.conclude(outcome)).catch((error) => this.fail(error))
    else this.conclude(outcome)
  }

  private noted(outcome: Outcome): Promise<void> | undefined {
    const { front, entry, incoming } = this
    if (isRefusal(outcome)) {
      return outcome.refused.startsWith('auth.') ? front.audit!.refused(outcome.refused, this) : undefined
    }
    const { audit } = entry.route
    if (audit === undefined || incoming.method === 'HEAD') return undefined
    return front.audit!.done(audit, this, idOf(outcome))
  }

  private conclude(outcome: Outcome): void {
    const { entry, requestId, cors, spent, caller } = this
    const told = spent ? withHeaders(outcome, limitHeaders(spent)) : outcome
    if (caller?.svcAgent) attribute(this.front, entry.route, caller, requestId, told)
    this.reply(isRefusal(told) ? refused(told, entry.style, requestId, cors) : answered(told, entry, requestId, cors))
  }

  private fail(error: unknown): void {
    const { front, entry, requestId, cors } = this
    this.reply(refused(refusalOfError(front, entry.route, requestId, error), entry.style, requestId, cors))
  }

  private reply(reply: Reply): void {
    this.entry.meter.observe(reply.status, (performance.now() - this.began) / 1000)
    if (this.isHolding) this.held = reply
    else this.incoming.respond(reply)
  }
}

/** The id of what a call has made. */
function idOf({ json }: Answer): string | undefined {
  const id = (json as { id?: unknown } | undefined)?.id
  return typeof id === 'string' ? id : undefined
}

/** What an automated caller did stays on record under the name it gave. */
function attribute(
  front: PlaneContext,
  route: Route,
  caller: Caller,
  requestId: string,
  answer: Answer | Refusal,
): void {
  const { id, orgId, svcAgent } = caller
  const outcome = isRefusal(answer) ? answer.refused : answer.status
  front.log.info('http.attributed', {
    requestId,
    svcAgent,
    orgId,
    caller: id,
    method: route.method,
    path: route.path,
    outcome,
  })
}

function withHeaders<T extends Outcome>(outcome: T, headers: Record<string, string>): T {
  return having(outcome, { headers: { ...outcome.headers, ...headers } })
}

function tokenOf(front: PlaneContext, incoming: Incoming): string {
  const named = front.tokenParameter && new URLSearchParams(incoming.query).get(front.tokenParameter)
  const token = named || bearerOf(incoming.header('authorization'))
  return token.length > http.tokenChars ? '' : token
}

function headersOf(names: readonly string[], incoming: Incoming): (name: string) => string {
  const taken = names.map((name) => incoming.header(name))
  return (name) => taken[names.indexOf(name)] ?? ''
}

const noHeader = (_name: string): string => ''

function bearerOf(header: string): string {
  if (header.startsWith('Bearer ')) return header.slice(7)
  return /^bearer +(\S+)$/i.exec(header)?.[1] ?? ''
}

/** The query without the token, which no schema names and no log may see. */
function ownQuery(front: PlaneContext, query: string): string {
  if (!front.tokenParameter || !query.includes(front.tokenParameter)) return query
  const parameters = new URLSearchParams(query)
  parameters.delete(front.tokenParameter)
  return parameters.toString()
}

function refusalOfError(front: PlaneContext, route: Route, requestId: string, error: unknown): Refusal {
  front.log.error('http.failed', { requestId, method: route.method, path: route.path, error })
  if (error instanceof StoreFailed) {
    return refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } })
  }
  return refuse('service.failed', { detail: `Request ${requestId}` })
}
