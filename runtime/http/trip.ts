/** One request on its way from the door to the reply, step by step in the one order there is. */
import type { Caller } from '../../core/access.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { svcAgentPattern } from '../../core/ids.js'
import { http } from '../../core/limits.js'
import type { Spent } from '../limits/contract.js'
import { limitHeaders } from '../limits/headers.js'
import { StoreFailed } from '../store/contract.js'
import { authorise, confine, notFound, unauthenticated } from './admit.js'
import type { Batch, Batched } from './batch.js'
import type { Incoming, Receiver, Reply } from './exchange.js'
import { readInput, takesParams } from './input.js'
import type { Found } from './match.js'
import type { Front } from './pipeline.js'
import type { Ready } from './ready.js'
import { answered, refused } from './reply.js'
import type { Answer, Call, Route } from './route.js'

const tooLarge = refuse('request.too_large')

type Outcome = Answer | Refusal

/**
 * What is at hand is used in the same turn, and only what is not is waited for. It is a class for speed alone: one
 * object a call instead of a handful of closures.
 */
export class Trip implements Receiver, Batched {
  private readonly entry: Ready
  private readonly params: Readonly<Record<string, string>>
  private began = 0
  private caller: Caller | undefined
  private spent: Spent | undefined
  private contentType = ''
  private query = ''
  private svcAgent = ''
  private header = noHeader
  private bytes: Buffer | undefined
  /** A reply that waits for its batch to be decided; once it has been, replies go out as they come. */
  private held: Reply | undefined
  private isHolding = false

  constructor(
    private readonly front: Front,
    private readonly batch: Batch,
    private readonly found: Found<Ready>,
    private readonly incoming: Incoming,
    private readonly requestId: string,
    private readonly cors: Reply['cors'],
  ) {
    this.entry = found.entry
    this.params = found.params
  }

  /** Takes everything that the socket will not keep, and asks who is calling. */
  depart(): void {
    const { front, entry, incoming } = this
    const { route } = entry
    if (entry.readsBody) this.contentType = incoming.header('content-type')
    this.query = ownQuery(front, incoming.query)
    this.svcAgent = incoming.header('x-svc-agent')
    if (route.headers) this.header = headersOf(route.headers, incoming)
    try {
      const known = route.access.who === 'public' ? undefined : callerOf(front, incoming)
      if (known instanceof Promise) this.waitForCaller(known)
      else this.admit(known)
    } catch (error) {
      this.fail(error)
    }
  }

  /** The body does not wait for its caller to be known: it is kept until then. */
  private waitForCaller(known: Promise<Caller | undefined>): void {
    const { entry, incoming } = this
    const arriving = entry.readsBody
      ? new Promise<Buffer | undefined>((resolve) => incoming.body(entry.limitBytes, { receive: resolve }))
      : undefined
    known.then((caller) => this.admit(caller, arriving)).catch((error) => this.fail(error))
  }

  private admit(caller: Caller | undefined, arriving?: Promise<Buffer | undefined>): void {
    const { entry, params, svcAgent } = this
    const { access } = entry.route
    if (access.who !== 'public') {
      const stopped = caller ? confine(access, caller, params) : unauthenticated
      if (stopped || !caller) return this.finish(stopped ?? unauthenticated)
      this.caller = svcAgent !== '' && svcAgentPattern.test(svcAgent) ? { ...caller, svcAgent } : caller
    }
    if (!entry.readsBody) return this.batch.add(this)
    if (arriving) arriving.then((bytes) => this.receive(bytes)).catch((error) => this.fail(error))
    else this.incoming.body(entry.limitBytes, this)
  }

  receive(bytes: Buffer | undefined): void {
    if (!bytes) return this.finish(tooLarge)
    this.bytes = bytes
    this.batch.add(this)
  }

  decide(): void {
    this.isHolding = true
    try {
      this.authorise()
    } catch (error) {
      this.fail(error)
    }
    this.isHolding = false
  }

  answer(): void {
    if (this.held) this.incoming.respond(this.held)
  }

  private authorise(): void {
    const { caller, front, entry } = this
    const { access, budget } = entry.route
    const denied = caller && authorise(access, caller)
    if (denied) return this.finish(denied)
    if (!budget || caller?.kind !== 'key') return this.run()
    const spending = front.buckets.spend(budget, caller.id)
    if (spending instanceof Promise) spending.then((spent) => this.spend(spent)).catch((error) => this.fail(error))
    else this.spend(spending)
  }

  private spend(spent: Spent): void {
    this.spent = spent
    if (spent.allowed) this.run()
    else this.finish(refuse('request.rate_limited'))
  }

  private run(): void {
    const { entry, found, params, caller, incoming: connection, requestId, header } = this
    found.valid ??= takesParams(entry, params)
    if (!found.valid) return this.finish(notFound)
    const input = readInput(entry, this.query, this.bytes, this.contentType)
    if (isRefusal(input)) return this.finish(input)
    const call = { caller, params, query: input.query, body: input.body, requestId, connection, header }
    const answer = entry.route.handler(call as unknown as Call<never, never, never, never>)
    if (!(answer instanceof Promise)) return this.finish(answer)
    this.began = performance.now()
    answer.then((outcome) => this.finish(outcome)).catch((error) => this.fail(error))
  }

  private finish(outcome: Outcome): void {
    const { entry, requestId, cors, spent, caller } = this
    const told = spent ? withHeaders(outcome, limitHeaders(spent)) : outcome
    if (caller?.svcAgent) attribute(this.front, entry.route, caller, requestId, told)
    this.reply(isRefusal(told) ? refused(told, entry.style, requestId, cors) : answered(told, entry, requestId, cors))
  }

  private fail(error: unknown): void {
    const { front, entry, requestId, cors } = this
    this.reply(refused(refusalOfError(front, entry.route, requestId, error), entry.style, requestId, cors))
  }

  /** What was timed is the handler's wait; an answer given in the same turn took no time that a clock could show. */
  private reply(reply: Reply): void {
    this.entry.meter.observe(reply.status, this.began === 0 ? 0 : (performance.now() - this.began) / 1000)
    if (this.isHolding) this.held = reply
    else this.incoming.respond(reply)
  }
}

/** What an automated caller did stays on record under the name it gave. */
function attribute(front: Front, route: Route, caller: Caller, requestId: string, answer: Answer | Refusal): void {
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
  return { ...outcome, headers: { ...outcome.headers, ...headers } }
}

/** Who holds the token; undefined when there is none or nobody does. */
function callerOf(front: Front, incoming: Incoming): Caller | undefined | Promise<Caller | undefined> {
  const named = front.tokenParameter && new URLSearchParams(incoming.query).get(front.tokenParameter)
  const token = named || bearerOf(incoming.header('authorization'))
  return token === '' || token.length > http.tokenChars ? undefined : front.authenticate(token)
}

function headersOf(names: readonly string[], incoming: Incoming): (name: string) => string {
  const taken = new Map(names.map((name) => [name, incoming.header(name)]))
  return (name) => taken.get(name) ?? ''
}

const noHeader = (_name: string): string => ''

function bearerOf(header: string): string {
  if (header.startsWith('Bearer ')) return header.slice(7)
  return /^bearer +(\S+)$/i.exec(header)?.[1] ?? ''
}

/** The query without the token, which no schema names and no log may see. */
function ownQuery(front: Front, query: string): string {
  if (!front.tokenParameter || !query.includes(front.tokenParameter)) return query
  const parameters = new URLSearchParams(query)
  parameters.delete(front.tokenParameter)
  return parameters.toString()
}

function refusalOfError(front: Front, route: Route, requestId: string, error: unknown): Refusal {
  front.log.error('http.failed', { requestId, method: route.method, path: route.path, error })
  if (error instanceof StoreFailed) {
    return refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } })
  }
  return refuse('service.failed', { detail: `Request ${requestId}` })
}
