/** Rehearsals: one turn of a persona run as a channel would have told it, and everything that was said read back. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channel/names.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { sandbox as limits } from '../../core/limits.js'
import type { Directive } from '../../core/personas/directive.js'
import type { Turn } from '../../core/personas/turn.js'
import type { Identity } from './commands.js'
import { aroundOf } from './directory.js'
import type { Places } from './places.js'
import type { SandboxTurn } from './sandboxcommands.js'
import { lookedAt, type Stretch } from './sandboxturns.js'

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

export function openSandbox(places: () => Places, command: SandboxTurn): Sandbox {
  const look = (asid: string, after: number, limit: number) =>
    places().shards.read(asid, lookedAt, { asid, after, limit })

  return {
    asidOf: (place, channel, address) => places().asidOf(agentKeyOf(place), channel, address),

    async run({ place, asid, channel, address }, directive) {
      const { directory, shards, clock } = places()
      const agent = await directory.routes(agentKeyOf(place))
      if (isRefusal(agent)) return agent.refused === 'resource.not_found' ? refuse('agent.sandbox.unavailable') : agent
      const who: Identity = { asid, agent: place, channel, address, sandbox: true }
      const around = aroundOf(agent, who, places())
      const done = await shards.ask(asid, command, { who, around, directive })
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
