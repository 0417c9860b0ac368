/** The line of bulk messages of a binding after the clock was set back. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { shard as limits } from '../../../core/limits.js'
import { bulkCommands } from '../../../runtime/delivery/bulk.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { eventually, type House } from '../../contract/shards/house.js'
import { repertoire } from '../../contract/shards/repertoire.js'
import { openEmbeddedHouse } from '../../harness/engines.js'

const owner = 'bulk:org/agent/sms'
const hour = 3_600_000

function lined() {
  const left: string[] = []
  const release: Command<{ asid: string; messageId: string }, null> = {
    name: 'conversation.release',
    decide(_tx, { messageId }) {
      left.push(messageId)
      return null
    },
  }
  const { join, leave } = bulkCommands({ release } as never)
  const opening = repertoire(undefined, { commands: [join, leave, release] as never[] })
  const joins = (house: House, messageId: string) =>
    house.shards.ask(owner, join, { owner, asid: 'a', messageId, perSecond: 0.1 })
  return { left, joins, open: (t: Test, after?: House) => openEmbeddedHouse(t, { repertoire: opening, after }) }
}

t.test('However far the clock is set back, a line goes on by itself within its pace', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 48 * hour }), async (backMs) => {
      const { left, joins, open } = lined()
      const house = await open(t)
      for (const id of ['one', 'two', 'three']) await joins(house, id)
      await eventually(house, () => left.length === 1)
      house.time.setBack(backMs)
      await house.time.advance(limits.timerLookMs)
      await house.time.advance(limits.timerLookMs)
      await eventually(house, () => left.length >= 2)
      await house.time.advance(10_000)
      await eventually(house, () => left.length === 3)
      t.same(left, ['one', 'two', 'three'])
      await house.stop()
    }),
    { numRuns: 8 },
  )
})

t.test('A message that joins the line after the clock was set back lets the first of it go at once', async (t) => {
  const { left, joins, open } = lined()
  const house = await open(t)
  for (const id of ['one', 'two']) await joins(house, id)
  await eventually(house, () => left.length === 1)
  house.time.setBack(hour)
  await joins(house, 'three')
  await eventually(house, () => left.length === 2)
  t.same(left, ['one', 'two'])
})

t.test('A line goes on by itself after a start with an earlier clock', async (t) => {
  const { left, joins, open } = lined()
  const house = await open(t)
  for (const id of ['one', 'two']) await joins(house, id)
  await eventually(house, () => left.length === 1)
  await house.stop()
  house.time.setBack(24 * hour)
  const next = await open(t, house)
  await next.time.advance(10_000)
  await next.time.advance(limits.timerLookMs)
  await eventually(next, () => left.length === 2)
  t.same(left, ['one', 'two'])
})
