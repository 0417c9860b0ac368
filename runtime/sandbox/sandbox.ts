/** The sandbox: runs one turn of a persona like an inbound message of a channel, and reads the transcript. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { sandbox as limits, turn as managedTurn } from '../../core/limits/index.js'
import type { Directive } from '../../core/sandbox/directive.js'
import type { Turn } from '../../core/sandbox/turn.js'
import type { Clock } from '../clock.js'
import type { AsidOf } from '../conversation/asid.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { Identity } from '../conversation/contract.js'
import type { Shards } from '../shard/contract.js'
import type { TurnCommand } from './commands.js'
import { type TurnPage, turnsQuery } from './turns.js'

export interface PersonaConversation {
  readonly agentRef: AgentRef
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
}

export interface TurnRun {
  /** The persona's action. */
  readonly turn: Turn
  /** The agent's replies to the turn so far. */
  readonly replies: readonly Turn[]
  /** The wait ended before the agent had replied. */
  readonly isPending: boolean
}

export interface SandboxRunner {
  asidOf(agentRef: AgentRef, channel: ChannelName, address: string): string
  /**
   * Runs a turn and waits for the agent's replies, up to a time limit. A refusal means that the turn did not happen.
   */
  run(identity: PersonaConversation, directive: Directive): Promise<TurnRun | Refusal>
  /** Turns with a greater number than `after`, oldest first. */
  turns(asid: string, after: number, limit: number): Promise<TurnPage | Refusal>
}

export interface SandboxRunnerDeps {
  readonly shards: Shards
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly asidOf: AsidOf
  readonly clock: Clock
}

/** `deps` is called at the first use, when all dependencies exist. */
export function createSandboxRunner(deps: () => SandboxRunnerDeps, command: TurnCommand): SandboxRunner {
  const readTurns = (asid: string, after: number, limit: number) =>
    deps().shards.query(asid, turnsQuery, { asid, after, limit })

  return {
    asidOf: (agentRef, channel, address) => deps().asidOf(formatAgentKey(agentRef), channel, address),

    async run({ agentRef, asid, channel, address }, directive) {
      const { directory, contexts, shards, clock } = deps()
      const agent = await directory.get(formatAgentKey(agentRef))
      if (isRefusal(agent)) return agent.refused === 'resource.not_found' ? refuse('agent.sandbox.unavailable') : agent
      const identity: Identity = { asid, agent: agentRef, channel, address, sandbox: true }
      const context = contexts.of(agent, identity)
      const result = await shards.execute(asid, command, { identity, agent: context, directive })
      if (isRefusal(result)) return result
      const deadline = clock.now() + (context.isManaged ? managedTurn.sandboxAnswerMs : limits.answerMs)
      for (let waitMs: number = limits.pollFirstMs; ; waitMs = Math.min(2 * waitMs, limits.pollMaxMs)) {
        const page = await readTurns(asid, result.number - 1, limits.repliesShown)
        if (isRefusal(page)) return page
        const isPending = page.isBusy || page.firstEvent < result.nextEvent
        if (!isPending || clock.now() >= deadline) {
          const replies = page.turns.filter(({ number, role }) => number > result.number && role === 'agent')
          return { turn: page.turns[0]!, replies, isPending }
        }
        await new Promise<void>((resolve) => clock.setTimer(clock.now() + waitMs, resolve))
      }
    },

    turns: readTurns,
  }
}
