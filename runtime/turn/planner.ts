/** Plans a step of a turn: gathers what the plan needs, makes its reads, and turns the plan into requests. */
import type { AgentRouting } from '../../core/agent/routing.js'
import type { ContentMessage } from '../../core/amf/index.js'
import type { AgentContext } from '../../core/conversation/context.js'
import type { OutboundRequest } from '../../core/conversation/outbound.js'
import type { Conversation } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { keyOfCall } from '../../core/flow/index.js'
import { turn as limits } from '../../core/limits/index.js'
import { zoneOfPerson } from '../../core/scheduling/zone.js'
import { isDone, type ToolCall, type ToolContext, type ToolOutcome } from '../../core/tools/contract.js'
import { contactMessage } from '../../core/turn/contact.js'
import type { Came, PlanInput, PlannedStep } from '../../core/turn/contract.js'
import { planTurn } from '../../core/turn/plan.js'
import type { Play } from '../../core/turn/play.js'
import type { TurnRecord, TurnWarning } from '../../core/turn/record.js'
import { sentences } from '../../core/turn/sentences.js'
import { applyRules } from '../agentwebhook/replyrules.js'
import type { Clock } from '../clock.js'
import { hostMedia, isHosted, noFiles } from '../delivery/media.js'
import type { Media } from '../media/contract.js'
import type { ReadRow } from './contract.js'
import type { TurnPort } from './port.js'
import type { Gathered, PreparedAgents } from './prepared.js'

export interface PlannerDeps {
  readonly port: Pick<TurnPort, 'read'>
  readonly agents: PreparedAgents
  readonly media: Pick<Media, 'rehost'>
  readonly clock: Clock
}

export interface PlanRequest {
  readonly routing: AgentRouting
  readonly conversation: Conversation
  readonly context: AgentContext
  readonly before?: Play
  readonly came: Came
  readonly turnId: string
  readonly signal: AbortSignal
}

export interface PlannedTurn {
  readonly step: PlannedStep
  /** What the plan looked up, in order. */
  readonly reads: readonly ReadRow[]
  readonly gathered: Gathered
  /** The person's time zone as the plan knows it. */
  readonly zone: string
  readonly requests: readonly OutboundRequest[]
  readonly rules: TurnRecord['rules']
  readonly warnings: readonly TurnWarning[]
  /** Of gathering and reading, in milliseconds. */
  readonly gatheringMs: number
}

export interface Planner {
  /** A refusal says that a shard is unavailable, or that the agent does not exist any more. */
  plan(request: PlanRequest): Promise<PlannedTurn | Refusal>
  /** How to reach the business, behind a sentence: for turns that end without a plan. */
  contactRequest(
    request: Omit<PlanRequest, 'came' | 'before' | 'turnId'>,
    lead: string,
  ): Promise<OutboundRequest | Refusal>
}

export function createPlanner({ port, agents, media, clock }: PlannerDeps): Planner {
  function gather({ routing, conversation }: Pick<PlanRequest, 'routing' | 'conversation'>) {
    const { orgId, agentId } = routing
    const { asid, channel, address } = conversation
    return agents.gather({ orgId, agentId, asid, channel, address })
  }

  /** Makes reads until the plan needs no more; one read too many is answered with a failure. */
  async function planWithReads(
    input: Omit<PlanInput, 'reads'>,
    tool: ToolContext,
  ): Promise<Pick<PlannedTurn, 'step' | 'reads'> | Refusal> {
    const outcomes = new Map<string, ToolOutcome>()
    const reads: ReadRow[] = []
    for (;;) {
      const plan = planTurn({ ...input, reads: outcomes })
      if (plan.kind === 'step') return { step: plan, reads }
      const began = clock.monotonic()
      const outcome = outcomes.size < limits.readsPerPlan ? await port.read(tool, plan.call) : tooManyReads
      if (isRefusal(outcome)) return outcome
      outcomes.set(keyOfCall(plan.call), outcome)
      // A search of knowledge shows in what was found.
      if (plan.call.name === 'knowledge.search') continue
      reads.push(readRow(plan.call, outcome, Math.round(clock.monotonic() - began)))
    }
  }

  /** A message that a rule blocks becomes its replacement, or how to reach the business; then nothing follows it. */
  async function checkMessages(
    messages: readonly ContentMessage[],
    request: Omit<PlanRequest, 'came' | 'before' | 'turnId'>,
    stock: ContentMessage,
  ) {
    const requests: OutboundRequest[] = []
    const rules: TurnRecord['rules'][number][] = []
    const warnings: TurnWarning[] = []
    for (const original of messages) {
      const checked = await applyRules(request.routing.rules, original, request.context.reader, clock)
      const { flaggedBy = [], blockedBy, isReplaced } = checked.ruleVerdict ?? {}
      for (const ruleId of flaggedBy) {
        rules.push({ ruleId, action: 'flag' })
        warnings.push({ code: 'rule.flagged', message: `The rule ${ruleId} flags the reply.` })
      }
      if (blockedBy === undefined) {
        requests.push(await hosted(checked.message as ContentMessage, request))
        continue
      }
      rules.push({ ruleId: blockedBy, action: 'block' })
      warnings.push({ code: 'rule.blocked', message: `The rule ${blockedBy} blocks the reply.` })
      requests.push(await hosted(isReplaced ? (checked.message as ContentMessage) : stock, request))
      break
    }
    return { requests, rules, warnings }
  }

  /** A file that cannot be fetched leaves the message, which is then sent with a link or without it. */
  async function hosted(message: ContentMessage, { signal }: Pick<PlanRequest, 'signal'>): Promise<OutboundRequest> {
    const files = await hostMedia(media, message, noFiles, signal)
    if (isRefusal(files)) throw new Error('the media of a reply could not be looked up')
    if (isHosted(files)) return { message, from: 'reply', ...(files !== noFiles && { media: files }) }
    const parts = message.parts.filter(({ type }) => type !== 'media')
    const text = {
      type: 'text' as const,
      text: message.parts.flatMap((part) => (part.type === 'media' ? [part.mediaUrl] : [])).join('\n'),
    }
    return { message: { ...message, parts: [...parts, text] }, from: 'reply' }
  }

  return {
    async plan(request) {
      const began = clock.monotonic()
      const { conversation, context, before, came, routing, turnId } = request
      const gathered = await gather(request)
      if (isRefusal(gathered)) return gathered
      const { prepared, subject } = gathered
      const { asid, channel, address, session, sandbox, start } = conversation
      const zone = zoneOfPerson(subject.person, address, prepared.document.scheduling, context.reader.zone)
      const agent = { orgId: routing.orgId, agentId: routing.agentId }
      const sessionId = came.kind === 'events' ? came.trigger.sessionId : (session?.id ?? '')
      const { timeZone: orgZone } = routing
      const tool: ToolContext = {
        ...{ agent, asid, channel, address, sessionId, turnId, zone },
        ...(orgZone !== undefined && { orgZone }),
        ...(sandbox && { sandbox }),
      }
      const planned = await planWithReads(
        {
          prepared,
          subject,
          channel,
          ...(before && { before }),
          ...(start && { start }),
          came,
          now: clock.now(),
          reader: context.reader,
          zone,
        },
        tool,
      )
      if (isRefusal(planned)) return planned
      const { step, reads } = planned
      const stock = contactMessage(prepared.document, subject.agent.name, sentences.noAnswer)
      const checked = await checkMessages(step.messages, request, stock)
      return { step, reads, gathered, zone, ...checked, gatheringMs: Math.round(clock.monotonic() - began) }
    },

    async contactRequest(request, lead) {
      const gathered = await gather(request)
      if (isRefusal(gathered)) return gathered
      const { prepared, subject } = gathered
      return { message: contactMessage(prepared.document, subject.agent.name, lead), from: 'reply' }
    },
  }
}

function readRow({ name, arguments: given }: ToolCall, outcome: ToolOutcome, ms: number): ReadRow {
  const detail = isDone(outcome) ? { result: outcome.result } : { reason: outcome.reason }
  return { name, by: 'flow', state: outcome.state, arguments: given, ...detail, ms }
}

const tooManyReads: ToolOutcome = { state: 'failed', reason: 'The turn looks up too many things.' }
