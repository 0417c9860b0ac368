/** The routes of the emulator page. A ticket opens them; operators get one with their key, or from what a start prints. */
import Type from 'typebox'
import { isSignal } from '../../core/amf/index.js'
import { compile } from '../../core/aml/index.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { emulatorPage as limits } from '../../core/limits.js'
import { renderingsIn } from '../../core/render/index.js'
import type { Clock } from '../clock.js'
import { type BeforeCall, json, type Route, route } from '../http/route.js'
import { inTurns } from '../turns.js'
import type { ChatDesk } from './chat.js'
import type { PageAct, Phone, Stage } from './contract.js'
import type { NewsDesk } from './news.js'
import { pictureRoute } from './pictures.js'
import type { Sayer } from './saying.js'
import {
  ActView,
  AmlBody,
  AmlView,
  ChatLineView,
  DeedView,
  MessageView,
  NewsView,
  ofPhone,
  PageActBody,
  SayBody,
  SayView,
  StageView,
  TicketView,
  Visitor,
} from './schema.js'
import type { Tickets } from './ticket.js'
import type { Told } from './told.js'

export interface PageRoutesOptions {
  readonly tickets: Tickets
  /** Not found while there is nobody to meet. */
  readonly stage: () => Promise<Stage | Refusal>
  readonly news: NewsDesk
  readonly chat: ChatDesk
  readonly told: Pick<Told, 'visitor'>
  readonly say: Sayer
  readonly clock: Clock
}

const closed = { additionalProperties: false } as const
/** No token of the API, and so not where those are. */
const ticketHeader = 'x-emulator-ticket'
const noTicket = refuse('auth.forbidden', { detail: 'A good ticket to the emulator page is missing.' })
const noPhone = refuse('resource.not_found', {
  errors: [{ field: 'channel', message: 'there is no phone of that channel' }],
})

export function pageApiRoutes(options: PageRoutesOptions): Route[] {
  const { tickets, stage: findStage, news, chat, told, say, clock } = options
  const common = {
    plane: 'mgmt',
    tag: 'Emulator',
    access: { who: 'public' },
    headers: [ticketHeader],
    before: ({ header }: BeforeCall) => (tickets.isGood(header(ticketHeader)) ? undefined : noTicket),
  } as const
  const errors = ['auth.forbidden', 'resource.not_found', 'service.unavailable'] as const

  /** Whoever has a ticket, and the agent they meet. */
  async function admitted(header: (name: string) => string): Promise<Stage | Refusal> {
    return tickets.isGood(header(ticketHeader)) ? findStage() : noTicket
  }

  async function phoneOf(header: (name: string) => string, wanted: string) {
    const stage = await admitted(header)
    if (isRefusal(stage)) return stage
    const phone = stage.phones.find(({ channel }) => channel === wanted)
    return phone ? { stage, phone } : noPhone
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
      async handler({ header }) {
        const stage = await admitted(header)
        return isRefusal(stage) ? stage : json(200, viewOf(stage))
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
      reply: { 200: NewsView },
      async handler({ header, query: { sent = 0, acts = 0, visitor } }) {
        const stage = await admitted(header)
        if (isRefusal(stage)) return stage
        const found = await news.since(stage, { sent, acts })
        if (isRefusal(found)) return found
        const lines = await chat.lines(stage, visitor)
        return isRefusal(lines) ? lines : json(200, { ...found, chat: lines })
      },
    }),
    route({
      ...common,
      errors: [...errors, 'request.invalid'],
      method: 'POST',
      path: '/system/emulator/stage/phones/{channel}/_act',
      summary: 'Do something with one of the phones',
      params: ofPhone,
      body: PageActBody,
      reply: { 202: ActView },
      async handler({ header, params: { channel }, body }) {
        const found = await phoneOf(header, channel)
        if (isRefusal(found)) return found
        const outcome = await news.act(found.phone, body as PageAct)
        if (outcome.kind === 'impossible') return invalid('kind', outcome.why)
        return json(202, { calls: outcome.calls, taken: outcome.taken })
      },
    }),
    pictureRoute({ ...common, errors }, phoneOf, news),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/phones/{channel}/messages/{name}',
      summary: 'Everything about a message: as the agent wrote it, as the provider got it, and what is on record',
      params: ofPhone,
      reply: { 200: MessageView },
      async handler({ header, params: { channel, name } }) {
        const found = await phoneOf(header, channel)
        if (isRefusal(found)) return found
        const story = await news.message(found.stage, found.phone, name)
        return isRefusal(story) ? story : json(200, story)
      },
    }),
    route({
      ...common,
      errors,
      method: 'GET',
      path: '/system/emulator/stage/acts/{number}',
      summary: 'Everything about something that was done on the page',
      params: Type.Object({ number: Type.String({ pattern: '^[0-9]{1,9}$' }) }),
      reply: { 200: DeedView },
      async handler({ header, params: { number } }) {
        const stage = await admitted(header)
        if (isRefusal(stage)) return stage
        const deed = await news.deed(stage, Number(number))
        return isRefusal(deed) ? deed : json(200, deed)
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
      reply: { 200: ChatLineView },
      async handler({ header, params: { cursor }, query: { visitor } }) {
        const stage = await admitted(header)
        if (isRefusal(stage)) return stage
        const story = await chat.line(stage, Number(cursor), visitor)
        return isRefusal(story) ? story : json(200, story)
      },
    }),
    route({
      ...common,
      errors,
      method: 'POST',
      path: '/system/emulator/stage/_say',
      summary: 'Have the agent send AML to one of the phones, or to a visitor of the web chat',
      body: SayBody,
      reply: { 200: SayView },
      async handler({ header, body: { aml, channel, visitor } }) {
        const stage = await admitted(header)
        if (isRefusal(stage)) return stage
        const { message } = compile(aml, { now: clock.now(), zone: stage.zone })
        if (!message) return json(200, { accepted: false, reason: 'invalidMessage' })
        const phone = stage.phones.find((each) => each.channel === channel)
        const inChat = visitor === undefined ? told.visitor() : stage.asidOfVisitor(visitor)
        const asid = channel === 'webchat' ? inChat : phone?.asid
        if (asid === undefined) return json(200, { accepted: false, reason: 'unknownRecipient' })
        const outcome = await say(stage, asid, message)
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
      async handler({ header, body: { aml } }) {
        const stage = await admitted(header)
        if (isRefusal(stage)) return stage
        const { message, problems, warnings } = compile(aml, { now: clock.now(), zone: stage.zone })
        const steps = message && !isSignal(message) && renderingsIn(message, { locale: 'en-US', zone: stage.zone })
        const seen = steps && (await inTurns(steps, clock))
        return json(200, { problems, warnings, ...(message && { message }), ...(seen && { renderings: seen }) })
      },
    }),
  ]
}

function viewOf({ orgId, agentId, name, phones, chatUrl }: Stage) {
  const { pollMs, compileAfterMs, pictureChars } = limits
  const shown = phones.map(({ channel, provider, address }: Phone) => ({ channel, provider, address }))
  return { orgId, agentId, name, phones: shown, ...(chatUrl && { chatUrl }), pollMs, compileAfterMs, pictureChars }
}
