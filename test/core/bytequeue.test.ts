/** The queue of bytes gives back what came, in order, and copies no byte more often than a few times. */
import fc from 'fast-check'
import t from 'tap'
import { ByteQueue } from '../../core/bytequeue.js'

const steps = fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 60 })), { maxLength: 60 })

t.test('Bytes come out as they went in, for any pieces and any reads', async (t) => {
  fc.assert(
    fc.property(steps, (given) => {
      const queue = new ByteQueue()
      let expected: number[] = []
      for (const step of given) {
        if (typeof step !== 'number') {
          queue.append(step)
          expected.push(...step)
          continue
        }
        const count = Math.min(step, expected.length)
        const dequeued = [...queue.take(count)]
        if (dequeued.join() !== expected.slice(0, count).join()) throw new Error('other bytes are taken')
        expected = expected.slice(count)
      }
      if (queue.length !== expected.length || [...queue.peek()].join() !== expected.join())
        throw new Error('others stay')
    }),
  )
  t.pass()
})

t.test('Bytes that were taken stay unchanged while the queue continues', async (t) => {
  const queue = new ByteQueue()
  queue.append(Uint8Array.of(1, 2, 3))
  const dequeued = queue.take(2)
  queue.append(new Uint8Array(5_000).fill(9))
  t.same([...dequeued], [1, 2])
})

t.test('Reading one byte at a time costs in proportion to the bytes', async (t) => {
  const queue = new ByteQueue()
  let copied = 0
  const set = Uint8Array.prototype.set
  t.teardown(() => {
    Uint8Array.prototype.set = set
  })
  Uint8Array.prototype.set = function (this: Uint8Array, from: ArrayLike<number>, at?: number) {
    copied += from.length
    return set.call(this, from, at)
  }
  const bytes = 200_000
  for (let each = 0; each < bytes; each++) queue.append(Uint8Array.of(each))
  t.equal(queue.length, bytes)
  t.ok(copied < bytes * 4, `${copied} were copied`)
})
