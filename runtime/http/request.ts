/** One request of a plane, from its head to its reply: the steps of the pipeline in the one order that they have. */
import { performance } from 'node:perf_hooks'
import type { Caller } from '../../core/access.js'
import { isRefusal, type Refusal, refuse, unavailable } from '../../core/errors.js'
import { svcAgentPattern } from '../../core/ids.js'
import { http } from '../../core/limits/index.js'
import type { Log } from '../observe/log.js'
import type { Buckets, SpendResult } from '../ratelimit/contract.js'
import { rateLimitHeaders } from '../ratelimit/headers.js'
import { StoreFailed } from '../store/contract.js'
import type { Audit } from './audit.js'
import { alternativeApplies, authorize, checkTenant, hasAlternative, notFound, unauthenticated } from './authorize.js'
import type { Batch, BatchedRequest } from './batch.js'
import type { CompiledRoute } from './compiledroute.js'
import type { Incoming, Receiver, Reply } from './exchange.js'
import { hasValidParams, readInput } from './input.js'
import type { RouteMatch } from './matcher.js'
import { answerReply, refusalReply } from './reply.js'
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
 * A step whose result is known continues with the next step in the same turn; a step that returns a promise continues
 * when that settles. The steps are methods of one object, because a closure for each would cost every request a handful
 * of allocations.
 */
export class PipelineRequest implements Receiver, BatchedRequest {
  private readonly compiled: CompiledRoute
  readonly params: Readonly<Record<string, string>>
  private readonly startedAt = performance.now()
  caller: Caller | undefined
  private spendResult: SpendResult | undefined
  /** The refusal of a caller whom only the alternative access of the route may admit, which depends on the body. */
  private denied: Refusal | undefined
  private contentType = ''
  private query = ''
  private svcAgent = ''
  private token = ''
  private isOversized = false
  /** The caller is authorized and within its budget, so the handler runs once the body is there. */
  private isAdmitted = false
  private awaitsBody = false
  private header = noHeader
  private bytes: Buffer | undefined
  /** The reply, if it is known while the batch is decided: the batch sends the replies together. */
  private deferredReply: Reply | undefined
  private isDeciding = false

  constructor(
    private readonly context: PlaneContext,
    private readonly batch: Batch,
    private readonly match: RouteMatch<CompiledRoute>,
    private readonly incoming: Incoming,
    readonly requestId: string,
    private readonly cors: Reply['cors'],
  ) {
    this.compiled = match.entry
    this.params = match.params
  }

  /** Copies the head, since the socket drops it after this turn. Authentication waits for the batch. */
  start(): void {
    const { context, compiled, incoming } = this
    const { route } = compiled
    this.isOversized = Number(incoming.header('content-length')) > compiled.limitBytes
    this.query = queryWithoutToken(context, incoming.query)
    this.svcAgent = incoming.header('x-svc-agent')
    if (route.headers) this.header = headersOf(route.headers, incoming)
    if (route.access.who !== 'public') this.token = tokenOf(context, incoming)
    if (compiled.readsBody) {
      this.contentType = incoming.header('content-type')
      this.awaitsBody = true
      if (!this.isOversized) incoming.body(compiled.limitBytes, this)
    }
    this.batch.add(this)
  }

  receive(bytes: Buffer | undefined): void {
    this.awaitsBody = false
    this.bytes = bytes
    if (this.isAdmitted) this.batch.add(this)
  }

  decide(): void {
    this.isDeciding = true
    try {
      if (this.isAdmitted) this.runWithBody()
      else this.authenticate()
    } catch (error) {
      this.fail(error)
    }
    this.isDeciding = false
  }

  answer(): void {
    if (this.deferredReply) this.incoming.respond(this.deferredReply)
  }

  private authenticate(): void {
    const { context, compiled, token } = this
    if (compiled.route.access.who === 'public') return this.identify(undefined)
    const caller = token === '' ? undefined : context.authenticate(token)
    if (!(caller instanceof Promise)) return this.identify(caller)
    caller
      .then((result) => (isRefusal(result) ? this.finish(result) : this.identify(result)))
      .catch((error) => this.fail(error))
  }

  private identify(caller: Caller | undefined): void {
    const { compiled, params, svcAgent } = this
    const { access } = compiled.route
    if (access.who !== 'public') {
      const refusal = caller ? checkTenant(access, caller, params) : unauthenticated
      if (refusal || !caller) return this.finish(refusal ?? unauthenticated)
      this.caller = svcAgent !== '' && svcAgentPattern.test(svcAgent) ? { ...caller, svcAgent } : caller
    }
    this.authorize()
  }

  private authorize(): void {
    const { caller, context, compiled } = this
    const { access, budget, addressBudget } = compiled.route
    const denied = caller && authorize(access, caller)
    if (denied && !hasAlternative(access, caller)) return this.finish(denied)
    this.denied = denied
    const pendingSpend =
      budget && caller?.kind === 'key'
        ? context.buckets.spend(budget, caller.id)
        : addressBudget && context.buckets.spend(addressBudget, this.incoming.remoteAddress())
    if (!pendingSpend) this.runPrecheck()
    else if (pendingSpend instanceof Promise)
      pendingSpend.then((spendResult) => this.applySpendResult(spendResult)).catch((error) => this.fail(error))
    else this.applySpendResult(pendingSpend)
  }

  private applySpendResult(spendResult: SpendResult): void {
    this.spendResult = spendResult
    if (spendResult.allowed) this.runPrecheck()
    else this.finish(refuse('request.rate_limited'))
  }

  /** Lets the route refuse the call before its body is awaited. */
  private runPrecheck(): void {
    const { compiled, match, params, header } = this
    const { precheck } = compiled.route
    if (!precheck) return this.admit()
    match.paramsValid ??= hasValidParams(compiled, params)
    const refusal = match.paramsValid ? precheck({ params, header }) : notFound
    if (!(refusal instanceof Promise)) return this.admit(refusal)
    refusal.then((refused) => this.admit(refused)).catch((error) => this.fail(error))
  }

  private admit(refusal?: Refusal): void {
    if (refusal) return this.finish(refusal)
    if (this.isOversized) return this.finish(tooLarge)
    this.isAdmitted = true
    this.runWithBody()
  }

  /** Runs the handler once the whole body is there; `receive` adds the request to a batch again when it is. */
  private runWithBody(): void {
    if (this.awaitsBody) return
    if (this.compiled.readsBody && !this.bytes) this.finish(tooLarge)
    else this.run()
  }

  private run(): void {
    const { compiled, match, params, caller, incoming: connection, requestId, header } = this
    match.paramsValid ??= hasValidParams(compiled, params)
    if (!match.paramsValid) return this.finish(notFound)
    const input = readInput(compiled, this.query, this.bytes, this.contentType)
    if (isRefusal(input)) return this.finish(this.denied ?? input)
    const { query, body } = input
    if (this.denied && !alternativeApplies(compiled.route.access, body)) return this.finish(this.denied)
    const isHead = connection.method === 'HEAD'
    const call = { caller, params, query, body, queryText: this.query, requestId, connection, header, isHead }
    const answer = compiled.route.handler(call as unknown as Call<never, never, never, never>)
    if (!(answer instanceof Promise)) return this.finish(answer)
    answer.then((outcome) => this.finish(outcome)).catch((error) => this.fail(error))
  }

  /** Replies once the audit entry of the call is durable. */
  private finish(outcome: Outcome): void {
    const pendingAudit = this.context.audit && this.audit(outcome)
    if (pendingAudit) pendingAudit.then(() => this.replyWith(outcome)).catch((error) => this.fail(error))
    else this.replyWith(outcome)
  }

  private audit(outcome: Outcome): Promise<void> | undefined {
    const { context, compiled, incoming } = this
    if (isRefusal(outcome)) {
      return outcome.refused.startsWith('auth.') ? context.audit!.recordRefusal(outcome.refused, this) : undefined
    }
    const { audit } = compiled.route
    if (audit === undefined || incoming.method === 'HEAD') return undefined
    return context.audit!.recordAction(audit, this, createdId(outcome))
  }

  private replyWith(outcome: Outcome): void {
    const { compiled, requestId, cors, spendResult, caller } = this
    const outcomeWithHeaders = spendResult ? withHeaders(outcome, rateLimitHeaders(spendResult)) : outcome
    if (caller?.svcAgent) logSvcAgent(this.context, compiled.route, caller, requestId, outcomeWithHeaders)
    this.send(
      isRefusal(outcomeWithHeaders)
        ? refusalReply(outcomeWithHeaders, compiled.style, requestId, cors)
        : answerReply(outcomeWithHeaders, compiled, requestId, cors),
    )
  }

  private fail(error: unknown): void {
    const { context, compiled, requestId, cors } = this
    const refusal = refusalOfError(context, compiled.route, requestId, error)
    this.send(refusalReply(refusal, compiled.style, requestId, cors))
  }

  private send(reply: Reply): void {
    this.compiled.meter.observe(reply.status, (performance.now() - this.startedAt) / 1000)
    if (this.isDeciding) this.deferredReply = reply
    else this.incoming.respond(reply)
  }
}

/** The id of the resource that a call created. */
function createdId({ json }: Answer): string | undefined {
  const id = (json as { id?: unknown } | undefined)?.id
  return typeof id === 'string' ? id : undefined
}

/** Records the call of an automated caller under the name that it gave in `x-svc-agent`. */
function logSvcAgent(context: PlaneContext, route: Route, caller: Caller, requestId: string, result: Outcome): void {
  const { id, orgId, svcAgent } = caller
  const outcome = isRefusal(result) ? result.refused : result.status
  context.log.info('http.request.attributed', {
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
  return Object.assign({}, outcome, { headers: Object.assign({}, outcome.headers, headers) })
}

function tokenOf(context: PlaneContext, incoming: Incoming): string {
  const given = context.tokenParameter && new URLSearchParams(incoming.query).get(context.tokenParameter)
  const token = given || bearerOf(incoming.header('authorization'))
  return token.length > http.tokenChars ? '' : token
}

function headersOf(names: readonly string[], incoming: Incoming): (name: string) => string {
  const values = names.map((name) => incoming.header(name))
  return (name) => values[names.indexOf(name)] ?? ''
}

const noHeader = (_name: string): string => ''

function bearerOf(header: string): string {
  if (header.startsWith('Bearer ')) return header.slice(7)
  return /^bearer +(\S+)$/i.exec(header)?.[1] ?? ''
}

/** The query without the token: no schema names the token, and no log may hold it. */
function queryWithoutToken(context: PlaneContext, query: string): string {
  if (!context.tokenParameter || !query.includes(context.tokenParameter)) return query
  const parameters = new URLSearchParams(query)
  parameters.delete(context.tokenParameter)
  return parameters.toString()
}

function refusalOfError(context: PlaneContext, route: Route, requestId: string, error: unknown): Refusal {
  context.log.error('http.failed', { requestId, method: route.method, path: route.path, error })
  if (error instanceof StoreFailed) {
    return unavailable()
  }
  return refuse('service.failed', { detail: `Request ${requestId}` })
}
