/** The bound of a scenario on a time, as a candidate: a timer of that many milliseconds, repeated. */
import { parseArgs } from 'node:util'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import { sleep } from '../messages/phones.js'

const { values } = parseArgs({ options: { ms: { type: 'string', default: '1' } } })
const wait = closedLoop(() => sleep(Number(values.ms)))

serveCandidate({
  ready: {},
  // One timer at a time, so that none waits for another.
  work: (window) => wait({ ...window, concurrency: 1 }),
  close() {},
})
