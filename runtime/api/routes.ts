/** Gateway routes for agents: messages, compile, capabilities. */

import Type from 'typebox'
import type { AgentCaller } from '../../core/access.js'
import type { AgentRouting } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isSignal } from '../../core/amf/index.js'
import { validateMessage } from '../../core/amf/validation.js'
import { compile } from '../../core/aml/index.js'
import type { AgentContext } from '../../core/conversation/context.js'
import type { OutboundRequest, SendResult } from '../../core/conversation/outbound.js'
import { type Rejection, type RejectionReason, reject } from '../../core/conversation/rejections.js'
import type { Conversation } from '../../core/conversation/state.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { amf as limits } from '../../core/limits/index.js'
import { capabilitiesOf } from '../../core/render/capabilities.js'
import type { MediaFiles } from '../../core/render/hostedmedia.js'
import { previewChannelsInSteps } from '../../core/render/index.js'
import { applyRules, type RuledMessage } from '../agentwebhook/replyrules.js'
import type { Clock } from '../clock.js'
import { type AgentContexts, type Directory, readerOf } from '../conversation/context.js'
import type { ConversationCommands } from '../conversation/contract.js'
import { findConversation } from '../conversation/queries.js'
import { hostMedia, isHosted, noFiles } from '../delivery/media.js'
import type { Throttle } from '../delivery/throttle.js'
import type { Connection } from '../http/exchange.js'
import { json, type Route, route } from '../http/route.js'
import type { Media } from '../media/contract.js'
import type { Shards } from '../shard/contract.js'
import { runInSlices } from '../slices.js'
import { CapabilityDocument, CompileBody, Compiled, NothingAccepted, SendBody, SendResults } from './schema.js'

const common = { plane: 'gateway', access: { who: 'agent' } } as const

export interface ApiDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendMessages'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly media: Pick<Media, 'rehost'>
  readonly throttle: Pick<Throttle, 'draw'>
  readonly metrics: ApiMetrics
  readonly clock: Clock
}

export interface ApiMetrics {
  /**
   * Counts a message refused before it reached its conversation; the history of the conversation has its own refusals.
   */
  countRefusal(reason: string): void
}

export function apiRoutes({
  shards,
  commands,
  directory,
  contexts,
  media,
  throttle,
  metrics,
  clock,
}: ApiDeps): Route[] {
  function recordRefusal<R extends { readonly reason?: string }>(result: R): R {
    if (result.reason !== undefined) metrics.countRefusal(result.reason)
    return result
  }

  /** Undefined for a conversation of another agent, as for an unknown asid. */
  async function conversationOf(caller: AgentCaller, asid: string): Promise<Conversation | undefined | Refusal> {
    const conversation = await findConversation(shards, asid)
    if (!conversation || isRefusal(conversation)) return conversation ?? undefined
    return formatAgentKey(conversation.agent) === formatAgentKey(caller) ? conversation : undefined
  }

  /**
   * Validates one message after the other, so that a call takes no more turns of the event loop than any other call.
   */
  async function validateMessages(
    values: readonly unknown[],
    { rules }: AgentRouting,
    context: AgentContext,
    connection: Connection,
  ): Promise<Prepared[] | Refusal> {
    const prepared: Prepared[] = []
    const callerSignal = rules && rules.length > 0 ? connection.signal : undefined
    for (const value of values) {
      const validated = validateMessage(value)
      if ('problems' in validated) prepared.push(rejectionOf(validated.problems))
      else prepared.push(await applyRules(rules, validated.message, context.reader, clock, callerSignal))
      if (callerSignal?.aborted)
        return refuse('service.unavailable', { detail: 'The caller left before its messages were taken.' })
    }
    return prepared
  }

  async function hostFiles(each: Prepared): Promise<Prepared | Refusal> {
    if (!('message' in each) || isSignal(each.message)) return each
    const files = await hostMedia(media, each.message)
    if (isRefusal(files)) return files
    if (!isHosted(files)) return reject(files.reason, files.detail)
    return files === noFiles ? each : { ...each, media: files }
  }

  /** Messages in bulk draw their times before they are sent; the time of a message that is then refused is lost. */
  async function sendAll(
    { asid, agent: agentRef, channel }: Conversation,
    context: AgentContext,
    messages: readonly Omit<OutboundRequest, 'from'>[],
    isBatch: boolean,
  ): Promise<readonly SendResult[] | Refusal> {
    if (messages.length === 0) return []
    const perSecond = isBatch ? context.binding?.bulkPerSecond : undefined
    const times =
      perSecond === undefined ? [] : await throttle.draw({ ...agentRef, channel }, perSecond, messages.length)
    if (isRefusal(times)) return times
    const requests = messages.map((message, nth) => ({
      from: 'send' as const,
      ...message,
      ...(isBatch && { isBatch: true as const }),
      ...(times[nth] !== undefined && { leaveAt: times[nth] }),
    }))
    return shards.execute(asid, commands.sendMessages, { asid, agent: context, requests })
  }

  return [
    route({
      ...common,
      method: 'POST',
      path: '/messages',
      tag: 'Messages',
      summary: 'Send messages to a person',
      body: SendBody,
      checksCharacters: true,
      bodyLimitBytes: limits.callBytes,
      reply: { 200: SendResults, 422: NothingAccepted },
      errors: ['request.invalid', 'service.unavailable'],
      async handler({ caller, body: { userId, messages, priority }, connection }) {
        const person = await conversationOf(caller, userId)
        if (isRefusal(person)) return person
        if (!person) return answerOf(messages.map(() => recordRefusal(resultView(reject('unknownRecipient')))))
        const agent = await directory.get(formatAgentKey(caller))
        if (isRefusal(agent)) return agent
        const context = contexts.of(agent, person)
        const prepared = await validateMessages(messages, agent, context, connection)
        if (isRefusal(prepared)) return prepared
        const hosted = await Promise.all(prepared.map(hostFiles))
        const unavailable = hosted.find(isRefusal)
        if (unavailable) return unavailable
        const accepted = (hosted as Prepared[]).flatMap((each) => ('message' in each ? [each] : []))
        const answers = await sendAll(person, context, accepted, priority === 'batch')
        if (isRefusal(answers)) return answers
        let next = 0
        // The history of the conversation counts messages that the conversation refused.
        const results = (hosted as Prepared[]).map((each) =>
          'message' in each ? resultView(answers[next++]!) : recordRefusal(resultView(each)),
        )
        return answerOf(results)
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/compile',
      tag: 'Messages',
      summary: 'Compile AML to a message, and see what each channel would show',
      body: CompileBody,
      malformedStatus: 400,
      bodyLimitBytes: limits.callBytes,
      reply: { 200: Compiled },
      errors: ['request.invalid'],
      async handler({ caller, body: { aml, validateOnly = false } }) {
        const agent = await directory.get(formatAgentKey(caller))
        if (isRefusal(agent)) return agent
        const reader = readerOf(agent)
        const { message, problems, warnings } = compile(aml, { now: clock.now(), zone: reader.zone })
        if (!message) {
          const detail = 'The text has problems; nothing was compiled.'
          return refuse('request.invalid', { status: 422, detail, extra: { problems, warnings } })
        }
        if (validateOnly) return json(200, { warnings, problems })
        const rendered = isSignal(message)
          ? undefined
          : await runInSlices(previewChannelsInSteps(message, reader), clock)
        return json(200, { warnings, problems, message, ...(rendered && { renderings: rendered }) })
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/capabilities',
      tag: 'Capabilities',
      summary: 'What the channel of a person can show',
      query: Type.Object({ userId: Type.String({ minLength: 1, maxLength: limits.idChars }) }),
      malformedStatus: 400,
      reply: { 200: CapabilityDocument },
      errors: ['resource.not_found'],
      async handler({ caller, query: { userId } }) {
        const person = await conversationOf(caller, userId)
        if (isRefusal(person)) return person
        if (!person) return refuse('resource.not_found', { detail: 'This agent has never seen that user.' })
        const agent = await directory.get(formatAgentKey(caller))
        if (isRefusal(agent)) return agent
        const { traits, provider } = contexts.of(agent, person)
        return json(200, capabilitiesOf(traits, provider))
      },
    }),
  ]
}

type Prepared = (RuledMessage & { readonly media?: MediaFiles }) | Rejection

function rejectionOf(problems: readonly { path: string; message: string; code: string }[]): Rejection {
  const [first] = problems
  const reason = (first?.code ?? 'invalidMessage') as RejectionReason
  return reject(reason, first && [first.path, first.message].filter(Boolean).join(': '))
}

interface Result {
  readonly messageId: string
  readonly accepted: boolean
  readonly reason?: RejectionReason
  readonly detail?: string
}

/** Status 200 when at least one message was accepted, otherwise 422. */
function answerOf(results: readonly Result[]) {
  if (results.some(({ accepted }) => accepted)) return json(200, { results })
  const reasons = [...new Set(results.map(({ reason }) => reason))].join(', ')
  return json(422, { message: `No message was accepted: ${reasons}.`, results })
}

function resultView(answer: SendResult): Result {
  if ('messageId' in answer) return { messageId: answer.messageId, accepted: true }
  return { messageId: '', accepted: false, ...answer }
}
