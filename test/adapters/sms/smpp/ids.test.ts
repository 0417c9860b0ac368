/** Ids and receipts of message centers: however they are written, a receipt finds its message. */
import fc from 'fast-check'
import t from 'tap'
import { createMessageIds } from '../../../../adapters/sms/smpp/ids.js'
import { createRateLimiter } from '../../../../adapters/sms/smpp/ratelimiter.js'
import { parseReceipt } from '../../../../adapters/sms/smpp/receipts.js'

const value = fc.bigInt({ min: 1n, max: (1n << 64n) - 1n })
const padded = (id: string, zeros: number) => `${'0'.repeat(zeros)}${id}`
const writings = {
  hex: (id: bigint) => id.toString(16),
  HEX: (id: bigint) => id.toString(16).toUpperCase(),
  decimal: (id: bigint) => id.toString(),
}
const writing = fc.constantFrom(...Object.values(writings))
const person = '+15550001'

t.test('Message ids of answers and receipts match, in any format of a center', async () => {
  fc.assert(
    fc.property(value, writing, writing, fc.nat(8), fc.nat(8), (id, answer, receipt, zeros, others) => {
      const ids = createMessageIds(10)
      const providerId = ids.recordSubmit(padded(answer(id), zeros), person)
      const resolved = ids.resolveReceipt(padded(receipt(id), others), '15550001')
      if (resolved.providerId !== providerId) throw new Error(`${resolved.providerId} is not ${providerId}`)
      if (resolved.address !== person) throw new Error('the person is not known')
    }),
  )
})

t.test('Ids match on a connection that did not submit, once it knows the format of the center', async () => {
  const pairs = fc.constantFrom<[keyof typeof writings, keyof typeof writings]>(
    ['hex', 'decimal'],
    ['HEX', 'hex'],
    ['decimal', 'HEX'],
  )
  fc.assert(
    fc.property(value, value, pairs, (id, other, [answer, receipt]) => {
      // Two messages to one person whose ids differ only in how they are meant cannot be told apart.
      fc.pre(writings[receipt](id).toLowerCase() !== writings[answer](other).toLowerCase())
      const [ours, theirs] = [createMessageIds(10), createMessageIds(10)]
      ours.recordSubmit(writings[answer](other), person)
      ours.resolveReceipt(writings[receipt](other), person)
      const submitted = theirs.recordSubmit(writings[answer](id), person)
      const isDistinguishable =
        writings[answer](other) !== writings[receipt](other) || !/^[0-9]+$/.test(writings[answer](id))
      const resolved = ours.resolveReceipt(writings[receipt](id), person).providerId
      if (isDistinguishable && resolved !== submitted) throw new Error(`${resolved} is not ${submitted}`)
    }),
  )
})

t.test('Ids that are not numbers are compared without their case and leading zeros', async (t) => {
  const ids = createMessageIds(10)
  t.equal(ids.recordSubmit('0A1b-XYZ', person), 'a1b-xyz')
  t.equal(ids.resolveReceipt('0a1b-xyz', person).providerId, 'a1b-xyz')
  t.equal(ids.recordSubmit('', person), undefined)
  t.equal(ids.recordSubmit('0', person), '0')
})

t.test('A receipt with an ambiguous number never goes to another person’s message', async (t) => {
  const ids = createMessageIds(10)
  ids.recordSubmit('10', '+15550002')
  t.same(ids.resolveReceipt('16', '+15550001'), { providerId: '16' })
})

t.test('The number of remembered ids is bounded', async (t) => {
  const ids = createMessageIds(2)
  for (const id of ['101', '102', '103']) ids.recordSubmit(id, person)
  t.equal(ids.resolveReceipt('101', person).address, undefined)
  t.equal(ids.resolveReceipt('103', person).address, person)
})

const receiptText = (stat: string, err = '000') =>
  `id:0123 sub:001 dlvrd:001 submit date:2611151102 done date:261115110305 stat:${stat} err:${err} text:id:9 stat:UNDELIV`

t.test('Each state has its meaning, in any of its spellings', async (t) => {
  const words = {
    DELIVRD: 'delivered',
    Delivered: 'delivered',
    EXPIRED: 'failed expired',
    DELETED: 'failed deleted',
    UNDELIV: 'failed undeliverable',
    ACCEPTD: 'sent',
    REJECTD: 'failed rejected',
    ENROUTE: 'sent',
    UNKNOWN: undefined,
  }
  for (const [word, meant] of Object.entries(words)) {
    const { rawId, reported } = parseReceipt({ text: receiptText(word) })!
    t.equal(rawId, '0123')
    const reportText = reported && [reported.state, ...('reason' in reported ? [reported.reason] : [])].join(' ')
    t.equal(reportText, meant, word)
  }
})

t.test('Fields take precedence over text', async (t) => {
  const read = parseReceipt({ receiptedId: 'AB', messageState: 2, text: receiptText('UNDELIV', '0FB') })
  t.match(read, { rawId: 'AB', reported: { state: 'delivered' }, detail: 'The carrier reports error 0FB.' })
  t.equal(parseReceipt({ messageState: 7, text: receiptText('DELIVRD') })?.reported, undefined)
  t.equal(parseReceipt({ text: 'stat:DELIVRD' }), undefined)
})

t.test('Order and blanks in the text of a receipt do not matter', async (t) => {
  t.match(parseReceipt({ text: 'stat: DELIVRD err: 000 id: 77' }), { rawId: '77', reported: { state: 'delivered' } })
  t.match(parseReceipt({ text: 'ID:77 STAT:EXPIRED' }), { rawId: '77', reported: { reason: 'expired' } })
})

t.test('No second exceeds the maximum rate, in any course of submits', async () => {
  const perSecond = fc.integer({ min: 1, max: 300 })
  const arrivalGaps = fc.array(fc.nat(50), { minLength: 1, maxLength: 400, size: 'max' })
  fc.assert(
    fc.property(perSecond, arrivalGaps, (rate, gaps) => {
      const pace = createRateLimiter(rate, 5)
      const sent: number[] = []
      let now = 0
      for (const gap of gaps) {
        now = Math.max(now + gap, now + gap + pace.waitMs(now + gap))
        pace.consume(now)
        sent.push(now)
      }
      const most = Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + 1_000).length))
      // Five milliseconds of the pace may come ahead of it.
      if (most > rate + Math.ceil(rate * 0.005)) throw new Error(`${most} in a second of ${rate}`)
    }),
    { numRuns: 50 },
  )
})
