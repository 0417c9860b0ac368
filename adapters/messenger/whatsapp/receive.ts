/** What the WhatsApp Cloud API tells: everything that people did comes first, then what became of our messages. */
import type { IngressRequest, Item, Received } from '../../../core/channel/adapter.js'
import type { ToldContent, ToldInbound } from '../../../core/channel/held.js'
import type { Inbound } from '../../../core/conversation/hear.js'
import type { Receipt } from '../../../core/conversation/receipts.js'
import type { UserContent } from '../../../core/conversation/state.js'
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
    const messages = values.flatMap((value) => readEach(value.messages, 'messages', (each) => [messageItem(each)]))
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

function messageItem(message: Loose): Item {
  const [id, address] = [idIn(message.id), addressIn(message.from)]
  if (!id || !address) return { problem: 'a message without `id` or `from`' }
  const inbound = inboundIn(message)
  return inbound ? { id, address, inbound } : { problem: 'a message of a type that is not understood' }
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
  const [providerId, address] = [idIn(status.id), addressIn(status.recipient_id)]
  if (!providerId || !address) return { problem: 'a status without `id` or `recipient_id`' }
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
