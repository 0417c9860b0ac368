/** Tells an agent of one event by its webhook, and takes what it answers while it answers. */

import { createHash } from 'node:crypto'
import type { AgentRouting } from '../../core/agent/routing.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import type { AgentContext } from '../../core/conversation/context.js'
import type { WebhookOutcome } from '../../core/conversation/eventqueue.js'
import type { SendResult } from '../../core/conversation/outbound.js'
import { isDecided, type Rejection } from '../../core/conversation/rejections.js'
import { isRefusal } from '../../core/errors.js'
import { agentWebhook } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands } from '../conversation/contract.js'
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
import { type Piece, repliesIn } from './replies.js'
import { applyRules } from './replyrules.js'

export interface DispatchDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendMessages' | 'webhookOutcome'>
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

  return async ({ asid, number }: CallWebhook, { reader, signal, settles, aside }) => {
    const conversation = reader.get(conversationTable, [asid])
    const event = reader.get(eventTable, [asid, number])
    if (!conversation || !event || conversation.firstEvent !== number) return
    const agent = await directory.get(agentKeyOf(conversation.agent))
    if (isRefusal(agent) && agent.refused !== 'resource.not_found')
      throw new Error('the agent cannot be looked up just now')
    const outcome = isRefusal(agent) ? gone : await calledAt(agent)
    const noted = await shards.ask(asid, commands.webhookOutcome, { asid, number, outcome }, { settles })
    if (isRefusal(noted)) throw new Error('what became of an event could not be noted')

    async function calledAt(known: AgentRouting): Promise<WebhookOutcome> {
      if (!known.webhook) return { kind: 'taken' }
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
      const { answer, ...outcome } = 'kind' in done ? done : { kind: 'away' as const, why: done.message, answer: {} }
      const ms = clock.elapsed() - began
      deps.metrics.called(outcome, ms)
      return { ...outcome, called: { ms: Math.round(ms), ...answer } }
    }

    async function exchange(
      send: Send,
      request: { url: string; headers: Record<string, string>; body: Uint8Array },
      context: AgentContext,
      known: AgentRouting,
    ): Promise<WebhookOutcome & Answered> {
      const began = clock.elapsed()
      const response = await send({ method: 'POST', ...request })
      const { statusCode: status, headers } = response
      if (status < 200 || status > 299) {
        drain(response.body)
        const why = `The webhook answered ${status}.`
        if (status !== 429 && status < 500) return { kind: 'refused', why, answer: { status } }
        const retryAfterMs = retryAfterOf(headers['retry-after'], clock.now())
        return { kind: 'away', why, answer: { status }, ...(retryAfterMs && { retryAfterMs }) }
      }
      const wholeMs = agentWebhook.headersMs - (clock.elapsed() - began)
      const settings = { now: clock.now(), zone: context.reader.zone, wholeMs, lineMs: agentWebhook.lineMs, clock }
      const problems: string[] = []
      const refused: string[] = []
      const notes: LogNote[] = []
      const nameOf = replyNames(event!.eventId)
      let messages = 0
      for await (const piece of repliesIn(String(headers['content-type'] ?? ''), response.body, settings)) {
        if ('message' in piece) messages++
        if (piece.notes) notes.push(...piece.notes)
        const problem = await taken(piece, nameOf, context, known)
        if (problem === undefined) continue
        if (typeof problem === 'string') {
          problems.push(problem)
          continue
        }
        const { reason, detail } = problem
        const told = `Message ${messages} of the reply was refused: ${detail ? `${reason}: ${detail}` : `${reason}.`}`
        ;(isDecided(problem) ? refused : problems).push(told)
        if (reason === 'mediaUnreachable') notes.push({ event: 'media.unreachable', data: { detail } })
      }
      return {
        kind: 'taken',
        answer: { status, messages },
        ...(problems.length > 0 && { problem: problems.slice(0, agentWebhook.notedPerReply).join(' ') }),
        ...(refused.length > 0 && { refused: refused.slice(0, agentWebhook.notedPerReply).join(' ') }),
        ...(notes.length > 0 && { notes: notes.slice(0, agentWebhook.notedPerReply) }),
      }
    }

    async function taken(
      piece: Piece,
      nameOf: ReturnType<typeof replyNames>,
      context: AgentContext,
      { rules }: AgentRouting,
    ): Promise<string | Rejection | undefined> {
      if ('problem' in piece) return piece.problem || undefined
      const commandId = nameOf(piece.message)
      const { message, ruled } = await applyRules(rules, piece.message, context.reader, clock)
      const media = isSignal(message) ? noFiles : await hostMedia(deps.media, message, noFiles, signal)
      if (isRefusal(media)) throw new Error('the media of a reply could not be looked up')
      if (!isHosted(media)) return media
      const { eventId, event: about, replayed } = event!
      const answering = { ...(about.type === 'status' && { toStatus: eventId }), ...(ruled && { ruled }) }
      const files = media === noFiles ? {} : { media }
      const requests = [{ message, from: 'reply' as const, ...files, ...answering }]
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

interface Answered {
  readonly answer: { readonly status: number; readonly messages?: number }
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
