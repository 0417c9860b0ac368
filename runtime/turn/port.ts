/** Port from managed turns to the management plane: the agent, the person, and the tools, wherever their shard is. */
import type { Refusal } from '../../core/errors.js'
import type { ToolCall, ToolContext, ToolOutcome } from '../../core/tools/contract.js'
import type { InsideOutcome, OutsideCall, OutsideOutcome, SubjectRequest, TurnSubject } from '../../core/turn/port.js'

/** A refusal says that a shard is unavailable: the effect stays pending and is repeated. */
export interface TurnPort {
  /** `resource.not_found` for an agent that does not exist. */
  load(request: SubjectRequest): Promise<TurnSubject | Refusal>
  /** `scheduling.availability`, and the passages of `knowledge.search`. */
  read(context: ToolContext, call: ToolCall): Promise<ToolOutcome | Refusal>
  /** A command of the agent's shard. Under an id that was used before, the first outcome again. */
  execute(context: ToolContext, call: ToolCall, id: string): Promise<InsideOutcome | Refusal>
  /** A call to another system. Never throws; an outcome that cannot be known is `unknown`. */
  call(context: ToolContext, call: ToolCall, attempt: OutsideCall): Promise<OutsideOutcome>
}
