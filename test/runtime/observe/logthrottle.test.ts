/** A trouble that comes with every request, in the log. */
import t from 'tap'
import { log as limits } from '../../../core/limits/index.js'
import { createLog } from '../../../runtime/observe/log.js'
import { waitUntil } from '../../harness/clock.js'

interface LogRecord {
  readonly event: string
  readonly of?: string
  readonly lines?: number
  readonly which?: number
}

function createTestLog() {
  const all: LogRecord[] = []
  const { log, flush } = createLog({ destination: { write: (line) => all.push(JSON.parse(line) as LogRecord) } })
  const of = (name: string) => all.filter(({ event }) => event === name)
  return { log, flush, of }
}

t.test('Of a flood of one event the first lines are written, and then the number of the others', async (t) => {
  const { log, flush, of } = createTestLog()
  for (let which = 0; which < limits.linesAtOnce + 7; which++) log.error('store.refused', { which })
  log.warn('something.else')
  t.same(
    of('store.refused').map(({ which }) => which),
    Array.from({ length: limits.linesAtOnce }, (_, which) => which),
  )
  t.equal(of('something.else').length, 1, 'others are written as ever')
  await flush()
  t.match(of('log.suppressed'), [{ of: 'store.refused', lines: 7 }])
  log.error('store.refused', { which: 99 })
  t.equal(of('store.refused').at(-1)?.which, 99, 'a new second begins')
  await flush()
  t.equal(of('log.suppressed').length, 1)
})

t.test('Suppressed lines are reported by themselves, and children of a log count together', async (t) => {
  const { log, of } = createTestLog()
  const child = log.child({ shard: 3 })
  for (let which = 0; which < limits.linesAtOnce; which++) log.warn('bus.away')
  child.warn('bus.away')
  t.equal(of('bus.away').length, limits.linesAtOnce)
  const staysAwake = setInterval(() => undefined, 1_000)
  await waitUntil(() => of('log.suppressed').length === 1)
  clearInterval(staysAwake)
  t.match(of('log.suppressed'), [{ of: 'bus.away', lines: 1 }])
})

t.test('Lines of level info are never suppressed', async (t) => {
  const { log, flush, of } = createTestLog()
  for (let which = 0; which < limits.linesAtOnce * 3; which++) log.info('send.accepted', { which })
  await flush()
  t.equal(of('send.accepted').length, limits.linesAtOnce * 3)
  t.same(of('log.suppressed'), [])
})
