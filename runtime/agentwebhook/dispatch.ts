/** Effect handler that calls an agent's webhook with one event and accepts its reply while the reply is read. */

import { createHash } from 'node:crypto'
import type { AgentRouting } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import type { AgentContext } from '../../core/conversation/context.js'
import type { WebhookOutcome } from '../../core/conversation/eventqueue.js'
import type { OutboundRequest, SendResult } from '../../core/conversation/outbound.js'
import type { Rejection } from '../../core/conversation/rejections.js'
import {
  noReply,
  type ReplyOutcome,
  webhookOutcomeOf,
  withProblem,
  withRejection,
} from '../../core/conversation/replyoutcome.js'
import { isRefusal } from '../../core/errors.js'
import { agentWebhook } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands, ReplyMessage } from '../conversation/contract.js'
import type { DispatchEvent } from '../conversation/effects.js'
import { conversationTable, eventTable } from '../conversation/tables.js'
import { hostMedia, isHosted, noFiles } from '../delivery/media.js'
import { drain } from '../egress/body.js'
import type { EgressClient, Send } from '../egress/client.js'
import { parseRetryAfter } from '../egress/retryafter.js'
import type { Media } from '../media/contract.js'
import type { Sealer } from '../secrets/sealer.js'
import type { EffectHandler, Shards } from '../shard/contract.js'
import { envelopeOf } from './envelope.js'
import type { WebhookMetrics } from './metrics.js'
import { isStreamed, readReply } from './replies.js'
import { applyRules } from './replyrules.js'
import { signedHeaders } from './sign.js'

export interface DispatchDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendMessages' | 'reply' | 'webhookOutcome'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly media: Pick<Media, 'rehost'>
  /** The HTTP client for agents' webhooks. */
  readonly client: EgressClient
  readonly metrics: WebhookMetrics
  readonly clock: Clock
}

export function createWebhookHandler(deps: DispatchDeps): EffectHandler {
  const { shards, commands, directory, contexts, client, clock } = deps

  return async ({ asid, number }: DispatchEvent, { reader, signal, completes, isRepeat, releaseSlot }) => {
    const conversation = reader.get(conversationTable, [asid])
    const event = reader.get(eventTable, [asid, number])
    if (!conversation || !event || conversation.firstEvent !== number) return
    const agent = await directory.get(formatAgentKey(conversation.agent))
    if (isRefusal(agent) && agent.refused !== 'resource.not_found')
      throw new Error('the agent cannot be looked up just now')
    const { outcome, joinedReply } = isRefusal(agent) ? { outcome: agentDeleted } : await callWebhook(agent)
    const committed = joinedReply
      ? await commitReply(joinedReply)
      : await shards.execute(asid, commands.webhookOutcome, { asid, number, outcome }, { completes })
    if (isRefusal(committed)) throw new Error('the outcome of an event could not be recorded')

    /** A reply that a replay may send in part is not committed at once: its messages are then sent one by one. */
    async function commitReply({ context, messages, reply, call }: JoinedReply): Promise<unknown> {
      const input = { asid, number, agent: context, messages, reply, call }
      const answer = await shards.execute(asid, commands.reply, input, { completes })
      if (!isRefusal(answer) || answer.refused !== 'request.invalid') return answer
      const sent = { ...webhookOutcomeOf(await sendEach(messages, reply, context)), call }
      return shards.execute(asid, commands.webhookOutcome, { asid, number, outcome: sent }, { completes })
    }

    async function callWebhook(routing: AgentRouting): Promise<CallResult> {
      // It was removed just now: in its next run the effect gives the event to a turn.
      if (!routing.webhook) throw new Error('the agent has no webhook any more')
      const { orgId, signingSecret: sealed } = routing
      const secret = await deps.sealer.open(orgId, sealed.kind, sealed.id, sealed.sealed)
      if (isRefusal(secret)) throw new Error('the signing secret cannot be opened just now')
      const context = contexts.of(routing, conversation!)
      const body = Buffer.from(JSON.stringify(envelopeOf(routing, conversation!, event!, context.traits)))
      const { webhookUrl: url } = routing.webhook
      const signed = signedHeaders(secret, clock.now(), body)
      const headers = { 'content-type': 'application/json', accept: acceptedTypes, ...signed }
      releaseSlot()
      const began = clock.monotonic()
      const result = await client.request(signal, (send) => post(send, { url, headers, body }, context, routing))
      const { status, outcome, reply, messages = [] } = 'message' in result ? toUnreachable(result.message) : result
      const ms = clock.monotonic() - began
      deps.metrics.observeCall(outcome ?? { kind: 'taken' }, ms)
      const answer = { ...(status !== undefined && { status }), ...(reply && { messages: reply.messages }) }
      const call = { durationMs: Math.round(ms), ...answer }
      const applied = { ...(outcome ?? webhookOutcomeOf(reply!)), call }
      return messages.length > 0
        ? { outcome: applied, joinedReply: { context, messages, reply: reply!, call } }
        : { outcome: applied }
    }

    async function post(
      send: Send,
      request: { url: string; headers: Record<string, string>; body: Uint8Array },
      context: AgentContext,
      routing: AgentRouting,
    ): Promise<AnsweredCall> {
      const began = clock.monotonic()
      const response = await send({ method: 'POST', ...request })
      const { statusCode: status, headers } = response
      if (status < 200 || status > 299) {
        drain(response.body)
        const why = `The webhook answered ${status}.`
        if (status !== 429 && status < 500) return { status, outcome: { kind: 'refused', why } }
        const retryAfterMs = parseRetryAfter(headers['retry-after'], clock.now())
        return { status, outcome: { kind: 'retryable', why, ...(retryAfterMs && { retryAfterMs }) } }
      }
      const bodyTimeoutMs = agentWebhook.headersMs - (clock.monotonic() - began)
      const settings = {
        now: clock.now(),
        zone: context.reader.zone,
        bodyTimeoutMs,
        lineTimeoutMs: agentWebhook.lineMs,
        clock,
      }
      const type = String(headers['content-type'] ?? '')
      const replyIdOf = createReplyIds(event!.eventId)
      const isFirstCall = !isRepeat && event!.attempts === undefined && !event!.replayCount
      const messages: NamedReply[] = []
      let reply = noReply
      for await (const part of readReply(type, response.body, settings)) {
        if (part.notes) reply = { ...reply, notes: [...reply.notes, ...part.notes] }
        if ('problem' in part) {
          if (part.problem) reply = withProblem(reply, part.problem)
          continue
        }
        reply = { ...reply, messages: reply.messages + 1 }
        const [position, commandId] = [reply.messages, replyIdOf(part.message)]
        const request = await requestFor(part.message, context, routing)
        if ('reason' in request) reply = withRejection(reply, position, request)
        else if (isFirstCall && !isStreamed(type)) messages.push({ position, commandId, request })
        else reply = await sendEach([{ position, commandId, request }], reply, context)
      }
      const isUnique = new Set(messages.map(({ commandId }) => commandId)).size === messages.length
      if (isUnique && reply.problems.length + reply.refused.length === 0) return { status, reply, messages }
      return { status, reply: await sendEach(messages, reply, context) }
    }

    /** The message as the conversation is asked to send it, or why it cannot be asked. */
    async function requestFor(
      original: OutboundMessage,
      context: AgentContext,
      { rules }: AgentRouting,
    ): Promise<OutboundRequest | Rejection> {
      const { message, ruleVerdict } = await applyRules(rules, original, context.reader, clock)
      const media = isSignal(message) ? noFiles : await hostMedia(deps.media, message, noFiles, signal)
      if (isRefusal(media)) throw new Error('the media of a reply could not be looked up')
      if (!isHosted(media)) return media
      const { eventId, event: eventBody } = event!
      return {
        message,
        from: 'reply',
        ...(media !== noFiles && { media }),
        ...(eventBody.type === 'status' && { inReplyToStatus: eventId }),
        ...(ruleVerdict && { ruleVerdict }),
      }
    }

    /** Sends messages of the reply one by one, each under its command id, and adds what was rejected to the outcome. */
    async function sendEach(
      messages: readonly NamedReply[],
      before: ReplyOutcome,
      context: AgentContext,
    ): Promise<ReplyOutcome> {
      let reply = before
      for (const { position, commandId, request } of messages) {
        const answer = await send(commandId, request)
        // In a replay, a message that was refused before is decided again; a message that was accepted before is not
        // sent again.
        const { replayCount } = event!
        const last = replayCount && 'reason' in answer ? await send(`${commandId}:${replayCount}`, request) : answer
        if ('reason' in last && !isSignal(request.message)) reply = withRejection(reply, position, last)
      }
      return reply

      async function send(id: string, request: OutboundRequest): Promise<SendResult> {
        const input = { asid, agent: context, requests: [request] }
        const answers = await shards.execute(asid, commands.sendMessages, input, { id })
        if (isRefusal(answers)) throw new Error('a reply could not be recorded')
        return answers[0]!
      }
    }
  }
}

/** The webhook's answer: an outcome without a reply, or a reply. */
interface AnsweredCall {
  readonly status?: number
  readonly outcome?: WebhookOutcome
  readonly reply?: ReplyOutcome
  /** Messages of the reply that are not sent yet. */
  readonly messages?: readonly NamedReply[]
}

interface CallResult {
  readonly outcome: WebhookOutcome
  readonly joinedReply?: JoinedReply
}

/** A message of a reply, with the id of the command that sends it alone. */
interface NamedReply extends ReplyMessage {
  readonly commandId: string
}

/**
 * An unstreamed reply to the first call with an event, without anything wrong in it. The commit that removes the event
 * from its queue also sends the messages. A repeated call, and a reply that will be replayed, sends each message under
 * its command id instead, since the call before may have sent some of them.
 */
interface JoinedReply {
  readonly context: AgentContext
  readonly messages: readonly NamedReply[]
  readonly reply: ReplyOutcome
  readonly call: NonNullable<WebhookOutcome['call']>
}

function toUnreachable(why: string): AnsweredCall {
  return { outcome: { kind: 'retryable', why } }
}

/**
 * Derives command ids of replies from the event and the message, independent of the attempt. When the webhook gets the
 * event again, a message that it repeats is not sent twice, and a different message is sent as a new one. The agent's
 * own message id stands for the content.
 */
function createReplyIds(eventId: string): (message: OutboundMessage) => string {
  const times = new Map<string, number>()
  return (message) => {
    const content = message.id === undefined ? JSON.stringify(message) : `id ${message.id}`
    const name = createHash('sha256').update(content).digest('base64url')
    const time = message.id === undefined ? (times.get(name) ?? 0) : 0
    times.set(name, time + 1)
    return `${eventId}:${name}:${time}`
  }
}

const agentDeleted: WebhookOutcome = { kind: 'refused', why: 'The agent was deleted.' }
const acceptedTypes = 'application/json, application/x-ndjson, text/svc-aml'
