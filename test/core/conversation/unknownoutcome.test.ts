/**
 * A message that its provider may have: it is handed over once more at most, or asked for, and never counts as failed.
 */

import t from 'tap'
import type { DeliveryOutcome } from '../../../core/conversation/outcome.js'
import { conversation as limits } from '../../../core/limits/index.js'
import { type Chat, createChat, idOf, text } from './fixture.js'

type Refused = Extract<DeliveryOutcome, { kind: 'refused' }>
const refused = (more: Partial<Refused> = {}): Refused => ({
  kind: 'refused',
  reason: 'sendFailed',
  retry: 'later',
  ...more,
})

/** Time goes on to the next try, if there is one. */
function retrySend(chat: Chat): boolean {
  const at = chat.timers.get('send')
  if (at === undefined) return false
  chat.advance(at - chat.now())
  chat.fireTimer('send')
  return true
}

const doubtful = { reason: 'unknown', detail: /may have it/ }

t.test('A message with an unknown outcome is sent once more, and then counts as sent with a doubt', async (t) => {
  const chat = createChat()
  const id = idOf(chat.send(text('one')))
  chat.applyOutcome(refused({ isUnknown: true }))
  t.ok(retrySend(chat))
  chat.applyOutcome(refused({ isUnknown: 'last' }))
  t.notOk(retrySend(chat))
  t.equal(chat.delivered.length, 2)
  t.match(chat.types(), [{ type: 'status', status: { messageId: id, state: 'sent', ...doubtful } }])
  t.match(chat.traffic.at(-1), { type: 'status', subtype: 'sent', raw: { reason: 'unknown' } }, 'the record says so')
  t.notOk(chat.conversation().inFlight)
})

t.test('A message with an unknown outcome never fails because the provider was busy afterwards', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.applyOutcome(refused({ isUnknown: true }))
  while (retrySend(chat)) chat.applyOutcome(refused({ reason: 'rateLimited' }))
  t.equal(chat.delivered.length, limits.sendRetryMs.length + 1)
  t.match(chat.types(), [{ status: { state: 'sent', ...doubtful } }])
})

t.test('A message that a lookup at the provider does not find may fail', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.applyOutcome(refused({ isUnknown: true }))
  while (retrySend(chat)) chat.applyOutcome(refused({ isAbsent: true }))
  t.match(chat.types(), [{ status: { state: 'failed', reason: 'sendFailed' } }])
})

t.test('A permanent refusal after an unknown outcome fails the message', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.applyOutcome(refused({ isUnknown: true }))
  retrySend(chat)
  chat.applyOutcome(refused({ reason: 'unknownRecipient', retry: 'otherChannel' }))
  t.match(chat.types(), [{ status: { state: 'failed', reason: 'unknownRecipient' } }])
})

t.test('An opener with an unknown outcome is not submitted by another attempt of its send', async (t) => {
  const chat = createChat()
  const message = text('one') as never
  chat.open({ message, sendRef: { sendId: 'snd_1', attempt: 1, isLast: false } })
  chat.applyOutcome(refused({ isUnknown: true }))
  t.same(chat.reports(), [])
  retrySend(chat)
  chat.applyOutcome(refused({ isUnknown: 'last' }))
  t.match(chat.reports(), [{ sendId: 'snd_1', attempt: 1, state: 'sent', reason: 'unknown' }])
})

t.test('Receipts for either copy of a message are applied', async (t) => {
  const chat = createChat()
  const id = idOf(chat.send(text('one')))
  chat.applyOutcome(refused({ isUnknown: true }))
  chat.receipt({ providerId: 'SM-first', pieceId: `${id}.0`, state: 'delivered' })
  retrySend(chat)
  chat.sent('SM-second')
  chat.receipt({ providerId: 'SM-second', pieceId: `${id}.0`, state: 'delivered' })
  chat.receipt({ providerId: 'SM-first', pieceId: `${id}.0`, state: 'read' })
  t.match(chat.types(), [
    { status: { messageId: id, state: 'sent' } },
    { status: { messageId: id, state: 'delivered' } },
    { status: { messageId: id, state: 'read' } },
  ])
})

t.test('A message in pieces is delivered when one copy of each piece is delivered', async (t) => {
  const chat = createChat()
  const id = idOf(chat.send(text('one')))
  chat.applyOutcome({ kind: 'sent', providerIds: ['SM-1', 'SM-2'] })
  chat.types()
  chat.receipt({ providerId: 'SM-1', pieceId: `${id}.0`, state: 'delivered' })
  chat.receipt({ providerId: 'SM-1-copy', pieceId: `${id}.0`, state: 'delivered' })
  t.same(chat.types(), [])
  chat.receipt({ providerId: 'SM-2-copy', pieceId: `${id}.1`, state: 'delivered' })
  t.match(chat.types(), [{ status: { state: 'delivered' } }])
})

t.test('A provider’s retry delay is respected, within bounds', async (t) => {
  const waited = (retryAfterMs: number) => {
    const chat = createChat()
    idOf(chat.send(text('one')))
    chat.applyOutcome(refused({ reason: 'rateLimited', retryAfterMs }))
    return chat.timers.get('send')! - chat.now()
  }
  t.equal(waited(8_000), 8_000)
  t.equal(waited(0), limits.sendRetryMs[0])
  t.equal(waited(10 ** 9), limits.retryAfterMaxMs)
})
