/** The port of managed turns to this plane: the agent and the person, searches, and the tools. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { knowledge as limits } from '../../core/limits/index.js'
import type { ToolCall, ToolContext, ToolOutcome } from '../../core/tools/contract.js'
import type { InsideOutcome, OutsideCall, OutsideOutcome, SubjectRequest, TurnSubject } from '../../core/turn/port.js'
import type { Query, Shards } from '../../runtime/shard/contract.js'
import type { ToolAvailability } from '../tools/availability.js'
import type { StoredSubject } from './subject.js'

/** One tool of this plane; the id is the same in each repeat of one call. */
export type InsideTool = (context: ToolContext, call: ToolCall, id: string) => Promise<InsideOutcome | Refusal>

export interface TurnPortDeps {
  readonly shards: Shards
  readonly subject: Query<SubjectRequest & { readonly at: number }, StoredSubject>
  /** The reasons why tools cannot be called, with those of the org's connections. */
  readonly findReasons: (
    orgId: string,
    availability: ToolAvailability,
  ) => Promise<TurnSubject['unavailableTools'] | Refusal>
  readonly searchPassages: (agent: AgentRef, query: string, limit: number) => Promise<readonly object[] | Refusal>
  readonly availability: (context: ToolContext, call: ToolCall) => Promise<ToolOutcome | Refusal>
  /** Tools of the agent's shard, by name. */
  readonly inside: Readonly<Record<string, InsideTool>>
  readonly callOutside: (context: ToolContext, call: ToolCall, attempt: OutsideCall) => Promise<OutsideOutcome>
  readonly clock: { now(): number }
}

/** A refusal says that a shard is unavailable: the caller repeats the request. */
export interface TurnTools {
  /** `resource.not_found` for an agent that does not exist. */
  load(request: SubjectRequest): Promise<TurnSubject | Refusal>
  /** `scheduling.availability`, and the passages of `knowledge.search`. */
  read(context: ToolContext, call: ToolCall): Promise<ToolOutcome | Refusal>
  /** A command of the agent's shard; under an id that was used before, the first outcome again. */
  execute(context: ToolContext, call: ToolCall, id: string): Promise<InsideOutcome | Refusal>
  /** A call to another system. Never throws; an outcome that cannot be known is `unknown`. */
  call(context: ToolContext, call: ToolCall, attempt: OutsideCall): Promise<OutsideOutcome>
}

export function createTurnPort(deps: TurnPortDeps): TurnTools {
  const { shards, subject, clock } = deps

  async function search({ agent }: ToolContext, { arguments: { query } }: ToolCall): Promise<ToolOutcome | Refusal> {
    const text = String(query).slice(0, limits.queryChars)
    const passages = await deps.searchPassages(agent, text, limits.hits)
    return isRefusal(passages) ? passages : { state: 'ok', result: { passages } }
  }

  return {
    async load(request) {
      const stored = await shards.query(formatAgentKey(request), subject, { ...request, at: clock.now() })
      if (isRefusal(stored)) return stored
      const { availability, ...rest } = stored
      const unavailableTools = await deps.findReasons(request.orgId, availability)
      return isRefusal(unavailableTools) ? unavailableTools : { ...rest, unavailableTools }
    },
    async read(context, call) {
      if (call.name === 'knowledge.search') return search(context, call)
      if (call.name === 'scheduling.availability') return deps.availability(context, call)
      return unknownTool(call)
    },
    async execute(context, call, id) {
      const tool = Object.hasOwn(deps.inside, call.name) ? deps.inside[call.name] : undefined
      return tool ? tool(context, call, id) : { outcome: unknownTool(call) }
    },
    call: deps.callOutside,
  }
}

function unknownTool({ name }: ToolCall): ToolOutcome {
  return { state: 'refused', reason: `There is no tool ${name}.` }
}
