/**
 * API of the emulator page. A ticket authorizes its routes; operators get one with their key, or from the output of a
 * start.
 */
import Type from 'typebox'
import { isSignal } from '../../core/amf/index.js'
import { compile } from '../../core/aml/index.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { emulatorPage as limits } from '../../core/limits/index.js'
import { previewChannelsInSteps } from '../../core/render/index.js'
import type { Clock } from '../clock.js'
import { json, type PrecheckCall, type Route, route } from '../http/route.js'
import { runInSlices } from '../slices.js'
import type { ChatInspector } from './chat.js'
import type { EmulatorScene, PageAct, Phone } from './contract.js'
import { pictureRoute } from './pictures.js'
import {
  ActDetailsView,
  ActParams,
  ActView,
  AgentParams,
  AmlBody,
  AmlView,
  ChatEntryParams,
  ChatEntryView,
  MessageView,
  PageActBody,
  PhoneParams,
  SendAsBody,
  SendAsView,
  StageView,
  TicketView,
  UpdatesView,
  Visitor,
} from './schema.js'
import type { SendAs } from './sendas.js'
import type { Tickets } from './tickets.js'
import type { EmulatorUpdates } from './updates.js'

export interface PageRoutesOptions {
  readonly tickets: Tickets
  /** Ids of the sample agents of this start, in order. */
  readonly agentIds: () => readonly string[]
  /** A refusal `resource.not_found` if the agent is no sample agent, or was deleted. */
  readonly scene: (agentId: string) => Promise<EmulatorScene | Refusal>
  readonly updates: EmulatorUpdates
  readonly chat: ChatInspector
  readonly sendAs: SendAs
  readonly clock: Clock
}

const closed = { additionalProperties: false } as const
/** A header of its own, since a ticket is no API token. */
const ticketHeader = 'x-emulator-ticket'
const noTicket = refuse('auth.forbidden', { detail: 'A good ticket to the emulator page is missing.' })
const noAgent = refuse('resource.not_found', { detail: 'There is no sample agent in this installation.' })
const noPhone = refuse('resource.not_found', {
  errors: [{ field: 'channel', message: 'there is no phone of that channel' }],
})

export function pageApiRoutes(options: PageRoutesOptions): Route[] {
  const { tickets, agentIds, scene: findScene, updates, chat, sendAs, clock } = options
  const common = {
    plane: 'mgmt',
    tag: 'Emulator',
    access: { who: 'public' },
    headers: [ticketHeader],
    precheck: ({ header }: PrecheckCall) => (tickets.isValid(header(ticketHeader)) ? undefined : noTicket),
  } as const
  const errors = ['auth.forbidden', 'resource.not_found', 'service.unavailable'] as const

  async function phoneOf(agentId: string, channelName: string) {
    const scene = await findScene(agentId)
    if (isRefusal(scene)) return scene
    const phone = scene.phones.find(({ channel }) => channel === channelName)
    return phone ? { scene, phone } : noPhone
  }

  return [
    route({
      plane: 'mgmt',
      tag: 'Emulator',
      access: { who: 'sysop' },
      method: 'POST',
      path: '/system/emulator/tickets',
      summary: 'Get a ticket to the emulator page',
      reply: { 201: TicketView },
      handler: () => json(201, { ticket: tickets.mint() }),
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage',
      summary: 'The agents of the emulator page and the phones around them',
      reply: { 200: StageView },
      async handler() {
        const found = await Promise.all(agentIds().map((agentId) => findScene(agentId)))
        const failed = found.find((each) => isRefusal(each) && each.refused !== 'resource.not_found')
        if (failed) return failed as Refusal
        // An agent that was deleted since the start is no longer on the page.
        const scenes = found.flatMap((each) => (isRefusal(each) ? [] : [each]))
        if (scenes.length === 0) return noAgent
        const { pollMs, compileAfterMs, pictureChars } = limits
        return json(200, { agents: scenes.map(viewOf), pollMs, compileAfterMs, pictureChars })
      },
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/{agent}/news',
      params: AgentParams,
      summary: 'What happened on the phones of an agent since',
      query: Type.Object(
        {
          sent: Type.Optional(Type.Integer({ minimum: 0 })),
          acts: Type.Optional(Type.Integer({ minimum: 0 })),
          visitor: Visitor,
        },
        closed,
      ),
      reply: { 200: UpdatesView },
      async handler({ params: { agent }, query: { sent = 0, acts = 0, visitor } }) {
        const scene = await findScene(agent)
        if (isRefusal(scene)) return scene
        const result = await updates.since(scene, { sent, acts })
        if (isRefusal(result)) return result
        const entries = await chat.list(scene, visitor)
        return isRefusal(entries) ? entries : json(200, { ...result, chat: entries })
      },
    }),
    route({
      ...common,
      errors: [...errors, 'request.invalid'],
      method: 'POST',
      path: '/system/emulator/stage/{agent}/phones/{channel}/_act',
      summary: 'Do something with one of the phones',
      params: PhoneParams,
      body: PageActBody,
      reply: { 202: ActView },
      async handler({ params: { agent, channel }, body }) {
        const result = await phoneOf(agent, channel)
        if (isRefusal(result)) return result
        const outcome = await updates.act(result.scene, result.phone, body as PageAct)
        if (outcome.kind === 'impossible') return invalid('kind', outcome.why)
        return json(202, { calls: outcome.calls, taken: outcome.taken })
      },
    }),
    pictureRoute({ ...common, errors }, phoneOf, updates),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/{agent}/phones/{channel}/messages/{name}',
      summary: 'Everything about a message: as the agent wrote it, as the provider got it, and what is on record',
      params: PhoneParams,
      reply: { 200: MessageView },
      async handler({ params: { agent, channel, name } }) {
        const result = await phoneOf(agent, channel)
        if (isRefusal(result)) return result
        const details = await updates.messageDetails(result.scene, result.phone, name)
        return isRefusal(details) ? details : json(200, details)
      },
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/{agent}/acts/{number}',
      summary: 'Everything about something that was done on the page',
      params: ActParams,
      reply: { 200: ActDetailsView },
      async handler({ params: { agent, number } }) {
        const scene = await findScene(agent)
        if (isRefusal(scene)) return scene
        const details = await updates.actDetails(scene, Number(number))
        return isRefusal(details) ? details : json(200, details)
      },
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/{agent}/chat/lines/{cursor}',
      summary: 'Everything about a line of the web chat beside the phones',
      params: ChatEntryParams,
      query: Type.Object({ visitor: Visitor }, closed),
      reply: { 200: ChatEntryView },
      async handler({ params: { agent, cursor }, query: { visitor } }) {
        const scene = await findScene(agent)
        if (isRefusal(scene)) return scene
        const details = await chat.details(scene, Number(cursor), visitor)
        return isRefusal(details) ? details : json(200, details)
      },
    }),
    route({
      ...common,
      errors,
      method: 'POST',
      path: '/system/emulator/stage/{agent}/_say',
      params: AgentParams,
      summary: 'Have the agent send AML to one of the phones, or to a visitor of the web chat',
      body: SendAsBody,
      reply: { 200: SendAsView },
      async handler({ params: { agent }, body: { aml, channel, visitor } }) {
        const scene = await findScene(agent)
        if (isRefusal(scene)) return scene
        const { message } = compile(aml, { now: clock.now(), zone: scene.zone })
        if (!message) return json(200, { accepted: false, reason: 'invalidMessage' })
        const phone = scene.phones.find((each) => each.channel === channel)
        const chatAsid = visitor === undefined ? undefined : scene.asidOfVisitor(visitor)
        const asid = channel === 'webchat' ? chatAsid : phone?.asid
        if (asid === undefined) return json(200, { accepted: false, reason: 'unknownRecipient' })
        const outcome = await sendAs(scene, asid, message)
        return isRefusal(outcome) ? outcome : json(200, outcome)
      },
    }),
    route({
      ...common,
      errors,
      method: 'POST',
      path: '/system/emulator/stage/{agent}/_compile',
      params: AgentParams,
      summary: 'See what is wrong with AML, or what each channel would show of it',
      body: AmlBody,
      reply: { 200: AmlView },
      async handler({ params: { agent }, body: { aml } }) {
        const scene = await findScene(agent)
        if (isRefusal(scene)) return scene
        const { message, problems, warnings } = compile(aml, { now: clock.now(), zone: scene.zone })
        const steps =
          message && !isSignal(message) && previewChannelsInSteps(message, { locale: 'en-US', zone: scene.zone })
        const rendered = steps && (await runInSlices(steps, clock))
        return json(200, { problems, warnings, ...(message && { message }), ...(rendered && { renderings: rendered }) })
      },
    }),
  ]
}

function viewOf({ orgId, agentId, name, mode, suggestions, phones, chatUrl }: EmulatorScene) {
  const phoneViews = phones.map(({ channel, provider, address }: Phone) => ({ channel, provider, address }))
  return { orgId, agentId, name, mode, suggestions, phones: phoneViews, ...(chatUrl && { chatUrl }) }
}
