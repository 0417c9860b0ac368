/** Tells an agent of one event by its webhook, and takes what it answers while it answers. */

import { createHash } from 'node:crypto'
import type { AgentRouting } from '../../core/agent/routing.js'
import { agentKeyOf } from '../../core/agentkey.js'
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
import { agentWebhook } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands, ReplyInput, ReplyRequest } from '../conversation/contract.js'
import type { CallWebhook } from '../conversation/effects.js'
import { conversationTable, eventTable } from '../conversation/tables.js'
import { hostMedia, isHosted, noFiles } from '../delivery/media.js'
import type { Media } from '../media/contract.js'
import type { Performer, Shards } from '../shard/contract.js'
import type { Sealer } from '../store/sealer.js'
import { drain } from '../webhook/answer.js'
import type { Door, Send } from '../webhook/door.js'
import { retryAfterOf } from '../webhook/retryafter.js'
import { signedHeaders } from '../webhook/sign.js'
import { envelopeOf } from './envelope.js'
import type { WebhookMetrics } from './metrics.js'
import { isLineByLine, repliesIn } from './replies.js'
import { applyRules } from './replyrules.js'

export interface DispatchDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendMessages' | 'reply' | 'webhookOutcome'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly media: Pick<Media, 'hosted'>
  /** The HTTP client for agents' webhooks. */
  readonly door: Door
  readonly metrics: WebhookMetrics
  readonly clock: Clock
}

export function callPerformer(deps: DispatchDeps): Performer {
  const { shards, commands, directory, contexts, door, clock } = deps

  return async ({ asid, number }: CallWebhook, { reader, signal, settles, isRepeat, aside }) => {
    const conversation = reader.get(conversationTable, [asid])
    const event = reader.get(eventTable, [asid, number])
    if (!conversation || !event || conversation.firstEvent !== number) return
    const agent = await directory.get(agentKeyOf(conversation.agent))
    if (isRefusal(agent) && agent.refused !== 'resource.not_found')
      throw new Error('the agent cannot be looked up just now')
    const { reply, outcome } = isRefusal(agent) ? { outcome: gone } : await calledAt(agent)
    const noted = reply
      ? await shards.ask(asid, commands.reply, { asid, number, ...reply }, { settles })
      : await shards.ask(asid, commands.webhookOutcome, { asid, number, outcome: outcome! }, { settles })
    if (isRefusal(noted)) throw new Error('what became of an event could not be noted')

    async function calledAt(known: AgentRouting): Promise<Called> {
      if (!known.webhook) return { outcome: { kind: 'taken' } }
      const { orgId, signingSecret: sealed } = known
      const secret = await deps.sealer.open(orgId, sealed.kind, sealed.id, sealed.sealed)
      if (isRefusal(secret)) throw new Error('the signing secret cannot be opened just now')
      const context = contexts.of(known, conversation!)
      const body = Buffer.from(JSON.stringify(envelopeOf(known, conversation!, event!, context.traits)))
      const { webhookUrl: url } = known.webhook
      const signed = signedHeaders(secret, clock.now(), body)
      const headers = { 'content-type': 'application/json', accept: acceptedTypes, ...signed }
      aside()
      const began = clock.elapsed()
      const done = await door.exchange(signal, (send) => exchange(send, { url, headers, body }, context, known))
      const { status, outcome, reply, requests = [] } = 'message' in done ? unreached(done.message) : done
      const ms = clock.elapsed() - began
      deps.metrics.called(outcome ?? { kind: 'taken' }, ms)
      const answer = { ...(status !== undefined && { status }), ...(reply && { messages: reply.messages }) }
      const called = { ms: Math.round(ms), ...answer }
      if (requests.length > 0) return { reply: { agent: context, requests, reply: reply!, called } }
      return { outcome: { ...(outcome ?? webhookOutcomeOf(reply!)), called } }
    }

    async function exchange(
      send: Send,
      request: { url: string; headers: Record<string, string>; body: Uint8Array },
      context: AgentContext,
      known: AgentRouting,
    ): Promise<Answered> {
      const began = clock.elapsed()
      const response = await send({ method: 'POST', ...request })
      const { statusCode: status, headers } = response
      if (status < 200 || status > 299) {
        drain(response.body)
        const why = `The webhook answered ${status}.`
        if (status !== 429 && status < 500) return { status, outcome: { kind: 'refused', why } }
        const retryAfterMs = retryAfterOf(headers['retry-after'], clock.now())
        return { status, outcome: { kind: 'away', why, ...(retryAfterMs && { retryAfterMs }) } }
      }
      const wholeMs = agentWebhook.headersMs - (clock.elapsed() - began)
      const settings = { now: clock.now(), zone: context.reader.zone, wholeMs, lineMs: agentWebhook.lineMs, clock }
      const type = String(headers['content-type'] ?? '')
      const nameOf = replyNames(event!.eventId)
      const isFirstCall = !isRepeat && event!.tried === undefined && !event!.replayed
      const joined: Joined | undefined =
        isFirstCall && !isLineByLine(type) ? { names: new Set(), requests: [] } : undefined
      let reply = noReply
      for await (const piece of repliesIn(type, response.body, settings)) {
        if (piece.notes) reply = { ...reply, notes: [...reply.notes, ...piece.notes] }
        if ('problem' in piece) {
          if (piece.problem) reply = withProblem(reply, piece.problem)
          continue
        }
        reply = { ...reply, messages: reply.messages + 1 }
        const rejection = await taken(piece.message, reply.messages, nameOf(piece.message), joined, context, known)
        if (rejection) reply = withRejection(reply, reply.messages, rejection)
      }
      return { status, reply, ...(joined && { requests: joined.requests }) }
    }

    /** Sends a message of the reply, or joins it with those that are sent when all of the reply has been read. */
    async function taken(
      given: OutboundMessage,
      position: number,
      commandId: string,
      joined: Joined | undefined,
      context: AgentContext,
      { rules }: AgentRouting,
    ): Promise<Rejection | undefined> {
      const { message, ruled } = await applyRules(rules, given, context.reader, clock)
      const media = isSignal(message) ? noFiles : await hostMedia(deps.media, message, noFiles, signal)
      if (isRefusal(media)) throw new Error('the media of a reply could not be looked up')
      if (!isHosted(media)) return media
      const { eventId, event: about, replayed } = event!
      const answering = { ...(about.type === 'status' && { toStatus: eventId }), ...(ruled && { ruled }) }
      const files = media === noFiles ? {} : { media }
      const request: OutboundRequest = { message, from: 'reply', ...files, ...answering }
      if (joined) {
        if (!joined.names.has(commandId)) joined.requests.push({ position, request })
        joined.names.add(commandId)
        return undefined
      }
      const requests = [request]
      const answer = await send(commandId)
      // What was refused is decided anew with its event; what was taken before is not sent twice.
      const last = replayed && 'reason' in answer ? await send(`${commandId}:${replayed}`) : answer
      return 'reason' in last && !isSignal(message) ? last : undefined

      async function send(id: string): Promise<SendResult> {
        const answers = await shards.ask(asid, commands.sendMessages, { asid, agent: context, requests }, { id })
        if (isRefusal(answers)) throw new Error('a reply could not be noted')
        return answers[0]!
      }
    }
  }
}

/** What the webhook answered: an outcome without a reply, or a reply. */
interface Answered {
  readonly status?: number
  readonly outcome?: WebhookOutcome
  readonly reply?: ReplyOutcome
  /** Messages of the reply that are sent with its outcome. */
  readonly requests?: readonly ReplyRequest[]
}

interface Called {
  readonly outcome?: WebhookOutcome
  readonly reply?: Omit<ReplyInput, 'asid' | 'number'>
}

/**
 * Messages of a reply in one piece to the first call with an event: they are sent in the commit that takes the event out of
 * its queue. A call that is made again sends each under a name, since the call before may have sent some of them.
 */
interface Joined {
  readonly names: Set<string>
  readonly requests: ReplyRequest[]
}

function unreached(why: string): Answered {
  return { outcome: { kind: 'away', why } }
}

/**
 * Names replies after their event and what they say, whichever try it is: when the agent is called with the event again,
 * what it said before is not sent twice, and what it says otherwise is a message of its own. An id of the agent's own
 * stands for what the message says.
 */
function replyNames(eventId: string): (message: OutboundMessage) => string {
  const times = new Map<string, number>()
  return (message) => {
    const saying = message.id === undefined ? JSON.stringify(message) : `id ${message.id}`
    const name = createHash('sha256').update(saying).digest('base64url')
    const time = message.id === undefined ? (times.get(name) ?? 0) : 0
    times.set(name, time + 1)
    return `${eventId}:${name}:${time}`
  }
}

const gone: WebhookOutcome = { kind: 'refused', why: 'The agent is gone.' }
const acceptedTypes = 'application/json, application/x-ndjson, text/svc-aml'
