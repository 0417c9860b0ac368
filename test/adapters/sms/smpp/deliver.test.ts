/** What comes in over a line, from the server of the `smpp` package: texts, their parts, and receipts. */
import fc from 'fast-check'
import smpp from 'smpp'
import t, { type Test } from 'tap'
import { smppAdapter } from '../../../../adapters/sms/smpp/adapter.js'
import { decodePdu, encodePdu } from '../../../../adapters/sms/smpp/codec.js'
import { partsOf, submitFields } from '../../../../adapters/sms/smpp/parts.js'
import { parsePdu } from '../../../../adapters/sms/smpp/pdu.js'
import type { Item } from '../../../../core/channel/adapter.js'
import {
  openTestCenter,
  pause,
  type Script,
  type TestSessionOptions,
  waitUntil,
  waitUntilConnected,
} from './messagecenter.js'
import { sender } from './sender.js'

async function openConnectedCenter(t: Test, options: TestSessionOptions = {}, script: Script = {}) {
  const opened = await openTestCenter(t, script, options)
  await waitUntilConnected(opened.session)
  return opened
}

const from = { source_addr_ton: 1, source_addr_npi: 1, source_addr: '15550001', destination_addr: '15550100' }
const textOf = (item: Item | undefined) =>
  item && 'inbound' in item && item.inbound.kind === 'content' ? item.inbound.content.text : undefined
const receiptOf = (item: Item | undefined) =>
  item && 'inbound' in item && item.inbound.kind === 'receipt' ? item.inbound.receipt : undefined
const idOf = (item: Item | undefined) => (item && 'id' in item ? item.id : undefined)
/** A long text as a phone would send it, part by part. */
const partFields = (text: string, reference = 9) =>
  partsOf(text, reference).map((part) => ({ ...from, ...submitFields(part) }))
const long = `${'One two three four five. '.repeat(14)}€ 😀 end`

t.test('A text is reported with its sender, in each alphabet, and acknowledged', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t)
  const units = [
    { ...from, data_coding: 0, short_message: 'Hello {€} @ Ada' },
    { ...from, data_coding: 8, short_message: 'Привет 😀' },
    { ...from, data_coding: 3, short_message: 'Grüße' },
    { ...from, data_coding: 1, short_message: Buffer.from('a_b@c [x]') },
    { ...from, data_coding: 0, short_message: Buffer.from('naïve “quotes”') },
    { ...from, data_coding: 0, short_message: Buffer.from('caf\xe9', 'latin1') },
    { ...from, data_coding: 0, short_message: '', message_payload: Buffer.from('In the payload') },
    { ...from, data_coding: 0xf0, short_message: Buffer.from('Class 0') },
  ]
  for (const fields of units) t.match(await center.ask('deliver_sm', fields), { command_status: 0 })
  t.same(reportedItems.map(textOf), [
    'Hello {€} @ Ada',
    'Привет 😀',
    'Grüße',
    'a_b@c [x]',
    'naïve “quotes”',
    'café',
    'In the payload',
    'Class 0',
  ])
  t.ok(reportedItems.every((item) => 'address' in item && item.address === '+15550001'))
  t.equal(new Set(reportedItems.map(idOf)).size, reportedItems.length)
})

t.test('A number is international even if the center does not say so, except short and national ones', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t)
  const numbers = [
    [0, '15550001', '+15550001'],
    [1, '0015550001', '+15550001'],
    [0, '+15550001', '+15550001'],
    [0, '12345', '12345'],
    [2, '5550001234', '5550001234'],
    [5, 'Bank', 'Bank'],
  ] as const
  for (const [ton, number] of numbers) {
    await center.ask('deliver_sm', { ...from, source_addr_ton: ton, source_addr: number, short_message: 'Hi' })
  }
  t.same(
    reportedItems.map((item) => 'address' in item && item.address),
    numbers.map(([, , address]) => address),
  )
})

t.test('A text is acknowledged only when it is on record, and refused temporarily if it is not', async (t) => {
  const steps: string[] = []
  let isBroken = false
  const { center, reportedItems } = await openConnectedCenter(t, {
    async onReport() {
      await pause(30)
      if (isBroken) throw new Error('the disk is full')
      steps.push('on record')
    },
  })
  await center.ask('deliver_sm', { ...from, short_message: 'First' })
  steps.push('acknowledged')
  t.same(steps, ['on record', 'acknowledged'])
  isBroken = true
  t.match(await center.ask('deliver_sm', { ...from, short_message: 'Second' }), { command_status: 0x64 })
  isBroken = false
  t.match(await center.ask('deliver_sm', { ...from, short_message: 'Second' }), { command_status: 0 })
  t.same(reportedItems.map(textOf), ['First', 'Second'])
})

t.test('A text that cannot be recorded does not block the others, and no text overtakes another', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t, {
    async onReport(items) {
      await pause(5)
      if (items.some((item) => textOf(item) === 'poison')) throw new Error('no')
    },
  })
  const texts = ['a', 'b', 'poison', 'c', 'd']
  const answers = await Promise.all(texts.map((text) => center.ask('deliver_sm', { ...from, short_message: text })))
  t.same(
    answers.map((answer) => answer.command_status),
    [0, 0, 0x64, 0, 0],
  )
  t.same(reportedItems.map(textOf), ['a', 'b', 'c', 'd'])
})

t.test('A text that is redelivered without an acknowledgement has the same id', async (t) => {
  let tries = 0
  let isLost = false
  const ids: (string | undefined)[] = []
  const { center, session } = await openConnectedCenter(t, {
    async onReport([item]) {
      ids.push(idOf(item))
      if (++tries === 1) throw new Error('not now')
      if (tries === 2) {
        center.drop()
        await waitUntil(() => session.problem() !== undefined)
        isLost = true
      }
    },
  })
  const repeated = { ...from, short_message: 'Again' }
  await center.ask('deliver_sm', repeated)
  void center.ask('deliver_sm', repeated)
  await waitUntil(() => isLost)
  await waitUntilConnected(session)
  await center.ask('deliver_sm', repeated)
  t.equal(new Set(ids).size, 1, 'refused, and then lost before it was acknowledged')
  await center.ask('deliver_sm', repeated)
  t.equal(new Set(ids).size, 2, 'and now the person says it once more')
})

t.test('An acknowledgement shortly before a lost connection is doubted; an older one is not', async (t) => {
  const { center, session, reportedItems } = await openConnectedCenter(t, { limits: { unconfirmedMs: 100 } })
  const yes = { ...from, short_message: 'Yes' }
  await center.ask('deliver_sm', yes)
  center.drop()
  await waitUntil(() => session.problem() !== undefined)
  await waitUntilConnected(session)
  await center.ask('deliver_sm', yes)
  t.equal(idOf(reportedItems[0]), idOf(reportedItems[1]))
  await pause(150)
  center.drop()
  await waitUntil(() => session.problem() !== undefined)
  await waitUntilConnected(session)
  await center.ask('deliver_sm', yes)
  t.not(idOf(reportedItems[1]), idOf(reportedItems[2]))
})

t.test('Parts in any order, some of them repeated, form one text', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t)
  const parts = partFields(long)
  t.ok(parts.length >= 3)
  for (const part of [parts[0]!, ...parts.toReversed()]) {
    t.match(await center.ask('deliver_sm', part), { command_status: 0 })
  }
  t.same(reportedItems.map(textOf), [long])
  await center.ask('deliver_sm', parts[1]!)
  await pause(20)
  t.equal(reportedItems.length, 1, 'a repeated part adds nothing')
})

t.test('Parts with long references and with fields of their own are joined too', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t)
  const halves = ['Half of it, ', 'and the rest']
  for (const [index, half] of halves.entries()) {
    const header = Buffer.from([6, 8, 4, 0x12, 0x34, 2, index + 1])
    await center.ask('deliver_sm', {
      ...from,
      esm_class: 0x40,
      data_coding: 0,
      short_message: Buffer.concat([header, Buffer.from(half)]),
    })
  }
  for (const [index, half] of halves.toReversed().entries()) {
    const sar = { sar_msg_ref_num: 700, sar_total_segments: 2, sar_segment_seqnum: 2 - index }
    await center.ask('deliver_sm', { ...from, data_coding: 0, short_message: half, ...sar })
  }
  t.same(reportedItems.map(textOf), [halves.join(''), halves.join('')])
})

t.test('Characters that a phone split across parts are restored', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t)
  const smile = Buffer.from('a😀b', 'utf16le').swap16()
  const euro = Buffer.from([0x61, 0x1b, 0x65, 0x62])
  const pieces = [
    [8, 1, smile.subarray(0, 4)],
    [8, 1, smile.subarray(4)],
    [0, 2, euro.subarray(0, 2)],
    [0, 2, euro.subarray(2)],
  ] as const
  for (const [index, [data_coding, reference, octets]] of pieces.entries()) {
    const header = Buffer.from([5, 0, 3, reference, 2, (index % 2) + 1])
    await center.ask('deliver_sm', {
      ...from,
      esm_class: 0x40,
      data_coding,
      short_message: Buffer.concat([header, octets]),
    })
  }
  t.same(reportedItems.map(textOf), ['a😀b', 'a€b'])
})

t.test('Parts of one text are joined across a lost connection', async (t) => {
  const { center, session, reportedItems } = await openConnectedCenter(t)
  const [first, ...rest] = partFields(long)
  await center.ask('deliver_sm', first!)
  center.drop()
  await waitUntil(() => session.problem() !== undefined)
  await waitUntilConnected(session)
  for (const part of rest) await center.ask('deliver_sm', part)
  t.same(reportedItems.map(textOf), [long])
})

t.test('The last part is acknowledged only when the text is on record', async (t) => {
  let isBroken = true
  const { center, reportedItems } = await openConnectedCenter(t, {
    async onReport() {
      if (isBroken) throw new Error('not now')
    },
  })
  const parts = partFields(long)
  const statuses: number[] = []
  for (const part of parts) statuses.push((await center.ask('deliver_sm', part)).command_status)
  t.same(statuses, [...parts.slice(1).map(() => 0), 0x64])
  isBroken = false
  t.match(await center.ask('deliver_sm', parts.at(-1)!), { command_status: 0 })
  t.same(reportedItems.map(textOf), [long])
})

t.test('An incomplete text is reported after its time, or when the connection is closed', async (t) => {
  const { center, session, reportedItems } = await openConnectedCenter(t, { limits: { partialMs: 60 } })
  const parts = partFields('x'.repeat(153) + 'y'.repeat(153) + 'z'.repeat(10))
  await center.ask('deliver_sm', parts[0]!)
  await center.ask('deliver_sm', parts[2]!)
  await waitUntil(() => reportedItems.length === 1)
  t.equal(textOf(reportedItems[0]), `${'x'.repeat(153)}…${'z'.repeat(10)}`)
  await center.ask('deliver_sm', partFields('u'.repeat(200), 30)[1]!)
  await session.close()
  t.equal(textOf(reportedItems[1]), `…${'u'.repeat(47)}`)
})

t.test('The number of incomplete texts is bounded, and a reused reference begins a new text', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t, { limits: { partialTexts: 2 } })
  for (const reference of [1, 2, 3]) await center.ask('deliver_sm', partFields('v'.repeat(200), reference)[0]!)
  await waitUntil(() => reportedItems.length === 1)
  t.equal(textOf(reportedItems[0]), `${'v'.repeat(153)}…`)
  for (const part of partFields('w'.repeat(200), 3)) await center.ask('deliver_sm', part)
  await waitUntil(() => reportedItems.length === 4)
  const cut = `${'v'.repeat(153)}…`
  t.same(
    reportedItems.slice(1).map(textOf).sort(),
    [cut, cut, 'w'.repeat(200)],
    'the oldest, the one cut short, and the new one',
  )
})

t.test('A receipt is reported under the id of its message, for the person it was sent to', async (t) => {
  const { center, session, reportedItems } = await openConnectedCenter(
    t,
    {},
    { submit: () => ({ message_id: '0000001A2B' }) },
  )
  const outcome = await sender(session)('Hello')
  const receipt =
    'id:6699 sub:001 dlvrd:001 submit date:2611151102 done date:2611151103 stat:DELIVRD err:000 text:Hello'
  const fields = { ...from, source_addr_ton: 2, source_addr: '5550001', esm_class: 0x04, short_message: receipt }
  t.match(await center.ask('deliver_sm', fields), { command_status: 0 })
  t.match(reportedItems[0], { address: '+15550001', inbound: { kind: 'receipt', receipt: { state: 'delivered' } } })
  t.equal(outcome.kind === 'sent' && outcome.providerId, receiptOf(reportedItems[0])?.providerId)
  await center.ask('deliver_sm', fields)
  t.equal(idOf(reportedItems[0]), idOf(reportedItems[1]), 'and has the same id when it is repeated')
})

t.test('Receipts in fields, failed receipts and receipts without a state are read', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t)
  const about = { ...from, esm_class: 0x04, receipted_message_id: 'F00D' }
  await center.ask('deliver_sm', { ...about, message_state: 5, short_message: 'id:1 stat:DELIVRD err:00C' })
  await center.ask('deliver_sm', { ...about, esm_class: 0, message_state: 2 })
  const statusOf = async (fields: Readonly<Record<string, unknown>>) =>
    (await center.ask('deliver_sm', fields)).command_status
  t.equal(await statusOf({ ...about, message_state: 7 }), 0, 'an unknown state')
  t.equal(await statusOf({ ...about, message_state: 77 }), 0x65, 'a state that is not known')
  t.equal(await statusOf({ ...from, esm_class: 0x04, short_message: 'nothing that is known' }), 0x65)
  t.equal(await statusOf({ ...from, esm_class: 0x08, short_message: 'read by a phone' }), 0)
  t.equal(await statusOf({ ...from, data_coding: 4, short_message: Buffer.from([1, 2, 3]) }), 0)
  await center.ask('data_sm', { ...about, message_state: 3 })
  t.match(reportedItems, [
    { inbound: { receipt: { providerId: '61453', state: 'failed', reason: 'undeliverable', detail: /00C/ } } },
    { inbound: { receipt: { providerId: '61453', state: 'delivered' } } },
    { problem: /what became/ },
    { problem: /of which message/ },
    { inbound: { content: { text: '[The person sent a message that cannot be shown here]' } } },
    { inbound: { receipt: { providerId: '61453', state: 'failed', reason: 'expired' } } },
  ])
})

t.test('A text that only resembles a receipt is a text', async (t) => {
  const { center, reportedItems } = await openConnectedCenter(t)
  await center.ask('deliver_sm', { ...from, short_message: 'id:1 stat:DELIVRD' })
  t.equal(textOf(reportedItems[0]), 'id:1 stat:DELIVRD')
})

t.test('Deliveries beyond the number that can wait for a record are refused temporarily', async (t) => {
  const { center } = await openConnectedCenter(t, {
    onReport: () => pause(60),
    limits: { pendingDeliveries: 3, deliveriesPerReport: 1 },
  })
  const responses = Array.from({ length: 6 }, (_, at) =>
    center.ask('deliver_sm', { ...from, short_message: `Text ${at}` }),
  )
  const statuses = (await Promise.all(responses)).map((answer) => answer.command_status)
  t.same(statuses.toSorted(), [0, 0, 0, 0x14, 0x14, 0x14])
})

t.test('Any PDU of a center is read or refused, and never throws', async () => {
  const octet = fc.uint8Array({ maxLength: 60, size: 'max' })
  const small = fc.nat(255)
  const fields = fc.record({
    esm_class: small,
    data_coding: small,
    source_addr_ton: small,
    source_addr: fc.string({ maxLength: 20 }),
    short_message: octet.map((bytes) => Buffer.from(bytes)),
    sar_msg_ref_num: fc.nat(65_535),
    sar_total_segments: small,
    sar_segment_seqnum: small,
    message_state: small,
  })
  fc.assert(
    fc.property(fields, octet, small, (each, noise, at) => {
      const octets = encodePdu('deliver_sm', 1, each)
      const mutated = Buffer.from(octets)
      mutated.set(
        noise.subarray(0, Math.max(0, mutated.length - 16)),
        Math.min(16 + (at % 40), mutated.length - noise.length > 16 ? mutated.length - noise.length : 16),
      )
      for (const bytes of [octets, mutated, Buffer.concat([octets.subarray(0, 16), noise])]) {
        const unit = decodePdu(bytes)
        if (unit) parsePdu(unit)
      }
    }),
    { numRuns: 1_000 },
  )
})

t.test('The SMPP adapter refuses every HTTP call', async () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), (body, value) => {
      const request = {
        bindingId: 'chb_1',
        method: 'POST' as const,
        url: 'https://gateway.test/',
        header: () => value,
        body,
        at: 0,
      }
      const auth = { host: 'a', port: 1, systemId: 'b', password: 'c', from: '+15550100' }
      if (smppAdapter.receive(request, auth).kind !== 'refused') throw new Error('it was believed')
    }),
  )
})

t.test('Invalid credentials are named by their field, without their value', async (t) => {
  const auth = { host: 'smsc.example', port: 2775, systemId: 'parley', password: 'pa55word', from: '+15550100' }
  const wrong = smppAdapter.validateAuth!
  t.equal(wrong(auth), undefined)
  t.equal(wrong({ ...auth, host: '2001:db8::1', from: 'Roma Pizza' }), undefined)
  for (const [field, value] of Object.entries({
    host: 'smpp://x:2775',
    systemId: 'naïve',
    password: 'geh€im',
    from: 'A name too long',
  })) {
    const problem = wrong({ ...auth, [field]: value })
    t.equal(problem?.field, field)
    t.notMatch(problem?.message, value)
  }
})

t.test('The library that tests and adapter share reads our submits as intended', async (t) => {
  const parts = partsOf(long, 77)
  const units = parts.map(
    (part, at) => new smpp.PDU(encodePdu('submit_sm', at + 1, { ...from, ...submitFields(part) })),
  )
  const texts = units.map((unit) => (unit.short_message as { message: string }).message)
  t.equal(texts.join(''), long)
})
