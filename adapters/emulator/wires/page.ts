/** Messenger and Instagram: messages of a page, and webhooks with messages, postbacks and watermarks. */
import { isRecord, parseJson } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits.js'
import type { Accept, Account, Call, Deed, Desk, Kept, Standing, Tap, Wire, WireAnswer } from '../contract.js'
import type { Loose, Shape } from '../shape.js'
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
import { instagramBody, messengerBody } from './pageshapes.js'

interface Kind {
  readonly name: 'messenger' | 'instagram'
  readonly object: 'page' | 'instagram'
  readonly body: Shape
  /** What is told of a message by itself. */
  readonly receipts: Accepted
}
type Accepted = Parameters<Accept>[2]

const unavailable = graphFailure(400, 551, '(#551) This person is not available right now')
const refusals: Readonly<Record<Standing, WireAnswer | undefined>> = {
  well: undefined,
  unreachable: graphFailure(400, 100, '(#100) No matching user found', { error_subcode: 2_018_001 }),
  blocked: unavailable,
  optedOut: unavailable,
}
const windowClosed = graphFailure(400, 10, '(#10) This message is sent outside of allowed window.', {
  error_subcode: 2_018_278,
})
const pageIdOf = (account: Account) => account.auth.pageId as string
/** By which events name whom they are about: Messenger has its page there, Instagram the account. */
const subjectOf = (account: Account) => (account.auth.accountId ?? account.auth.pageId) as string
/** A quick reply comes back with as much of its title as was shown. */
const titleChars = 20

function pageWire({ name, object, body: shape, receipts }: Kind): Wire {
  const event = (account: Account, address: string, content: object, desk: Desk, sender = address): Call => {
    const recipient = sender === address ? subjectOf(account) : address
    const messaging = [{ sender: { id: sender }, recipient: { id: recipient }, timestamp: desk.now(), ...content }]
    return hubSigned(account, { object, entry: [{ id: subjectOf(account), time: desk.now(), messaging }] })
  }

  function heard(account: Account, address: string, deed: Deed, desk: Desk): object | string {
    const mid = `m_${desk.newId(16)}`
    switch (deed.kind) {
      case 'text':
        return { message: { mid, text: deed.text } }
      case 'stop':
        return { message: { mid, text: 'STOP' } }
      case 'tap':
        return tapped(deed.tap, mid)
      case 'media': {
        const type = ['image', 'video', 'audio'].find((each) => deed.type.startsWith(each)) ?? 'file'
        return { message: { mid, attachments: [{ type, payload: { url: deed.url } }] } }
      }
      case 'read': {
        const newest = desk.keptFor(account, address).at(-1)
        return newest ? readOf(newest, desk) : 'Nothing was sent to them.'
      }
      default:
        return `${name} tells nothing of ${deed.kind}.`
    }
  }

  return {
    name,
    prefix: 'graph',
    retryAfterMs: limits.retryAfterMs.graph,
    patienceMs: limits.patienceMs.usual,
    address: (given) => given.trim(),

    credentials: (mint, places) => ({
      pageId: `2${mint('pageId', 14, '0123456789')}`,
      ...(name === 'instagram' && { accountId: `17841${mint('accountId', 12, '0123456789')}` }),
      ...appCredentials(mint, places, 'EAAG'),
    }),

    read(request, desk) {
      const node = nodeOf(request)
      const accounts = desk.accounts(name)
      const account =
        node === 'me'
          ? accounts.find((each) => holdsToken(request, each))
          : accounts.find((each) => pageIdOf(each) === node)
      if (!account) return node === 'me' && name === 'instagram' ? badToken : undefined
      if (!holdsToken(request, account)) return badToken
      const body = parseJson(request.body)
      const problem = body === undefined ? 'The body is not JSON' : shape(body, '')
      if (problem !== undefined) return graphFailure(400, 100, `(#100) ${problem}`)
      const { recipient, message } = body as { recipient: { id: string }; message?: Loose }
      const address = recipient.id
      const perform = (accept: Accept) => sent(body as Loose, account, address, desk, accept)
      return { account, address, what: message ? 'message' : 'other', perform }
    },

    refusal: graphRefusal(613),

    tell(account, kept, { state }, desk) {
      if (state === 'echo') {
        const { text } = (kept.body as { message: Loose }).message
        const message = { mid: kept.providerId, is_echo: true, ...(text !== undefined && { text }) }
        return event(account, kept.address, { message }, desk, subjectOf(account))
      }
      const content =
        state === 'delivered' ? { delivery: { mids: [kept.providerId], watermark: desk.now() } } : readOf(kept, desk)
      return event(account, kept.address, content, desk)
    },

    deed(account, address, deed, desk) {
      const content = heard(account, address, deed, desk)
      return typeof content === 'string' ? content : [event(account, address, content, desk)]
    },

    taps: tapsIn,
    greeting: hubGreeting,
  }

  async function sent(body: Loose, account: Account, address: string, desk: Desk, accept: Accept): Promise<WireAnswer> {
    const isTagged = body.messaging_type === 'MESSAGE_TAG'
    const refusal = refusals[desk.standing(account, address)]
    if (refusal) return refusal
    if (!isTagged && !isWindowOpen(account, address, desk)) return windowClosed
    if (!body.message) return { status: 200, body: { recipient_id: address } }
    const id = `m_${desk.newId(24)}`
    await accept(id, body, receipts)
    return { status: 200, body: { recipient_id: address, message_id: id } }
  }

  /** Everything up to a moment was seen; Instagram also names the message. */
  function readOf({ providerId }: Kept, desk: Desk) {
    return { read: { watermark: desk.now(), ...(name === 'instagram' && { mid: providerId }) } }
  }
}

export const messenger = pageWire({
  name: 'messenger',
  object: 'page',
  body: messengerBody,
  receipts: [{ state: 'delivered' }, { state: 'read' }],
})
export const instagram = pageWire({
  name: 'instagram',
  object: 'instagram',
  body: instagramBody,
  receipts: [{ state: 'echo' }, { state: 'read' }],
})

function tapped({ label, postback, part }: Tap, mid: string): object {
  if ((part as Loose).content_type === undefined) return { postback: { mid, title: label, payload: postback } }
  const title = [...label].slice(0, titleChars).join('')
  return { message: { mid, text: title, quick_reply: { payload: postback } } }
}

function tapsIn(body: unknown): readonly Tap[] {
  const { message } = isRecord(body) ? body : {}
  if (!isRecord(message)) return []
  const { attachment, quick_replies: quick = [] } = message as { attachment?: Loose; quick_replies?: readonly Loose[] }
  const { elements = [], buttons = [] } = (isRecord(attachment?.payload) ? attachment.payload : {}) as Readonly<
    Record<string, readonly Loose[]>
  >
  const inCards = elements.flatMap((each) => (each.buttons ?? []) as readonly Loose[])
  const postbacks = [...inCards, ...buttons].filter(({ type }) => type === 'postback')
  return [...postbacks, ...quick].map((part) => ({ label: String(part.title), postback: String(part.payload), part }))
}
