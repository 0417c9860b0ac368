/** The limit of the turn-flow scenario writes the records of the sizes that a node writes for a turn. */
import t from 'tap'
import { addressOf, sendTexts, sleep } from '../../bench/scenarios/messages/phones.js'
import { orderText, trackingPlaybook } from '../../bench/scenarios/turn-flow/agent.js'
import { textAt } from '../../bench/scenarios/turn-flow/calls.js'
import { commitsOf } from '../../bench/scenarios/turn-flow/records.js'
import { shapesOf, shapesWrittenBy } from './noderecords.js'

t.beforeEach((t) => {
  process.env.BENCH_SCRATCH = t.testdir()
})

t.test('The limit of turn-flow keeps as many records of the same sizes as a node does for a turn', async (t) => {
  const { asid, shapes } = await shapesWrittenBy(
    async ({ phones }, _asid, isDelivered) => {
      await sendTexts(phones, [{ id: 'text-1', from: addressOf(0), text: textAt([orderText], 1) }])
      while (!isDelivered()) await sleep(5)
    },
    { document: { playbooks: [trackingPlaybook] } },
  )
  const { accepted, answered, handedOver } = commitsOf(1, Date.now(), asid)
  t.same(shapes, shapesOf([...accepted, ...answered, ...handedOver]))
  t.equal(shapes.length, 12)
})
