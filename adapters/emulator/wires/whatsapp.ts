/** The WhatsApp Cloud API: messages by the id of a number, and webhooks with messages and statuses. */
import { isRecord, parseJson } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits.js'
import type { Accept, Account, Desk, Kept, Receipt, Standing, Tap, Wire, WireAnswer } from '../contract.js'
import type { Loose } from '../shape.js'
import {
  appCredentials,
  badToken,
  graphFailure,
  graphRefusal,
  holdsToken,
  hubGreeting,
  hubSigned,
  isWindowOpen,
  nodeOf,
} from './graph.js'
import { fileOf, readFile } from './whatsappfiles.js'
import { marking, sending } from './whatsappshapes.js'

const numberIdOf = (account: Account) => account.auth.phoneNumberId as string

/** The API takes messages for such people and tells afterwards that they failed. */
const failureOf: Readonly<Record<Standing, number | undefined>> = {
  well: undefined,
  unreachable: 131_026,
  blocked: 131_049,
  optedOut: 131_050,
}
const windowClosed = 131_047
const titles: Readonly<Record<number, string>> = {
  131026: 'Message undeliverable',
  131047: 'Re-engagement message',
  131049: 'This message was not delivered to maintain healthy ecosystem engagement.',
  131050: 'User has stopped messages',
}

export const whatsapp: Wire = {
  name: 'whatsapp',
  prefix: 'graph',
  retryAfterMs: limits.retryAfterMs.graph,
  patienceMs: limits.patienceMs.usual,
  address: (given) => given.replace(/\D/g, ''),

  credentials: (mint, places) => ({
    phoneNumberId: `1${mint('phoneNumberId', 14, '0123456789')}`,
    ...appCredentials(mint, places, 'EAA'),
  }),

  read(request, desk) {
    const file = readFile(request, desk)
    if (file) return file
    const node = nodeOf(request)
    const account = desk.accounts('whatsapp').find((each) => numberIdOf(each) === node)
    if (!account) return undefined
    if (!holdsToken(request, account)) return badToken
    const body = parseJson(request.body)
    const isMark = isRecord(body) && body.status !== undefined
    const problem = body === undefined ? 'The body is not JSON' : (isMark ? marking : sending)(body, '')
    if (problem !== undefined) return graphFailure(400, 100, `(#100) ${problem}`, { error_data: { details: problem } })
    return isMark ? marked(body, account, desk) : understood(body as Loose, account, desk)
  },

  refusal: graphRefusal(130_429),

  tell(account, kept, { state, code }, desk) {
    const errors = [
      { code, title: titles[code ?? 0], message: titles[code ?? 0], error_data: { details: titles[code ?? 0] } },
    ]
    const status = {
      id: kept.providerId,
      status: state,
      timestamp: secondsOf(desk),
      recipient_id: kept.address,
      ...callbackDataOf(kept),
      ...(state === 'failed' && { errors }),
    }
    return told(account, { statuses: [status] })
  },

  deed(account, address, deed, desk) {
    const message = (content: object) => {
      const id = wamid(desk)
      desk.said(account, id)
      const heard = { from: address, id, timestamp: secondsOf(desk), ...content }
      return told(account, {
        contacts: [{ profile: { name: `Person ${address}` }, wa_id: address }],
        messages: [heard],
      })
    }
    switch (deed.kind) {
      case 'text':
        return [message({ type: 'text', text: { body: deed.text } })]
      case 'stop':
        return [message({ type: 'text', text: { body: 'STOP' } })]
      case 'tap':
        return [message({ context: { from: numberIdOf(account), id: deed.kept.providerId }, ...tapped(deed.tap) })]
      case 'location': {
        const { latitude, longitude, label } = deed
        return [
          message({ type: 'location', location: { latitude, longitude, ...(label !== undefined && { name: label }) } }),
        ]
      }
      case 'media':
        return [message(fileOf(account, address, deed, desk))]
      case 'read': {
        const newest = desk.keptFor(account, address).at(-1)
        return newest ? [whatsapp.tell(account, newest, { state: 'read' }, desk)!] : 'Nothing was sent to them.'
      }
      default:
        return `WhatsApp tells nothing of ${deed.kind}.`
    }
  },

  taps(body) {
    const { interactive } = isRecord(body) ? body : {}
    const { action } = isRecord(interactive) ? interactive : {}
    const {
      buttons = [],
      sections = [],
      cards = [],
    } = (isRecord(action) ? action : {}) as Readonly<Record<string, readonly Loose[]>>
    const inCards = cards.flatMap((card) => ((card.action as Loose).buttons ?? []) as readonly Loose[])
    return [
      ...[...buttons, ...inCards].map((each) => tapOf((each.reply ?? each.quick_reply) as Loose, each)),
      ...sections.flatMap(({ rows }) =>
        (rows as readonly Loose[]).map((row) => ({ ...tapOf(row, row), row: true as const })),
      ),
    ]
  },

  greeting: hubGreeting,
}

function understood(body: Loose, account: Account, desk: Desk) {
  const address = whatsapp.address(body.to as string)
  const perform = (accept: Accept) => sent(body, account, address, desk, accept)
  return { account, address, what: 'message' as const, perform }
}

async function sent(body: Loose, account: Account, address: string, desk: Desk, accept: Accept): Promise<WireAnswer> {
  const isFree = body.type !== 'template' && !isWindowOpen(account, address, desk)
  const code = failureOf[desk.standing(account, address)] ?? (isFree ? windowClosed : undefined)
  const id = wamid(desk)
  const receipts: readonly Receipt[] =
    code === undefined ? [{ state: 'sent' }, { state: 'delivered' }, { state: 'read' }] : [{ state: 'failed', code }]
  await accept(id, body, receipts)
  const contacts = [{ input: body.to, wa_id: address }]
  return { status: 200, body: { messaging_product: 'whatsapp', contacts, messages: [{ id }] } }
}

function marked(body: Loose, account: Account, desk: Desk): WireAnswer {
  const isKnown = desk.saidBy(account, body.message_id as string)
  return isKnown
    ? { status: 200, body: { success: true } }
    : graphFailure(400, 131_009, '(#131009) Parameter value is not valid')
}

function told(account: Account, content: object) {
  const metadata = { display_phone_number: '15550001111', phone_number_id: numberIdOf(account) }
  const value = { messaging_product: 'whatsapp', metadata, ...content }
  const entry = [{ id: `waba-${account.id}`, changes: [{ field: 'messages', value }] }]
  return hubSigned(account, { object: 'whatsapp_business_account', entry })
}

function tapOf({ id, title }: Loose, part: Loose): Tap {
  return { label: String(title), postback: String(id), part }
}

function tapped({ label, postback, row, part }: Tap): object {
  const reply = { id: postback, title: label }
  if (!row) return { type: 'interactive', interactive: { type: 'button_reply', button_reply: reply } }
  const { description } = part as Loose
  const picked = { ...reply, ...(description !== undefined && { description }) }
  return { type: 'interactive', interactive: { type: 'list_reply', list_reply: picked } }
}

function wamid(desk: Desk): string {
  return `wamid.${Buffer.from(desk.newId(18), 'hex').toString('base64')}`
}

/** What the sender gave along is told with every status. */
function callbackDataOf({ body }: Kept): { readonly biz_opaque_callback_data?: unknown } {
  const { biz_opaque_callback_data: data } = body as { readonly biz_opaque_callback_data?: unknown }
  return data === undefined ? {} : { biz_opaque_callback_data: data }
}

function secondsOf(desk: Desk): string {
  return String(Math.floor(desk.now() / 1_000))
}
