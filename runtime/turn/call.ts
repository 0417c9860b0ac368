/**
 * Effect handlers of open turns: one makes the call that a turn waits for, one ends a turn whose deadline has passed.
 */
import type { AgentRouting } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import type { TurnCutReason } from '../../core/conversation/effects.js'
import type { Conversation } from '../../core/conversation/state.js'
import { isRefusal } from '../../core/errors.js'
import { tools as limits } from '../../core/limits/index.js'
import { kindOfTool } from '../../core/tools/builtin.js'
import { isDone, type ToolContext } from '../../core/tools/contract.js'
import type { AnsweredCall, OpenTurn } from '../../core/turn/openturn.js'
import { sentences } from '../../core/turn/sentences.js'
import type { Clock } from '../clock.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import { conversationTable } from '../conversation/tables.js'
import type { EffectContext, EffectHandler, Shards } from '../shard/contract.js'
import type { TurnCommands } from './contract.js'
import type { TurnCall, TurnDeadline } from './effects.js'
import type { Planner } from './planner.js'
import type { TurnPort } from './port.js'
import { withStep } from './recordofplan.js'
import { openTurnTable, playTable } from './state.js'

export interface CallDeps {
  readonly shards: Shards
  readonly commands: Pick<TurnCommands, 'advance' | 'attempting' | 'keepAnswer' | 'cut'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of' | 'orphan'>
  readonly planner: Planner
  readonly port: Pick<TurnPort, 'execute' | 'call'>
  readonly clock: Clock
}

/** What both handlers need to know; undefined when the turn has ended. */
interface OpenConversation {
  readonly conversation: Conversation
  readonly open: OpenTurn
}

export function createCallHandler(deps: CallDeps): EffectHandler {
  const { shards, commands, contexts, planner, port, clock } = deps
  const endTurn = createEnd(deps)

  return async ({ asid, turnId, number }: TurnCall, context: EffectContext) => {
    const found = openTurnIn(context, asid, turnId)
    if (!found || found.open.step !== number) return
    const { conversation, open } = found
    const routing = await routingOf(deps, conversation)
    const why = endsBefore(routing, open, clock.now())
    if (why || !routing) return endTurn(found, routing, why ?? 'agentGone', context)
    const answered = open.call.answered ?? (await makeCall(found, routing, context))
    if (!answered) return
    // The next owner may make the call again, so what this process did not get done says nothing.
    if (!isDone(answered.outcome) && !context.isStillOwner()) throw new Error('the shard is gone')
    try {
      await goOn(found, routing, answered, context)
    } catch (error) {
      await shards.execute(asid, commands.keepAnswer, { asid, turnId, number, answered })
      throw error
    }
  }

  async function goOn(
    found: OpenConversation,
    routing: AgentRouting,
    answered: AnsweredCall,
    context: EffectContext,
  ): Promise<void> {
    const { conversation, open } = found
    const { asid } = conversation
    const newest = await routingOf(deps, conversation)
    // The webhook answers from now on: what the tool said is noted, and Parley says nothing.
    const hasLeft = !newest ? 'agentGone' : newest.webhook ? 'webhook' : undefined
    if (hasLeft) return endTurn(found, newest, hasLeft, context, answered)
    const agent = contexts.of(routing, conversation)
    const current = context.reader.get(conversationTable, [asid]) ?? conversation
    const before = context.reader.get(playTable, [asid])
    const came = { kind: 'outcome', call: open.call.call, outcome: answered.outcome } as const
    const request = { routing, conversation: current, context: agent, came, turnId: open.id, signal: context.signal }
    const planned = await planner.plan({ ...request, ...(before && { before }) })
    if (isRefusal(planned)) throw new Error('the agent cannot be looked up just now')
    const { step, reads, requests, zone } = planned
    const record = withStep(open.record, planned)
    const next = { requests, reads, play: step.play, record, zone, ...(step.call && { call: step.call }) }
    const input = { asid, agent, turnId: open.id, number: open.step, answered, step: next }
    const answer = await shards.execute(asid, commands.advance, input, { completes: context.completes })
    if (isRefusal(answer)) throw new Error('the outcome of a tool could not be recorded')
  }

  /** Undefined when the turn has gone on without the call. */
  async function makeCall(
    { conversation, open }: OpenConversation,
    routing: AgentRouting,
    context: EffectContext,
  ): Promise<AnsweredCall | undefined> {
    const { call, key } = open.call
    const began = clock.monotonic()
    const tookMs = () => Math.round(clock.monotonic() - began)
    const tool = toolContextOf(conversation, routing, open)
    if (kindOfTool(call.name) === 'inside') {
      const executed = await port.execute(tool, call, key)
      if (isRefusal(executed)) throw new Error('the agent’s shard cannot be reached just now')
      return { ...executed, attempt: 0, ms: tookMs() }
    }
    const { asid } = conversation
    const attempt = await shards.execute(asid, commands.attempting, { asid, turnId: open.id, number: open.step })
    if (isRefusal(attempt)) throw new Error('an attempt could not be recorded')
    if (attempt === 'passed') return undefined
    context.releaseSlot()
    const { signal, isStillOwner } = context
    const made = await port.call(tool, call, { id: key, signal, isStillOwner, isRepeat: attempt > 1 })
    return { ...made, attempt, ms: tookMs() }
  }
}

export function createDeadlineHandler(deps: CallDeps): EffectHandler {
  const endTurn = createEnd(deps)
  return async ({ asid, turnId }: TurnDeadline, context: EffectContext) => {
    const found = openTurnIn(context, asid, turnId)
    if (found) await endTurn(found, await routingOf(deps, found.conversation), 'deadline', context)
  }
}

/** Ends an open turn. At its deadline the person is told so; in all other cases nothing is said. */
function createEnd({ shards, commands, contexts, planner }: CallDeps) {
  return async (
    { conversation, open }: OpenConversation,
    routing: AgentRouting | undefined,
    why: TurnCutReason,
    { completes, signal }: EffectContext,
    answered?: AnsweredCall,
  ): Promise<void> => {
    const { asid, channel } = conversation
    const agent = routing ? contexts.of(routing, conversation) : contexts.orphan(channel)
    const request = { conversation, context: agent, signal }
    const last =
      why === 'deadline' && routing && (await planner.contactRequest({ ...request, routing }, sentences.deadline))
    if (isRefusal(last)) throw new Error('the agent cannot be looked up just now')
    const input = { asid, agent, turnId: open.id, why, requests: last ? [last] : [], ...(answered && { answered }) }
    const answer = await shards.execute(asid, commands.cut, input, { completes })
    if (isRefusal(answer)) throw new Error('a turn could not be ended')
  }
}

function openTurnIn({ reader }: EffectContext, asid: string, turnId: string): OpenConversation | undefined {
  const conversation = reader.get(conversationTable, [asid])
  const open = reader.get(openTurnTable, [asid])
  return conversation && open?.id === turnId ? { conversation, open } : undefined
}

/** Undefined for an agent that does not exist any more. */
async function routingOf({ directory }: CallDeps, { agent }: Conversation): Promise<AgentRouting | undefined> {
  const routing = await directory.get(formatAgentKey(agent))
  if (!isRefusal(routing)) return routing
  if (routing.refused === 'resource.not_found') return undefined
  throw new Error('the agent cannot be looked up just now')
}

/** Why the call is not made any more; a node that was down for long performs nothing late. */
function endsBefore(routing: AgentRouting | undefined, open: OpenTurn, now: number): TurnCutReason | undefined {
  if (!routing) return 'agentGone'
  if (routing.webhook) return 'webhook'
  return now >= open.deadlineAt - limits.callMs ? 'deadline' : undefined
}

function toolContextOf(
  { asid, channel, address, sandbox }: Conversation,
  { orgId, agentId, timeZone: orgZone }: AgentRouting,
  { id: turnId, zone, record: { sessionId } }: OpenTurn,
): ToolContext {
  const agent = { orgId, agentId }
  return {
    ...{ agent, asid, channel, address, sessionId, turnId, zone },
    ...(orgZone !== undefined && { orgZone }),
    ...(sandbox && { sandbox }),
  }
}
