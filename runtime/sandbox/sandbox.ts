/** Rehearsals: one turn of a persona run as a channel would have told it, and everything that was said read back. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { sandbox as limits } from '../../core/limits.js'
import type { Directive } from '../../core/personas/directive.js'
import type { Turn } from '../../core/personas/turn.js'
import type { Clock } from '../clock.js'
import type { AsidOf } from '../conversation/asid.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { Identity } from '../conversation/contract.js'
import type { Shards } from '../shard/contract.js'
import type { SandboxTurn } from './commands.js'
import { lookedAt, type Stretch } from './turns.js'

export interface Rehearsing {
  readonly place: AgentPlace
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
}

export interface Rehearsed {
  /** What the person did. */
  readonly turn: Turn
  /** What the agent said to it so far. */
  readonly replies: readonly Turn[]
  /** The agent had not answered when waiting for it ended. */
  readonly isPending: boolean
}

export interface Sandbox {
  asidOf(place: AgentPlace, channel: ChannelName, address: string): string
  /** Nothing is heard when this refuses. Answers when the agent has, or has had long enough. */
  run(who: Rehearsing, directive: Directive): Promise<Rehearsed | Refusal>
  /** Oldest first, from behind that number on. */
  turns(asid: string, after: number, limit: number): Promise<Stretch | Refusal>
}

export interface SandboxDeps {
  readonly shards: Shards
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly asidOf: AsidOf
  readonly clock: Clock
}

/** `deps` are asked for at the first call, when all of them exist. */
export function openSandbox(deps: () => SandboxDeps, command: SandboxTurn): Sandbox {
  const look = (asid: string, after: number, limit: number) =>
    deps().shards.read(asid, lookedAt, { asid, after, limit })

  return {
    asidOf: (place, channel, address) => deps().asidOf(agentKeyOf(place), channel, address),

    async run({ place, asid, channel, address }, directive) {
      const { directory, contexts, shards, clock } = deps()
      const agent = await directory.get(agentKeyOf(place))
      if (isRefusal(agent)) return agent.refused === 'resource.not_found' ? refuse('agent.sandbox.unavailable') : agent
      const who: Identity = { asid, agent: place, channel, address, sandbox: true }
      const context = contexts.of(agent, who)
      const done = await shards.ask(asid, command, { who, agent: context, directive })
      if (isRefusal(done)) return done
      const patience = clock.now() + limits.answerMs
      for (let waitMs: number = limits.lookFirstMs; ; waitMs = Math.min(2 * waitMs, limits.lookMostMs)) {
        const seen = await look(asid, done.number - 1, limits.repliesShown)
        if (isRefusal(seen)) return seen
        const isPending = seen.isSpeaking || seen.firstEvent < done.nextEvent
        if (!isPending || clock.now() >= patience) {
          const replies = seen.turns.filter(({ number, role }) => number > done.number && role === 'agent')
          return { turn: seen.turns[0]!, replies, isPending }
        }
        await new Promise<void>((resolve) => clock.wake(clock.now() + waitMs, resolve))
      }
    },

    turns: look,
  }
}
