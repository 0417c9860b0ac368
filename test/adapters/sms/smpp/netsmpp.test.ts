/** The adapter against a message center that shares no line of code with it: Net::SMPP of Perl. */
import t from 'tap'
import { smppAdapter } from '../../../../adapters/sms/smpp/adapter.js'
import type { Item } from '../../../../core/channel/adapter.js'
import { openTestSession, waitUntil, waitUntilConnected } from './messagecenter.js'
import { startPerlCenter } from './netsmpp.js'
import { sender } from './sender.js'

const receiptOf = (item: Item) =>
  'inbound' in item && item.inbound.kind === 'receipt' ? item.inbound.receipt : undefined
const textOf = (item: Item) =>
  'inbound' in item && item.inbound.kind === 'content' ? item.inbound.content.text : undefined

t.test('A whole conversation works with an independently written message center', async (t) => {
  const center = await startPerlCenter()
  t.teardown(center.kill)
  const { session, reportedItems } = openTestSession(center.port, { limits: { enquireEveryMs: 200 } })
  t.teardown(() => session.close())
  await waitUntilConnected(session)
  const [bind] = await center.waitForRequests('bind_transceiver', 1)
  t.match(bind, {
    system_id: 'parley',
    password: 'pa55word',
    interface_version: '52',
  })

  const send = sender(session)
  const single = await send('Hi {€} @')
  const about = { address: '+15550001', messageId: 'msg_long' }
  const payloads = smppAdapter.render([{ kind: 'text', text: `${'Wörter '.repeat(20)}😀 end` }], about)
  const outcomes = [single]
  for (const [index, payload] of payloads.entries()) outcomes.push(await send.payload(payload, `msg_long.${index}`))
  t.equal(payloads.length, 3)
  const ids = outcomes.map((outcome) => outcome.kind === 'sent' && outcome.providerId)
  t.same(ids, [0xabcdef00, 0xabcdef01, 0xabcdef02, 0xabcdef03].map(String))

  const submits = await center.waitForRequests('submit_sm', 4)
  t.equal(submits.length, 4)
  t.match(submits[0], {
    ...{ source_addr_ton: '1', source_addr_npi: '1', source_addr: '15550100', registered_delivery: '1' },
    ...{ dest_addr_ton: '1', dest_addr_npi: '1', destination_addr: '15550001', data_coding: '0', esm_class: '0' },
    short_message: '4869201b281b651b292000',
  })
  const parts = submits.slice(1)
  const octets = parts.map(({ short_message = '' }) => Buffer.from(short_message, 'hex'))
  t.ok(parts.every(({ esm_class, data_coding }) => esm_class === '64' && data_coding === '8'))
  t.same(
    octets.map((each) => [...each.subarray(0, 3), ...each.subarray(4, 6)]),
    [1, 2, 3].map((number) => [5, 0, 3, 3, number]),
  )
  const body = Buffer.concat(octets.map((each) => each.subarray(6)))
  t.equal(body.swap16().toString('utf16le'), `${'Wörter '.repeat(20)}😀 end`)

  await waitUntil(() => reportedItems.length === 4)
  t.same(
    reportedItems.map(receiptOf),
    ids.map((providerId) => ({ providerId, state: 'delivered' })),
    'receipts in decimal for answers in hex',
  )

  center.deliver(0, 0, Buffer.from('STOP'))
  await waitUntil(() => reportedItems.length === 5)
  for (const [index, text] of ['ends here', 'It '].entries()) {
    const header = Buffer.from([5, 0, 3, 77, 2, 2 - index])
    center.deliver(0x40, 0, Buffer.concat([header, Buffer.from(text)]))
  }
  await waitUntil(() => reportedItems.length === 6)
  t.same(reportedItems.slice(4).map(textOf), ['STOP', 'It ends here'])
  const answers = await center.waitForRequests('deliver_sm_resp', 7)
  t.ok(answers.every(({ status }) => status === '0'))
  await center.waitForRequests('enquire_link', 1)
  t.equal(session.problem(), undefined)

  await session.close()
  t.equal(await center.exited, 0, 'it got our goodbye')
})
