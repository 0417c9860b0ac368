/** What the WhatsApp Cloud API tells: everything that people did comes first, then what became of our messages. */
import type { IngressRequest, Item, Received } from '../../../core/channel/adapter.js'
import type { ToldContent, ToldInbound } from '../../../core/channel/held.js'
import type { Inbound } from '../../../core/conversation/hear.js'
import type { Receipt } from '../../../core/conversation/receipts.js'
import type { UserContent } from '../../../core/conversation/state.js'
import { notUnderstood } from '../../kit/inbound.js'
import { asNumber, asText, isRecord } from '../../kit/wire.js'
import { refusalOf } from '../graph.js'
import { addressIn, idIn, type Loose, readEach, receiveHub, tapOrWords } from '../hub.js'
import { refusals, type WhatsappAuth } from './descriptor.js'

export function receive(request: IngressRequest, auth: WhatsappAuth): Received {
  return receiveHub(request, auth, (body) => {
    const values: Loose[] = []
    const problems = readEach(body.entry, 'entry', ({ changes }) =>
      readEach(changes, 'changes', (change) => {
        const value = ours(change, auth)
        if (isRecord(value)) values.push(value)
        return typeof value === 'string' ? [{ problem: value }] : []
      }),
    )
    const messages = values.flatMap((value) =>
      readEach(value.messages, 'messages', (each) => [messageItem(each, value.contacts)]),
    )
    const statuses = values.flatMap((value) => readEach(value.statuses, 'statuses', (each) => [statusItem(each)]))
    return [...problems, ...messages, ...statuses]
  })
}

/** One app may have several numbers, and all of them call the same address. */
function ours({ field, value }: Loose, { phoneNumberId }: WhatsappAuth): Loose | string {
  if (field !== 'messages' || !isRecord(value)) return 'a change of a kind that is not understood'
  const number = isRecord(value.metadata) ? asText(value.metadata.phone_number_id) : undefined
  return number === undefined || number === phoneNumberId ? value : 'something about another number'
}

/** People with a username have no number here: they are known by an id of the business, which comes with their contact. */
function personIn(message: Loose, contacts: unknown): string | undefined {
  const [only] = Array.isArray(contacts) && contacts.length === 1 ? contacts : []
  const contact = isRecord(only) ? only : {}
  return (
    addressIn(message.from) ??
    addressIn(contact.wa_id) ??
    addressIn(message.from_user_id) ??
    addressIn(message.user_id) ??
    addressIn(contact.user_id)
  )
}

function messageItem(message: Loose, contacts: unknown): Item {
  const [id, address] = [idIn(message.id), personIn(message, contacts)]
  if (!id || !address) return { problem: 'a message without `id`, `from` or `user_id`' }
  return { id, address, inbound: inboundIn(message) ?? unclearIn(message) }
}

/** What a person did that has no place in a conversation is told as a message that says so. */
function unclearIn(message: Loose): Inbound {
  const { type, reaction, contacts, interactive } = message
  const emoji = isRecord(reaction) ? asText(reaction.emoji) : undefined
  if (type === 'reaction') return notUnderstood(emoji ? 'a reaction' : 'back a reaction', emoji)
  if (type === 'contacts') return notUnderstood('a contact', namesIn(contacts))
  const flow = isRecord(interactive) && isRecord(interactive.nfm_reply) ? interactive.nfm_reply : undefined
  if (flow) return notUnderstood('a form', asText(flow.response_json) ?? asText(flow.body))
  return notUnderstood('something')
}

function namesIn(contacts: unknown): string {
  const all: readonly unknown[] = Array.isArray(contacts) ? contacts : []
  const named = all.map((each) => {
    if (!isRecord(each)) return ''
    const name = isRecord(each.name) ? (asText(each.name.formatted_name) ?? '') : ''
    const phones: readonly unknown[] = Array.isArray(each.phones) ? each.phones : []
    return [name, ...phones.map((phone) => (isRecord(phone) ? asText(phone.phone) : undefined))]
      .filter(Boolean)
      .join(' ')
  })
  return named.filter(Boolean).join(', ')
}

function inboundIn(message: Loose): ToldInbound | undefined {
  const type = asText(message.type) ?? ''
  const about = Object.hasOwn(message, type) ? message[type] : undefined
  if (!isRecord(about)) return undefined
  if (type === 'interactive') return replyIn(about)
  if (type === 'button') return tapOrWords(asText(about.payload), asText(about.text))
  const content = type === 'text' ? saidIn(about) : type === 'location' ? placeIn(about) : mediaIn(type, about)
  return content && { kind: 'content', content }
}

/** The member that `type` names holds what was tapped. */
function replyIn(interactive: Loose): Inbound | undefined {
  const { type } = interactive
  if (type !== 'button_reply' && type !== 'list_reply') return undefined
  const reply = interactive[type]
  return isRecord(reply) ? tapOrWords(asText(reply.id), asText(reply.title)) : undefined
}

function saidIn({ body }: Loose): UserContent | undefined {
  return typeof body === 'string' ? { text: body } : undefined
}

function placeIn({ latitude, longitude, name, address }: Loose): UserContent | undefined {
  const [north, east] = [asNumber(latitude), asNumber(longitude)]
  if (north === undefined || east === undefined) return undefined
  return {
    place: {
      latitude: north,
      longitude: east,
      ...(typeof name === 'string' && { label: name }),
      ...(typeof address === 'string' && { address }),
    },
  }
}

/** Media has an id, which opens with the access token of the binding only. An address beside it does so, too, and not for long. */
function mediaIn(kind: string, media: Loose): ToldContent | undefined {
  if (!['image', 'video', 'audio', 'document', 'sticker'].includes(kind)) return undefined
  const held = idIn(media.id)
  if (!held) return undefined
  const { mime_type: type, filename: name, caption } = media
  return {
    ...(typeof caption === 'string' && { text: caption }),
    media: [{ held, ...(typeof type === 'string' && { type }), ...(typeof name === 'string' && { name }) }],
  }
}

const states: readonly Receipt['state'][] = ['sent', 'delivered', 'read', 'failed']

function statusItem(status: Loose): Item {
  const address = addressIn(status.recipient_id) ?? addressIn(status.recipient_user_id)
  const providerId = idIn(status.id)
  if (!providerId || !address) return { problem: 'a status without `id` or whom it is about' }
  const state = states.find((each) => each === status.status)
  if (!state) return { problem: 'a status that is not understood' }
  const why = state === 'failed' ? failureIn(status.errors) : {}
  const pieceId = idIn(status.biz_opaque_callback_data)
  const receipt: Receipt = { providerId, ...(pieceId && { pieceId }), state, ...why }
  return { id: `${providerId}:${state}`, address, inbound: { kind: 'receipt', receipt } }
}

function failureIn(errors: unknown): Pick<Receipt, 'reason' | 'detail'> {
  const [error] = Array.isArray(errors) ? errors : []
  const code = isRecord(error) ? asNumber(error.code) : undefined
  if (code === undefined) return { reason: 'sendFailed' }
  const reason = refusalOf(code, undefined, refusals)?.reason ?? 'sendFailed'
  return { reason, detail: `The provider answered with code ${code}.` }
}
