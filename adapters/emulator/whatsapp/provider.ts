/** Emulates the WhatsApp Cloud API: messages by the id of a number; webhooks with messages and statuses. */
import { isRecord, parseJson } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type {
  Accept,
  AcceptedMessage,
  Account,
  EmulatedProvider,
  EmulatorAnswer,
  EmulatorContext,
  Receipt,
  RecipientStatus,
  Tap,
} from '../contract.js'
import {
  appCredentials,
  badToken,
  graphFailure,
  graphRefusal,
  hasToken,
  hubGreeting,
  isWindowOpen,
  nodeOf,
  signedCallback,
} from '../messenger/graph.js'
import type { JsonObject } from '../shape.js'
import { fileOf, readFile } from './files.js'
import { messageBody, readMark } from './schema.js'

const numberIdOf = (account: Account) => account.auth.phoneNumberId as string

/** The API accepts messages to such people and reports the failure later. */
const failureOf: Readonly<Record<RecipientStatus, number | undefined>> = {
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

export const whatsapp: EmulatedProvider = {
  name: 'whatsapp',
  prefix: 'graph',
  retryAfterMs: limits.retryAfterMs.graph,
  timeoutMs: limits.webhookTimeoutMs.usual,
  address: (text) => text.replace(/\D/g, ''),

  credentials: (mint, addresses) => ({
    phoneNumberId: `1${mint('phoneNumberId', 14, '0123456789')}`,
    ...appCredentials(mint, addresses, 'EAA'),
  }),

  read(request, context) {
    const file = readFile(request, context)
    if (file) return file
    const node = nodeOf(request)
    const account = context.accounts('whatsapp').find((each) => numberIdOf(each) === node)
    if (!account) return undefined
    if (!hasToken(request, account)) return badToken
    const body = parseJson(request.body)
    const isMark = isRecord(body) && body.status !== undefined
    const problem = body === undefined ? 'The body is not JSON' : (isMark ? readMark : messageBody)(body, '')
    if (problem !== undefined) return graphFailure(400, 100, `(#100) ${problem}`, { error_data: { details: problem } })
    return isMark ? markRead(body, account, context) : messageCall(body as JsonObject, account, context)
  },

  refusal: graphRefusal(130_429),

  receiptCallback(account, accepted, { state, code }, context) {
    const errors = [
      { code, title: titles[code ?? 0], message: titles[code ?? 0], error_data: { details: titles[code ?? 0] } },
    ]
    const status = {
      id: accepted.providerId,
      status: state,
      timestamp: secondsOf(context),
      recipient_id: accepted.address,
      ...callbackDataOf(accepted),
      ...(state === 'failed' && { errors }),
    }
    return callback(account, { statuses: [status] })
  },

  callbacksFor(account, address, userAct, context) {
    const message = (content: object) => {
      const id = wamid(context)
      context.recordId(account, id)
      const inboundMessage = { from: address, id, timestamp: secondsOf(context), ...content }
      return callback(account, {
        contacts: [{ profile: { name: `Person ${address}` }, wa_id: address }],
        messages: [inboundMessage],
      })
    }
    switch (userAct.kind) {
      case 'text':
        return [message({ type: 'text', text: { body: userAct.text } })]
      case 'stop':
        return [message({ type: 'text', text: { body: 'STOP' } })]
      case 'tap':
        return [
          message({
            context: { from: numberIdOf(account), id: userAct.accepted.providerId },
            ...tapContent(userAct.tap),
          }),
        ]
      case 'location': {
        const { latitude, longitude, label } = userAct
        return [
          message({ type: 'location', location: { latitude, longitude, ...(label !== undefined && { name: label }) } }),
        ]
      }
      case 'media':
        return [message(fileOf(account, address, userAct, context))]
      case 'read': {
        const newest = context.messagesFor(account, address).at(-1)
        return newest
          ? [whatsapp.receiptCallback(account, newest, { state: 'read' }, context)!]
          : 'Nothing was sent to them.'
      }
      default:
        return `WhatsApp does not report ${userAct.kind}.`
    }
  },

  taps(body) {
    const { interactive } = isRecord(body) ? body : {}
    const { action } = isRecord(interactive) ? interactive : {}
    const {
      buttons = [],
      sections = [],
      cards = [],
    } = (isRecord(action) ? action : {}) as Readonly<Record<string, readonly JsonObject[]>>
    const inCards = cards.flatMap((card) => ((card.action as JsonObject).buttons ?? []) as readonly JsonObject[])
    return [
      ...[...buttons, ...inCards].map((each) => tapOf((each.reply ?? each.quick_reply) as JsonObject, each)),
      ...sections.flatMap(({ rows }) =>
        (rows as readonly JsonObject[]).map((row) => ({ ...tapOf(row, row), row: true as const })),
      ),
    ]
  },

  greeting: hubGreeting,
}

function messageCall(body: JsonObject, account: Account, context: EmulatorContext) {
  const address = whatsapp.address(body.to as string)
  const perform = (accept: Accept) => acceptMessage(body, account, address, context, accept)
  return { account, address, kind: 'message' as const, perform }
}

async function acceptMessage(
  body: JsonObject,
  account: Account,
  address: string,
  context: EmulatorContext,
  accept: Accept,
): Promise<EmulatorAnswer> {
  const isFree = body.type !== 'template' && !isWindowOpen(account, address, context)
  const code = failureOf[context.recipientStatus(account, address)] ?? (isFree ? windowClosed : undefined)
  const id = wamid(context)
  const receipts: readonly Receipt[] =
    code === undefined ? [{ state: 'sent' }, { state: 'delivered' }, { state: 'read' }] : [{ state: 'failed', code }]
  await accept(id, body, receipts)
  const contacts = [{ input: body.to, wa_id: address }]
  return { status: 200, body: { messaging_product: 'whatsapp', contacts, messages: [{ id }] } }
}

function markRead(body: JsonObject, account: Account, context: EmulatorContext): EmulatorAnswer {
  const isKnown = context.hasId(account, body.message_id as string)
  return isKnown
    ? { status: 200, body: { success: true } }
    : graphFailure(400, 131_009, '(#131009) Parameter value is not valid')
}

function callback(account: Account, content: object) {
  const metadata = { display_phone_number: '15550001111', phone_number_id: numberIdOf(account) }
  const value = { messaging_product: 'whatsapp', metadata, ...content }
  const entry = [{ id: `waba-${account.id}`, changes: [{ field: 'messages', value }] }]
  return signedCallback(account, { object: 'whatsapp_business_account', entry })
}

function tapOf({ id, title }: JsonObject, part: JsonObject): Tap {
  return { label: String(title), postback: String(id), part }
}

function tapContent({ label, postback, row, part }: Tap): object {
  const reply = { id: postback, title: label }
  if (!row) return { type: 'interactive', interactive: { type: 'button_reply', button_reply: reply } }
  const { description } = part as JsonObject
  const listReply = { ...reply, ...(description !== undefined && { description }) }
  return { type: 'interactive', interactive: { type: 'list_reply', list_reply: listReply } }
}

function wamid(context: EmulatorContext): string {
  return `wamid.${Buffer.from(context.newId(18), 'hex').toString('base64')}`
}

/** Every status repeats the sender's callback data. */
function callbackDataOf({ body }: AcceptedMessage): { readonly biz_opaque_callback_data?: unknown } {
  const { biz_opaque_callback_data: data } = body as { readonly biz_opaque_callback_data?: unknown }
  return data === undefined ? {} : { biz_opaque_callback_data: data }
}

function secondsOf(context: EmulatorContext): string {
  return String(Math.floor(context.now() / 1_000))
}
