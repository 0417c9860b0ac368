/** A message that its provider may have: it is handed over once more at most, or asked for, and never counts as failed. */
import t from 'tap'
import type { Outcome } from '../../../core/conversation/sending.js'
import { conversation as limits } from '../../../core/limits.js'
import { idOf, laid, type Table, text } from './table.js'

type Refused = Extract<Outcome, { kind: 'refused' }>
const refused = (more: Partial<Refused> = {}): Refused => ({
  kind: 'refused',
  reason: 'sendFailed',
  again: 'later',
  ...more,
})

/** Time goes on to the next try, if there is one. */
function again(table: Table): boolean {
  const at = table.wakes.get('send')
  if (at === undefined) return false
  table.pass(at - table.now())
  table.woken('send')
  return true
}

const doubtful = { reason: 'unknown', detail: /may have it/ }

t.test(
  'A provider that may have a message is given it once more, and then it counts as sent, with a doubt',
  async (t) => {
    const table = laid()
    const id = idOf(table.offer(text('one')))
    table.answers(refused({ isUnknown: true }))
    t.ok(again(table))
    table.answers(refused({ isUnknown: 'last' }))
    t.notOk(again(table))
    t.equal(table.delivered.length, 2)
    t.match(table.types(), [{ type: 'status', status: { messageId: id, state: 'sent', ...doubtful } }])
    t.match(table.traffic.at(-1), { type: 'status', subtype: 'sent', raw: { reason: 'unknown' } }, 'the record says so')
    t.notOk(table.conversation().flight)
  },
)

t.test('What a provider may have never counts as failed because it was busy afterwards', async (t) => {
  const table = laid()
  idOf(table.offer(text('one')))
  table.answers(refused({ isUnknown: true }))
  while (again(table)) table.answers(refused({ reason: 'rateLimited' }))
  t.equal(table.delivered.length, limits.sendAgainMs.length + 1)
  t.match(table.types(), [{ status: { state: 'sent', ...doubtful } }])
})

t.test('What the provider was asked for and does not have may fail', async (t) => {
  const table = laid()
  idOf(table.offer(text('one')))
  table.answers(refused({ isUnknown: true }))
  while (again(table)) table.answers(refused({ isAbsent: true }))
  t.match(table.types(), [{ status: { state: 'failed', reason: 'sendFailed' } }])
})

t.test('What the provider refuses for good after it may have had it has failed', async (t) => {
  const table = laid()
  idOf(table.offer(text('one')))
  table.answers(refused({ isUnknown: true }))
  again(table)
  table.answers(refused({ reason: 'unknownRecipient', again: 'elsewhere' }))
  t.match(table.types(), [{ status: { state: 'failed', reason: 'unknownRecipient' } }])
})

t.test('The opening of a send whose outcome is unknown is not handed over by another try of the send', async (t) => {
  const table = laid()
  const message = text('one') as never
  table.open({ message, forSend: { sendId: 'snd_1', attempt: 1, isLast: false } })
  table.answers(refused({ isUnknown: true }))
  t.same(table.sendNews(), [])
  again(table)
  table.answers(refused({ isUnknown: 'last' }))
  t.match(table.sendNews(), [{ sendId: 'snd_1', attempt: 1, state: 'sent', reason: 'unknown' }])
})

t.test('Receipts that name either copy of a message are applied', async (t) => {
  const table = laid()
  const id = idOf(table.offer(text('one')))
  table.answers(refused({ isUnknown: true }))
  table.receipt({ providerId: 'SM-first', pieceId: `${id}.0`, state: 'delivered' })
  again(table)
  table.sent('SM-second')
  table.receipt({ providerId: 'SM-second', pieceId: `${id}.0`, state: 'delivered' })
  table.receipt({ providerId: 'SM-first', pieceId: `${id}.0`, state: 'read' })
  t.match(table.types(), [
    { status: { messageId: id, state: 'sent' } },
    { status: { messageId: id, state: 'delivered' } },
    { status: { messageId: id, state: 'read' } },
  ])
})

t.test('A message in pieces is delivered when one copy of each piece is', async (t) => {
  const table = laid()
  const id = idOf(table.offer(text('one')))
  table.answers({ kind: 'sent', providerIds: ['SM-1', 'SM-2'] })
  table.types()
  table.receipt({ providerId: 'SM-1', pieceId: `${id}.0`, state: 'delivered' })
  table.receipt({ providerId: 'SM-1-copy', pieceId: `${id}.0`, state: 'delivered' })
  t.same(table.types(), [])
  table.receipt({ providerId: 'SM-2-copy', pieceId: `${id}.1`, state: 'delivered' })
  t.match(table.types(), [{ status: { state: 'delivered' } }])
})

t.test('A provider that asks to wait is not asked before, within bounds', async (t) => {
  const waited = (retryAfterMs: number) => {
    const table = laid()
    idOf(table.offer(text('one')))
    table.answers(refused({ reason: 'rateLimited', retryAfterMs }))
    return table.wakes.get('send')! - table.now()
  }
  t.equal(waited(8_000), 8_000)
  t.equal(waited(0), limits.sendAgainMs[0])
  t.equal(waited(10 ** 9), limits.retryAfterMostMs)
})
