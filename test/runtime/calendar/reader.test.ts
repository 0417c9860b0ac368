/** Busy times read in worker threads. */
import t from 'tap'
import { calendar as limits } from '../../../core/limits/index.js'
import { createCalendarReader } from '../../../runtime/calendar/reader.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Workers } from '../../../runtime/worker/contract.js'
import { openWorkers } from '../../../runtime/worker/pool.js'
import { eventOf, multistatusOf } from '../../core/calendar/texts.js'

const xml = multistatusOf(eventOf('DTSTART:20260325T100000Z', 'DTEND:20260325T110000Z'))
const [from, to] = [Date.parse('2026-03-23T00:00:00Z'), Date.parse('2026-04-06T00:00:00Z')]
const request = { xml, from, to, bufferMinutes: 0, zone: 'UTC' }

t.test('More calendars than threads are all read, whoever asks', async (t) => {
  const workers = openWorkers(createLog({ destination: { write: () => {} }, now: () => 0 }).log)
  t.teardown(workers.close)
  const read = createCalendarReader(workers)
  const answers = await Promise.all(Array.from({ length: 60 }, (_, nth) => read(`demo/agent-${nth % 50}`, request)))
  for (const answer of answers) t.same(answer?.busy.length, 1)
  t.equal(await read('demo/agent-1', { ...request, xml: Buffer.from('garbage') }), undefined)
})

t.test('Calendars leave room in the queue of the threads, and one that takes too long is not read', async (t) => {
  const waiting: (() => void)[] = []
  const workers = {
    run: () => new Promise((resolve) => waiting.push(() => resolve('tooLong'))),
  } as unknown as Workers
  const read = createCalendarReader(workers)
  const answers = Array.from({ length: 20 }, (_, nth) => read(`demo/agent-${nth}`, request))
  await new Promise(setImmediate)
  t.equal(waiting.length, limits.answersBeingRead)
  for (let nth = 0; nth < 20; nth++) {
    waiting[nth]!()
    await new Promise(setImmediate)
  }
  t.same(await Promise.all(answers), Array(20).fill(undefined))
})
