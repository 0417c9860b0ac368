/** Emulates Messenger and Instagram: messages of a page; webhooks with messages, postbacks and watermarks. */
import { isRecord, parseJson } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type {
  Accept,
  AcceptedMessage,
  Account,
  Call,
  EmulatedProvider,
  EmulatorAnswer,
  EmulatorContext,
  RecipientStatus,
  Tap,
  UserAct,
} from '../contract.js'
import type { JsonObject, Shape } from '../shape.js'
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
} from './graph.js'
import { instagramBody, messengerBody } from './schema.js'

interface Kind {
  readonly name: 'messenger' | 'instagram'
  readonly object: 'page' | 'instagram'
  readonly body: Shape
  /** The receipts that come automatically. */
  readonly receipts: PlannedReceipts
}
type PlannedReceipts = Parameters<Accept>[2]

const unavailable = graphFailure(400, 551, '(#551) This person is not available right now')
const refusals: Readonly<Record<RecipientStatus, EmulatorAnswer | undefined>> = {
  well: undefined,
  unreachable: graphFailure(400, 100, '(#100) No matching user found', { error_subcode: 2_018_001 }),
  blocked: unavailable,
  optedOut: unavailable,
}
const windowClosed = graphFailure(400, 10, '(#10) This message is sent outside of allowed window.', {
  error_subcode: 2_018_278,
})
const pageIdOf = (account: Account) => account.auth.pageId as string
/** The account's id in events: Messenger uses the page id, Instagram the account id. */
const senderIdOf = (account: Account) => (account.auth.accountId ?? account.auth.pageId) as string
/** A quick reply comes back with its title as the phone showed it, cut to this length. */
const titleChars = 20

function createPageProvider({ name, object, body: shape, receipts }: Kind): EmulatedProvider {
  const event = (
    account: Account,
    address: string,
    content: object,
    context: EmulatorContext,
    sender = address,
  ): Call => {
    const recipient = sender === address ? senderIdOf(account) : address
    const messaging = [{ sender: { id: sender }, recipient: { id: recipient }, timestamp: context.now(), ...content }]
    return signedCallback(account, { object, entry: [{ id: senderIdOf(account), time: context.now(), messaging }] })
  }

  function contentFor(account: Account, address: string, userAct: UserAct, context: EmulatorContext): object | string {
    const mid = `m_${context.newId(16)}`
    switch (userAct.kind) {
      case 'text':
        return { message: { mid, text: userAct.text } }
      case 'stop':
        return { message: { mid, text: 'STOP' } }
      case 'tap':
        return tapContent(userAct.tap, mid)
      case 'media': {
        const type = ['image', 'video', 'audio'].find((each) => userAct.type.startsWith(each)) ?? 'file'
        return { message: { mid, attachments: [{ type, payload: { url: userAct.url } }] } }
      }
      case 'read': {
        const newest = context.messagesFor(account, address).at(-1)
        return newest ? readOf(newest, context) : 'Nothing was sent to them.'
      }
      default:
        return `${name} does not report ${userAct.kind}.`
    }
  }

  return {
    name,
    prefix: 'graph',
    retryAfterMs: limits.retryAfterMs.graph,
    timeoutMs: limits.webhookTimeoutMs.usual,
    address: (text) => text.trim(),

    credentials: (mint, addresses) => ({
      pageId: `2${mint('pageId', 14, '0123456789')}`,
      ...(name === 'instagram' && { accountId: `17841${mint('accountId', 12, '0123456789')}` }),
      ...appCredentials(mint, addresses, 'EAAG'),
    }),

    read(request, context) {
      const node = nodeOf(request)
      const accounts = context.accounts(name)
      const account =
        node === 'me'
          ? accounts.find((each) => hasToken(request, each))
          : accounts.find((each) => pageIdOf(each) === node)
      if (!account) return node === 'me' && name === 'instagram' ? badToken : undefined
      if (!hasToken(request, account)) return badToken
      const body = parseJson(request.body)
      const problem = body === undefined ? 'The body is not JSON' : shape(body, '')
      if (problem !== undefined) return graphFailure(400, 100, `(#100) ${problem}`)
      const { recipient, message } = body as { recipient: { id: string }; message?: JsonObject }
      const address = recipient.id
      const perform = (accept: Accept) => acceptMessage(body as JsonObject, account, address, context, accept)
      return { account, address, kind: message ? 'message' : 'other', perform }
    },

    refusal: graphRefusal(613),

    receiptCallback(account, accepted, { state }, context) {
      if (state === 'echo') {
        const { text } = (accepted.body as { message: JsonObject }).message
        const message = { mid: accepted.providerId, is_echo: true, ...(text !== undefined && { text }) }
        return event(account, accepted.address, { message }, context, senderIdOf(account))
      }
      const content =
        state === 'delivered'
          ? { delivery: { mids: [accepted.providerId], watermark: context.now() } }
          : readOf(accepted, context)
      return event(account, accepted.address, content, context)
    },

    callbacksFor(account, address, userAct, context) {
      const content = contentFor(account, address, userAct, context)
      return typeof content === 'string' ? content : [event(account, address, content, context)]
    },

    taps: tapsIn,
    greeting: hubGreeting,
  }

  async function acceptMessage(
    body: JsonObject,
    account: Account,
    address: string,
    context: EmulatorContext,
    accept: Accept,
  ): Promise<EmulatorAnswer> {
    const isTagged = body.messaging_type === 'MESSAGE_TAG'
    const refusal = refusals[context.recipientStatus(account, address)]
    if (refusal) return refusal
    if (!isTagged && !isWindowOpen(account, address, context)) return windowClosed
    if (!body.message) return { status: 200, body: { recipient_id: address } }
    const id = `m_${context.newId(24)}`
    await accept(id, body, receipts)
    return { status: 200, body: { recipient_id: address, message_id: id } }
  }

  /** Marks everything up to a moment as read; Instagram also names the message. */
  function readOf({ providerId }: AcceptedMessage, context: EmulatorContext) {
    return { read: { watermark: context.now(), ...(name === 'instagram' && { mid: providerId }) } }
  }
}

export const messenger = createPageProvider({
  name: 'messenger',
  object: 'page',
  body: messengerBody,
  receipts: [{ state: 'delivered' }, { state: 'read' }],
})
export const instagram = createPageProvider({
  name: 'instagram',
  object: 'instagram',
  body: instagramBody,
  receipts: [{ state: 'echo' }, { state: 'read' }],
})

function tapContent({ label, postback, part }: Tap, mid: string): object {
  if ((part as JsonObject).content_type === undefined) return { postback: { mid, title: label, payload: postback } }
  const title = [...label].slice(0, titleChars).join('')
  return { message: { mid, text: title, quick_reply: { payload: postback } } }
}

function tapsIn(body: unknown): readonly Tap[] {
  const { message } = isRecord(body) ? body : {}
  if (!isRecord(message)) return []
  const { attachment, quick_replies: quickReplies = [] } = message as {
    attachment?: JsonObject
    quick_replies?: readonly JsonObject[]
  }
  const { elements = [], buttons = [] } = (isRecord(attachment?.payload) ? attachment.payload : {}) as Readonly<
    Record<string, readonly JsonObject[]>
  >
  const inCards = elements.flatMap((each) => (each.buttons ?? []) as readonly JsonObject[])
  const postbacks = [...inCards, ...buttons].filter(({ type }) => type === 'postback')
  return [...postbacks, ...quickReplies].map((part) => ({
    label: String(part.title),
    postback: String(part.payload),
    part,
  }))
}
