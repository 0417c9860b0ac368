/**
 * Routes commands and queries to the owner of their shard: this process or another node. A call without an answer is
 * repeated under the same id, so a committed command is not decided twice.
 */
import type { Actor } from '../../../core/access.js'
import { backoffMs } from '../../../core/time.js'
import type { Clock } from '../../clock.js'
import { BusUnreachable, NoResponders, type Rpc } from '../../nats/contract.js'
import { bus } from '../../nats/limits.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import { sleep, withTimeout } from '../../time.js'
import { combineAnswers } from '../answers.js'
import type { Shards } from '../contract.js'
import type { CommandRequest } from '../decision.js'
import { MailboxFull, NotOwner, OutcomeUnknown } from '../errors.js'
import type { ShardLimits } from '../limits.js'
import type { OwnedShard } from '../ownedshard.js'
import { shardOf } from '../placement.js'
import { outcomeUnknown, unavailable } from '../refusals.js'
import type { Registry } from '../registry.js'

/** A command or query in transit. A query has no id. */
type RemoteRequest =
  | {
      readonly command: string
      readonly owner: string
      readonly input: unknown
      readonly id: string
      readonly ttlMs: number
      readonly by?: Actor
    }
  | { readonly query: string; readonly input: unknown }

type Reply =
  | { readonly answer: unknown }
  | { readonly unavailable: 'notOwner' | 'mailboxFull' | 'outcomeUnknown' }
  | { readonly failed: string }

function subjectOf(shard: number): string {
  return `shard.${shard}`
}

/** Answers requests for a shard that this node serves, until the returned function is called. */
export function serveShard(
  rpc: Rpc,
  number: number,
  registry: Registry,
  ownedShard: () => OwnedShard | undefined,
): () => void {
  async function answer(request: RemoteRequest): Promise<unknown> {
    const shard = ownedShard()
    if (!shard) throw new NotOwner('the shard is not served here')
    // During a rolling upgrade an older node does not know every command of a newer one.
    if (!('query' in request ? registry.hasQuery(request.query) : registry.hasCommand(request.command))) {
      throw new MailboxFull('this version does not know what is asked')
    }
    if ('query' in request) return shard.query(registry.query(request.query), request.input)
    const { command, owner, input, id: commandId, ttlMs: answerTtlMs, by } = request
    return shard.execute({ owner, command: registry.command(command), input, commandId, answerTtlMs, by })
  }
  return rpc.serve(subjectOf(number), async (body) => {
    try {
      const reply = encodePlain({ answer: await answer(decodePlain(body) as RemoteRequest) } satisfies Reply)
      if (reply.length > bus.messageBytes) throw new Error(`an answer has ${reply.length} bytes, too many to travel`)
      return reply
    } catch (error) {
      return encodePlain(replyTo(error))
    }
  })
}

function replyTo(error: unknown): Reply {
  if (error instanceof NotOwner) return { unavailable: 'notOwner' }
  if (error instanceof OutcomeUnknown) return { unavailable: 'outcomeUnknown' }
  return error instanceof MailboxFull ? { unavailable: 'mailboxFull' } : { failed: (error as Error).message }
}

export interface RouterOptions {
  readonly rpc: Rpc
  readonly shards: number
  readonly registry: Registry
  /** The shard, while this process serves it. */
  readonly localShard: (number: number) => OwnedShard | undefined
  readonly newCommandId: () => string
  readonly clock: Clock
  readonly limits: ShardLimits
}

export function createRouter(options: RouterOptions): Shards {
  const { rpc, shards, registry, localShard, newCommandId, clock, limits } = options
  const requestTimes = { firstMs: limits.requestFirstMs, mostMs: limits.requestMs }
  const retryTimes = { firstMs: limits.requestRetryMs, mostMs: limits.requestRetryMaxMs }

  /** Tries until an answer or the deadline. `local` and `request` are the same call, here and on another node. */
  async function deliver(
    number: number,
    local: (shard: OwnedShard, isRetry: boolean) => unknown,
    request: RemoteRequest,
  ): Promise<unknown> {
    const deadline = clock.monotonic() + limits.executeMs
    let isUncertain = false
    const refusal = () => (isUncertain && 'command' in request ? outcomeUnknown : unavailable)
    for (let attempts = 0; ; attempts++) {
      try {
        const shard = localShard(number)
        const leftMs = Math.max(1, deadline - clock.monotonic())
        if (shard) return await limitTime(leftMs, local(shard, isUncertain), 'command' in request)
        const requestTimeoutMs = backoffMs(attempts + 1, requestTimes)
        const reply = await sendRequest(number, request, Math.min(requestTimeoutMs, leftMs))
        if ('answer' in reply) return reply.answer
        if ('failed' in reply) throw new Error(reply.failed)
        if (reply.unavailable === 'mailboxFull') return refusal()
        if (reply.unavailable === 'outcomeUnknown') return outcomeUnknown
      } catch (error) {
        if (error instanceof BusUnreachable) isUncertain = true
        else if (error instanceof MailboxFull) return refusal()
        else if (error instanceof OutcomeUnknown) return outcomeUnknown
        else if (!(error instanceof NotOwner || error instanceof NoResponders)) throw error
      }
      if (clock.monotonic() >= deadline) return refusal()
      await sleep(clock, backoffMs(attempts + 1, retryTimes))
    }
  }

  /**
   * Resolves with the answer, or with a refusal after `ms`; for a command the refusal says that its outcome is unknown,
   * since a commit may be waiting for the NATS servers. The router does not retry then: the first local attempt stores
   * no answer under its id, so a retry would execute the command twice.
   */
  function limitTime(ms: number, answer: unknown, isCommand: boolean): unknown {
    if (!(answer instanceof Promise)) return answer
    return withTimeout(clock, ms, answer, isCommand ? outcomeUnknown : unavailable)
  }

  async function sendRequest(number: number, request: RemoteRequest, withinMs: number): Promise<Reply> {
    return decodePlain(await rpc.request(subjectOf(number), encodePlain(request), withinMs)) as Reply
  }

  function queryShard(number: number, name: string, input: unknown): Promise<unknown> {
    const query = registry.query(name)
    return deliver(number, (shard) => shard.query(query, input), { query: name, input })
  }

  return {
    async execute(owner, { name }, input, { id, by, completes } = {}) {
      const command = registry.command(name)
      const commandId = id ?? newCommandId()
      const ttlMs = id === undefined ? limits.rememberedRetryMs : limits.rememberedCommandMs
      function local(shard: OwnedShard, isRetry: boolean): Promise<unknown> {
        const answerTtlMs = id !== undefined || isRetry ? ttlMs : undefined
        return shard.execute({ owner, command, input, commandId, answerTtlMs, by, completes } satisfies CommandRequest)
      }
      const request = { command: name, owner, input, id: commandId, ttlMs, by }
      return (await deliver(shardOf(owner, shards), local, request)) as never
    },
    query: async (owner, { name }, input) => (await queryShard(shardOf(owner, shards), name, input)) as never,
    queryLocal(owner, { name }, input) {
      return localShard(shardOf(owner, shards))?.queryNow(registry.query(name), input) as never
    },
    async queryAll({ name }, input) {
      const answers = await Promise.all(Array.from({ length: shards }, (_, number) => queryShard(number, name, input)))
      return combineAnswers(answers) as never
    },
  }
}
