/** Effect handler that plays a managed agent: begins a turn with the events at the head of a conversation's queue. */
import type { AgentRouting } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import type { Conversation, ConversationEvent } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { turn as limits } from '../../core/limits/index.js'
import type { Play } from '../../core/turn/play.js'
import { type TakenEvents, type Trigger, takeEvents } from '../../core/turn/trigger.js'
import { turnIdOf } from '../../core/turn/turnid.js'
import type { Clock } from '../clock.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { DispatchEvent } from '../conversation/effects.js'
import { conversationTable, eventTable } from '../conversation/tables.js'
import type { EffectContext, EffectHandler, Shards } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import type { BeginTurn, TurnCommands } from './contract.js'
import type { Planner } from './planner.js'
import { firstRecord, silencedRecord } from './recordofplan.js'
import { playTable } from './state.js'

export interface BeginDeps {
  readonly shards: Shards
  readonly commands: Pick<TurnCommands, 'begin'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly planner: Planner
  readonly clock: Clock
  /** Calls the webhook of an agent that has one. */
  readonly callWebhook: EffectHandler
}

/** Gives the event at the head of the queue to the agent: to its webhook, or to a turn of Parley's. */
export function createDispatchHandler(deps: BeginDeps): EffectHandler {
  const { directory, callWebhook } = deps
  const beginTurn = createBegin(deps)

  return async (payload: DispatchEvent, context: EffectContext) => {
    const conversation = context.reader.get(conversationTable, [payload.asid])
    if (!conversation || conversation.firstEvent !== payload.number || conversation.turn) return
    const agent = await directory.get(formatAgentKey(conversation.agent))
    if (!isRefusal(agent) && !agent.webhook) return beginTurn(payload, agent, context)
    if (isRefusal(agent) && agent.refused !== 'resource.not_found')
      throw new Error('the agent cannot be looked up just now')
    return callWebhook(payload as never, context)
  }
}

function createBegin({ shards, commands, contexts, planner, clock }: BeginDeps) {
  /** One plan of all that waits. `again`: more has arrived, and the turn is planned with it. */
  async function planOnce(
    { asid, number }: DispatchEvent,
    routing: AgentRouting,
    { reader, signal, completes }: EffectContext,
    absorbs: (trigger: Trigger) => boolean,
  ): Promise<'done' | 'again'> {
    const conversation = reader.get(conversationTable, [asid])
    if (!conversation || conversation.firstEvent !== number || conversation.turn) return 'done'
    const { nextEvent: seen } = conversation
    const { taken, trigger } = takeEvents(waitingEvents(reader, conversation))
    const agent = contexts.of(routing, conversation)
    const before = reader.get(playTable, [asid])
    const input = { asid, agent, first: number, taken, seen, absorbs: trigger !== undefined && absorbs(trigger) }
    const step = await stepFor(routing, conversation, { taken, ...(trigger && { trigger }) }, before, agent, signal)
    const answer = await shards.execute(asid, commands.begin, { ...input, ...(step && { step }) }, { completes })
    if (isRefusal(answer) && answer.refused === 'request.invalid') return 'again'
    if (isRefusal(answer)) throw new Error('a turn could not be begun')
    return 'done'
  }

  /** Absent when none of the events begins a turn: they are taken and nothing is said. */
  async function stepFor(
    routing: AgentRouting,
    conversation: Conversation,
    { trigger }: TakenEvents,
    before: Play | undefined,
    context: BeginTurn['agent'],
    signal: AbortSignal,
  ): Promise<BeginTurn['step'] | undefined> {
    if (!trigger || !context.receivesEvents) return undefined
    const startedAt = clock.now()
    const turnId = turnIdOf(conversation.asid, startedAt, conversation.firstEvent)
    if (conversation.optedOutAt !== undefined) {
      return {
        requests: [],
        record: silencedRecord({ turnId, startedAt, conversation, trigger }),
        zone: context.reader.zone,
      }
    }
    const came = { kind: 'events', trigger } as const
    const request = { routing, conversation, context, ...(before && { before }), came, turnId, signal }
    const planned = unwrap(await planner.plan(request))
    const { step, reads, requests, zone } = planned
    const record = firstRecord({ turnId, startedAt, conversation, trigger }, planned)
    return { requests, reads, play: step.play, record, zone, ...(step.call && { call: step.call }) }
  }

  return async (payload: DispatchEvent, routing: AgentRouting, context: EffectContext): Promise<void> => {
    const began = clock.monotonic()
    let absorbed = 0
    const absorbs = () => absorbed < limits.absorbs && clock.monotonic() - began < limits.absorbWithinMs
    while ((await planOnce(payload, routing, context, absorbs)) === 'again') absorbed++
  }
}

function waitingEvents(reader: Reader, { asid, firstEvent, nextEvent }: Conversation): readonly ConversationEvent[] {
  const count = Math.min(nextEvent - firstEvent, limits.eventsPerTurn)
  return Array.from({ length: count }, (_, nth) => reader.get(eventTable, [asid, firstEvent + nth])).filter(
    (event) => event !== undefined,
  )
}

function unwrap<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error('the agent or its tools cannot be reached just now')
  return answer
}
