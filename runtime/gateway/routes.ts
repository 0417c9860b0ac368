/** The gateway as agents call it: messages, compile, capabilities. */
import Type from 'typebox'
import type { AgentCaller } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { isSignal } from '../../core/amf/index.js'
import { validateMessage } from '../../core/amf/validate.js'
import { compile } from '../../core/aml/index.js'
import { capabilitiesOf } from '../../core/channel/capabilities.js'
import type { Accepted } from '../../core/conversation/accept.js'
import type { Around } from '../../core/conversation/desk.js'
import { type Rejection, type RejectionReason, reject } from '../../core/conversation/refusals.js'
import type { Conversation } from '../../core/conversation/state.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { amf as limits } from '../../core/limits.js'
import { renderingsIn } from '../../core/render/index.js'
import type { Connection } from '../http/exchange.js'
import { json, type Route, route } from '../http/route.js'
import type { Query, Shards } from '../shard/contract.js'
import { inTurns } from '../turns.js'
import { aroundOf, type KnownAgent, readerOf } from './directory.js'
import { withHostedMedia } from './media.js'
import type { Places } from './places.js'
import { applyRules, type Ruled } from './replyrules.js'
import { CapabilityDocument, CompileBody, Compiled, NothingAccepted, SendBody, SendResults } from './schema.js'
import { conversationTable } from './tables.js'

const common = { plane: 'gateway', access: { who: 'agent' } } as const

/** Whose conversation it is and where it goes; null when nobody of that name was ever seen. */
export const readConversation: Query<{ readonly asid: string }, Conversation | null> = {
  name: 'conversation.read',
  read: (reader, { asid }) => reader.get(conversationTable, [asid]) ?? null,
}

/** The same, of whichever address the person is known by. */
export async function findConversation(
  shards: Pick<Shards, 'read'>,
  asid: string,
): Promise<Conversation | null | Refusal> {
  const found = await shards.read(asid, readConversation, { asid })
  if (!found || isRefusal(found) || !found.knownAs) return found
  return shards.read(found.knownAs.asid, readConversation, { asid: found.knownAs.asid })
}

export function gatewayRoutes(places: Places): Route[] {
  const { shards, commands, directory, clock, meters } = places

  function counted<R extends { readonly reason?: string }>(result: R): R {
    if (result.reason !== undefined) meters.refused(result.reason)
    return result
  }

  /** Another agent's person is as unknown as nobody's. */
  async function personOf(caller: AgentCaller, asid: string): Promise<Conversation | undefined | Refusal> {
    const found = await findConversation(shards, asid)
    if (!found || isRefusal(found)) return found ?? undefined
    return agentKeyOf(found.agent) === agentKeyOf(caller) ? found : undefined
  }

  /** One message after the other, so that a call has no more turns of the loop than any other. */
  async function judged(
    values: readonly unknown[],
    { rules }: KnownAgent,
    around: Around,
    connection: Connection,
  ): Promise<Prepared[] | Refusal> {
    const judged: Prepared[] = []
    const gone = rules && rules.length > 0 ? connection.signal : undefined
    for (const value of values) {
      const read = validateMessage(value)
      if ('problems' in read) judged.push(rejectionOf(read.problems))
      else judged.push(await applyRules(rules, read.message, around.reader, clock, gone))
      if (gone?.aborted)
        return refuse('service.unavailable', { detail: 'The caller left before its messages were taken.' })
    }
    return judged
  }

  async function hosted(each: Prepared, around: Around): Promise<Prepared | Refusal> {
    if (!('message' in each) || isSignal(each.message)) return each
    const hosted = await withHostedMedia(places.media, each.message, around.traits)
    if (isRefusal(hosted)) return hosted
    return 'reason' in hosted ? reject(hosted.reason, hosted.detail) : each
  }

  return [
    route({
      ...common,
      method: 'POST',
      path: '/messages',
      tag: 'Messages',
      summary: 'Send messages to a person',
      body: SendBody,
      judgesCharacters: true,
      bodyLimitBytes: limits.callBytes,
      reply: { 200: SendResults, 422: NothingAccepted },
      errors: ['request.invalid', 'service.unavailable'],
      async handler({ caller, body: { userId, messages, priority }, connection }) {
        const person = await personOf(caller, userId)
        if (isRefusal(person)) return person
        if (!person) return answerOf(messages.map(() => counted(shown(reject('unknownRecipient')))))
        const agent = await directory.routes(agentKeyOf(caller))
        if (isRefusal(agent)) return agent
        const around = aroundOf(agent, person, places)
        const allowed = await judged(messages, agent, around, connection)
        if (isRefusal(allowed)) return allowed
        const ready = await Promise.all(allowed.map((each) => hosted(each, around)))
        const unavailable = ready.find(isRefusal)
        if (unavailable) return unavailable
        const good = (ready as Prepared[]).flatMap((each) => ('message' in each ? [each] : []))
        const offered = good.map((each) => ({
          from: 'send' as const,
          ...each,
          ...(priority === 'batch' && { isBatch: true as const }),
        }))
        const answers =
          good.length === 0 ? [] : await shards.ask(person.asid, commands.offer, { asid: person.asid, around, offered })
        if (isRefusal(answers)) return answers
        let next = 0
        // What the conversation refused is on record, and counted from there.
        const results = (ready as Prepared[]).map((each) =>
          'message' in each ? shown(answers[next++]!) : counted(shown(each)),
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
        const agent = await directory.routes(agentKeyOf(caller))
        if (isRefusal(agent)) return agent
        const reader = readerOf(agent)
        const { message, problems, warnings } = compile(aml, { now: clock.now(), zone: reader.zone })
        if (!message) {
          const detail = 'The text has problems; nothing was compiled.'
          return refuse('request.invalid', { status: 422, detail, extra: { problems, warnings } })
        }
        if (validateOnly) return json(200, { warnings, problems })
        const seen = isSignal(message) ? undefined : await inTurns(renderingsIn(message, reader), clock)
        return json(200, { warnings, problems, message, ...(seen && { renderings: seen }) })
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
        const person = await personOf(caller, userId)
        if (isRefusal(person)) return person
        if (!person) return refuse('resource.not_found', { detail: 'This agent has never seen that user.' })
        const agent = await directory.routes(agentKeyOf(caller))
        if (isRefusal(agent)) return agent
        const { traits, binding } = aroundOf(agent, person, places)
        return json(200, capabilitiesOf(traits, binding?.provider ?? ''))
      },
    }),
  ]
}

type Prepared = Ruled | Rejection

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

/** A success means that something was accepted. */
function answerOf(results: readonly Result[]) {
  if (results.some(({ accepted }) => accepted)) return json(200, { results })
  const reasons = [...new Set(results.map(({ reason }) => reason))].join(', ')
  return json(422, { message: `No message was accepted: ${reasons}.`, results })
}

function shown(answer: Accepted): Result {
  if ('messageId' in answer) return { messageId: answer.messageId, accepted: true }
  return { messageId: '', accepted: false, ...answer }
}
