/**
 * Brings commands and queries to whoever serves their shard: this process, or another one. Somebody who does
 * not answer is asked again under the same id, so a command that was committed is not decided twice.
 */
import type { Actor } from '../../../core/access.js'
import { bus, shard as limits } from '../../../core/limits.js'
import { backoffMs } from '../../../core/time.js'
import type { Clock } from '../../clock.js'
import { BusUnreachable, NoResponders, type Rpc } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import { sleep, withTimeout } from '../../time.js'
import type { Shards } from '../contract.js'
import type { Asked } from '../decide.js'
import { Full, Moved, Unsure } from '../lost.js'
import { shardOf } from '../place.js'
import { together } from '../readall.js'
import type { Registry } from '../registry.js'
import type { OwnedShard } from '../shard.js'
import { perhapsDecided, unavailable } from '../unavailable.js'

/** A command or query on its way. A query has no id. */
type Letter =
  | {
      readonly ask: string
      readonly owner: string
      readonly input: unknown
      readonly id: string
      readonly keepMs: number
      readonly by?: Actor
    }
  | { readonly read: string; readonly input: unknown }

type Reply = { readonly answer: unknown } | { readonly not: 'here' | 'taken' | 'known' } | { readonly failed: string }

function subjectOf(shard: number): string {
  return `shard.${shard}`
}

/** Answers letters to a shard that is served here, until the returned function is called. */
export function serveShard(
  rpc: Rpc,
  number: number,
  registry: Registry,
  serving: () => OwnedShard | undefined,
): () => void {
  async function answer(letter: Letter): Promise<unknown> {
    const shard = serving()
    if (!shard) throw new Moved('the shard is not served here')
    // While nodes are being upgraded one by one, an older one does not know everything that newer ones ask for.
    if (!('read' in letter ? registry.knowsQuery(letter.read) : registry.knowsCommand(letter.ask))) {
      throw new Full('this version does not know what is asked')
    }
    if ('read' in letter) return shard.read(registry.query(letter.read), letter.input)
    const { ask, owner, input, id: commandId, keepMs: rememberMs, by } = letter
    return shard.ask({ owner, command: registry.command(ask), input, commandId, rememberMs, by })
  }
  return rpc.serve(subjectOf(number), async (body) => {
    try {
      const reply = encodePlain({ answer: await answer(decodePlain(body) as Letter) } satisfies Reply)
      if (reply.length > bus.messageBytes) throw new Error(`an answer has ${reply.length} bytes, too many to travel`)
      return reply
    } catch (error) {
      return encodePlain(replyTo(error))
    }
  })
}

function replyTo(error: unknown): Reply {
  if (error instanceof Moved) return { not: 'here' }
  if (error instanceof Unsure) return { not: 'known' }
  return error instanceof Full ? { not: 'taken' } : { failed: (error as Error).message }
}

export interface RouterOptions {
  readonly rpc: Rpc
  readonly shards: number
  readonly registry: Registry
  /** The shard, while this process serves it. */
  readonly here: (number: number) => OwnedShard | undefined
  readonly newCommandId: () => string
  readonly clock: Clock
}

export function openRouter({ rpc, shards, registry, here, newCommandId, clock }: RouterOptions): Shards {
  /** Asks until there is an answer or the time is up. `local` and the letter do the same thing, here and elsewhere. */
  async function deliver(
    number: number,
    local: (shard: OwnedShard, again: boolean) => unknown,
    letter: Letter,
  ): Promise<unknown> {
    const ends = clock.elapsed() + limits.askMs
    let unanswered = false
    const refusal = () => (unanswered && 'ask' in letter ? perhapsDecided : unavailable)
    for (let tries = 0; ; tries++) {
      try {
        const shard = here(number)
        const leftMs = Math.max(1, ends - clock.elapsed())
        if (shard) return await withinTime(leftMs, local(shard, unanswered), 'ask' in letter)
        const patienceMs = backoffMs(tries + 1, { firstMs: limits.requestFirstMs, mostMs: limits.requestMs })
        const reply = await overWire(number, letter, Math.min(patienceMs, leftMs))
        if ('answer' in reply) return reply.answer
        if ('failed' in reply) throw new Error(reply.failed)
        if (reply.not === 'taken') return refusal()
        if (reply.not === 'known') return perhapsDecided
      } catch (error) {
        if (error instanceof BusUnreachable) unanswered = true
        else if (error instanceof Full) return refusal()
        else if (error instanceof Unsure) return perhapsDecided
        else if (!(error instanceof Moved || error instanceof NoResponders)) throw error
      }
      if (clock.elapsed() >= ends) return refusal()
      await sleep(clock, backoffMs(tries + 1, { firstMs: limits.askAgainMs, mostMs: limits.askAgainMaxMs }))
    }
  }

  /**
   * Gives the answer, or a refusal after `ms`: for a command, that it may have been decided, since a commit may be waiting
   * for the NATS servers. The router does not retry then: the first local attempt stores no answer under its id, so a retry
   * would execute the command twice.
   */
  function withinTime(ms: number, answer: unknown, isCommand: boolean): unknown {
    if (!(answer instanceof Promise)) return answer
    return withTimeout(clock, ms, answer, isCommand ? perhapsDecided : unavailable)
  }

  async function overWire(number: number, letter: Letter, withinMs: number): Promise<Reply> {
    return decodePlain(await rpc.request(subjectOf(number), encodePlain(letter), withinMs)) as Reply
  }

  function readFrom(number: number, name: string, input: unknown): Promise<unknown> {
    const query = registry.query(name)
    return deliver(number, (shard) => shard.read(query, input), { read: name, input })
  }

  return {
    async ask(owner, { name }, input, { id, by, settles } = {}) {
      const command = registry.command(name)
      const commandId = id ?? newCommandId()
      const keepMs = id === undefined ? limits.rememberedRetryMs : limits.rememberedCommandMs
      function local(shard: OwnedShard, again: boolean): Promise<unknown> {
        const rememberMs = id !== undefined || again ? keepMs : undefined
        return shard.ask({ owner, command, input, commandId, rememberMs, by, settles } satisfies Asked)
      }
      const letter = { ask: name, owner, input, id: commandId, keepMs, by }
      return (await deliver(shardOf(owner, shards), local, letter)) as never
    },
    read: async (owner, { name }, input) => (await readFrom(shardOf(owner, shards), name, input)) as never,
    readHere(owner, { name }, input) {
      return here(shardOf(owner, shards))?.readNow(registry.query(name), input) as never
    },
    async readAll({ name }, input) {
      const answers = await Promise.all(Array.from({ length: shards }, (_, number) => readFrom(number, name, input)))
      return together(answers) as never
    },
  }
}
