/** The limits of the messages and ingress scenarios write the records of the sizes that a node writes. */
import t from 'tap'
import { messageText as inboundText } from '../../bench/scenarios/ingress/fixtures.js'
import { recordsOf } from '../../bench/scenarios/ingress/records.js'
import { messageText } from '../../bench/scenarios/messages/fixtures.js'
import { createSendLoad } from '../../bench/scenarios/messages/gateway.js'
import { addressOf, sendTexts, sleep } from '../../bench/scenarios/messages/phones.js'
import { commitsOf } from '../../bench/scenarios/messages/records.js'
import { shapesOf, shapesWrittenBy } from './noderecords.js'

t.beforeEach((t) => {
  process.env.BENCH_SCRATCH = t.testdir()
})

t.test('The limit of messages keeps as many records of the same sizes as a node does for a message', async (t) => {
  const { asid, shapes } = await shapesWrittenBy(async (gateway, asid, isDelivered) => {
    const { request } = createSendLoad(gateway, [asid], messageText)
    const { headers, body } = request!
    const answer = await fetch(`${gateway.url}${request!.path}`, { method: 'POST', headers, body: body! })
    t.equal(answer.status, 200)
    while (!isDelivered()) await sleep(5)
  })
  const { accepted, handedOver } = commitsOf(1, Date.now(), asid)
  t.same(shapes, shapesOf([...accepted, ...handedOver]))
  t.equal(shapes.length, 5)
})

t.test('The limit of ingress writes as many records of the same sizes as a node does for a text', async (t) => {
  const { asid, shapes } = await shapesWrittenBy(async ({ phones }) => {
    const id = `SM${'1'.padStart(32, '0')}`
    await sendTexts(phones, [{ id, from: addressOf(0), text: inboundText }])
  })
  t.same(shapes, shapesOf(recordsOf(1, Date.now(), asid)))
  t.equal(shapes.length, 3)
})
