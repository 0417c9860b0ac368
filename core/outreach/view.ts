/** A send as callers read it. */
import Type, { type Static } from 'typebox'
import { closedObject, optional } from '../agent/resources/schemas.js'
import { channelNames } from '../channelnames.js'
import { type Send, sendOrigins, sendReasons, sendStates } from './send.js'

const moment = Type.String({ format: 'date-time' })
const text = Type.String()

export const SendDelivery = closedObject('OutreachSendDelivery', {
  known: Type.Boolean({ description: 'False: nothing is known of the delivery, and the rest says nothing.' }),
  sent: Type.Boolean(),
  delivered: Type.Boolean(),
  read: Type.Boolean(),
  failed: Type.Boolean(),
  sentAt: optional(moment),
  deliveredAt: optional(moment),
  readAt: optional(moment),
  failedAt: optional(moment),
  failReason: optional(text),
})

export const OutreachSend = closedObject('OutreachSend', {
  sendId: text,
  outreachId: text,
  origin: Type.Enum([...sendOrigins]),
  campaignId: optional(text),
  automatedOutreachId: optional(text),
  followUpOf: optional(Type.String({ description: 'It is the follow-up of this send, whose opening got no answer.' })),
  personId: text,
  state: Type.Enum([...sendStates]),
  reason: optional(Type.Enum([...sendReasons])),
  detail: optional(text),
  channel: optional(Type.Enum([...channelNames])),
  asid: optional(text),
  address: optional(text),
  messageId: optional(text),
  queuedAt: moment,
  sentAt: optional(moment),
  failedAt: optional(moment),
  cancelledAt: optional(moment),
  respondedAt: optional(moment),
  attempts: Type.Integer(),
  nextAttemptAt: optional(moment),
  delivery: SendDelivery,
  consent: optional(
    closedObject('OutreachSendConsent', {
      claimed: Type.Enum(['yes', 'none']),
      recorded: Type.Enum(['granted', 'unknown', 'new']),
      evidence: optional(text),
      capturedAt: optional(text),
      source: optional(text),
    }),
  ),
})
export type OutreachSend = Static<typeof OutreachSend>

const iso = (at: number) => new Date(at).toISOString()

/** Members of the record that the view copies, and those that are times. */
const copiedFields = [
  'outreachId',
  'origin',
  'campaignId',
  'automatedOutreachId',
  'followUpOf',
  'personId',
  'state',
  'reason',
  'detail',
  'channel',
  'asid',
  'messageId',
] as const
const momentFields = ['queuedAt', 'sentAt', 'failedAt', 'cancelledAt', 'respondedAt', 'nextAttemptAt'] as const

/** `seesAddress`: the caller may export people. */
export function sendView(send: Send, seesAddress: boolean): OutreachSend {
  const view: Record<string, unknown> = { sendId: send.id }
  for (const name of copiedFields) if (send[name] !== undefined) view[name] = send[name]
  if (seesAddress) view.address = send.address
  for (const name of momentFields) if (send[name] !== undefined) view[name] = iso(send[name]!)
  view.attempts = send.attempts
  view.delivery = deliveryOf(send)
  if (send.consent) view.consent = send.consent
  return view as OutreachSend
}

/** Without a receipt the result is unknown, and every boolean is false. */
function deliveryOf({ receipts }: Send): Static<typeof SendDelivery> {
  const { sentAt, deliveredAt, readAt, failedAt, failReason } = receipts ?? {}
  return {
    known: receipts !== undefined,
    sent: sentAt !== undefined || deliveredAt !== undefined || readAt !== undefined,
    delivered: deliveredAt !== undefined || readAt !== undefined,
    read: readAt !== undefined,
    failed: failedAt !== undefined,
    ...(sentAt !== undefined && { sentAt: iso(sentAt) }),
    ...(deliveredAt !== undefined && { deliveredAt: iso(deliveredAt) }),
    ...(readAt !== undefined && { readAt: iso(readAt) }),
    ...(failedAt !== undefined && { failedAt: iso(failedAt) }),
    ...(failReason !== undefined && { failReason }),
  }
}
