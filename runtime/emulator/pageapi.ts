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
  ActView,
  AmlBody,
  AmlView,
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
import type { WebhookLog } from './webhooklog.js'

export interface PageRoutesOptions {
  readonly tickets: Tickets
  /** A refusal `resource.not_found` while there is no agent. */
  readonly scene: () => Promise<EmulatorScene | Refusal>
  readonly updates: EmulatorUpdates
  readonly chat: ChatInspector
  readonly webhookLog: Pick<WebhookLog, 'lastVisitor'>
  readonly sendAs: SendAs
  readonly clock: Clock
}

const closed = { additionalProperties: false } as const
/** A header of its own, since a ticket is no API token. */
const ticketHeader = 'x-emulator-ticket'
const noTicket = refuse('auth.forbidden', { detail: 'A good ticket to the emulator page is missing.' })
const noPhone = refuse('resource.not_found', {
  errors: [{ field: 'channel', message: 'there is no phone of that channel' }],
})

export function pageApiRoutes(options: PageRoutesOptions): Route[] {
  const { tickets, scene: findScene, updates, chat, webhookLog, sendAs, clock } = options
  const common = {
    plane: 'mgmt',
    tag: 'Emulator',
    access: { who: 'public' },
    headers: [ticketHeader],
    precheck: ({ header }: PrecheckCall) => (tickets.isValid(header(ticketHeader)) ? undefined : noTicket),
  } as const
  const errors = ['auth.forbidden', 'resource.not_found', 'service.unavailable'] as const

  async function phoneOf(channelName: string) {
    const scene = await findScene()
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
      summary: 'The agent of the emulator page and the phones around it',
      reply: { 200: StageView },
      async handler() {
        const scene = await findScene()
        return isRefusal(scene) ? scene : json(200, viewOf(scene))
      },
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/news',
      summary: 'What happened on the phones since',
      query: Type.Object(
        {
          sent: Type.Optional(Type.Integer({ minimum: 0 })),
          acts: Type.Optional(Type.Integer({ minimum: 0 })),
          visitor: Visitor,
        },
        closed,
      ),
      reply: { 200: UpdatesView },
      async handler({ query: { sent = 0, acts = 0, visitor } }) {
        const scene = await findScene()
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
      path: '/system/emulator/stage/phones/{channel}/_act',
      summary: 'Do something with one of the phones',
      params: PhoneParams,
      body: PageActBody,
      reply: { 202: ActView },
      async handler({ params: { channel }, body }) {
        const result = await phoneOf(channel)
        if (isRefusal(result)) return result
        const outcome = await updates.act(result.phone, body as PageAct)
        if (outcome.kind === 'impossible') return invalid('kind', outcome.why)
        return json(202, { calls: outcome.calls, taken: outcome.taken })
      },
    }),
    pictureRoute({ ...common, errors }, phoneOf, updates),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/phones/{channel}/messages/{name}',
      summary: 'Everything about a message: as the agent wrote it, as the provider got it, and what is on record',
      params: PhoneParams,
      reply: { 200: MessageView },
      async handler({ params: { channel, name } }) {
        const result = await phoneOf(channel)
        if (isRefusal(result)) return result
        const details = await updates.messageDetails(result.scene, result.phone, name)
        return isRefusal(details) ? details : json(200, details)
      },
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/acts/{number}',
      summary: 'Everything about something that was done on the page',
      params: Type.Object({ number: Type.String({ pattern: '^[0-9]{1,9}$' }) }),
      reply: { 200: ActDetailsView },
      async handler({ params: { number } }) {
        const scene = await findScene()
        if (isRefusal(scene)) return scene
        const details = await updates.actDetails(scene, Number(number))
        return isRefusal(details) ? details : json(200, details)
      },
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/chat/lines/{cursor}',
      summary: 'Everything about a line of the web chat beside the phones',
      params: Type.Object({ cursor: Type.String({ pattern: '^[0-9]{1,12}$' }) }),
      query: Type.Object({ visitor: Visitor }, closed),
      reply: { 200: ChatEntryView },
      async handler({ params: { cursor }, query: { visitor } }) {
        const scene = await findScene()
        if (isRefusal(scene)) return scene
        const details = await chat.details(scene, Number(cursor), visitor)
        return isRefusal(details) ? details : json(200, details)
      },
    }),
    route({
      ...common,
      errors,
      method: 'POST',
      path: '/system/emulator/stage/_say',
      summary: 'Have the agent send AML to one of the phones, or to a visitor of the web chat',
      body: SendAsBody,
      reply: { 200: SendAsView },
      async handler({ body: { aml, channel, visitor } }) {
        const scene = await findScene()
        if (isRefusal(scene)) return scene
        const { message } = compile(aml, { now: clock.now(), zone: scene.zone })
        if (!message) return json(200, { accepted: false, reason: 'invalidMessage' })
        const phone = scene.phones.find((each) => each.channel === channel)
        const chatAsid = visitor === undefined ? webhookLog.lastVisitor() : scene.asidOfVisitor(visitor)
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
      path: '/system/emulator/stage/_compile',
      summary: 'See what is wrong with AML, or what each channel would show of it',
      body: AmlBody,
      reply: { 200: AmlView },
      async handler({ body: { aml } }) {
        const scene = await findScene()
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

function viewOf({ orgId, agentId, name, phones, chatUrl }: EmulatorScene) {
  const { pollMs, compileAfterMs, pictureChars } = limits
  const phoneViews = phones.map(({ channel, provider, address }: Phone) => ({ channel, provider, address }))
  return { orgId, agentId, name, phones: phoneViews, ...(chatUrl && { chatUrl }), pollMs, compileAfterMs, pictureChars }
}
