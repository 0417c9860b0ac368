/** What a trip may take outside the webhook, as a candidate: a timer of so many milliseconds, waited for again and again. */
import { parseArgs } from 'node:util'
import { present } from '../control.js'
import { closedLoop } from '../loop.js'
import { pause } from '../messages/phones.js'

const { values } = parseArgs({ options: { ms: { type: 'string', default: '1' } } })
const wait = closedLoop(() => pause(Number(values.ms)))

present({
  ready: {},
  // One at a time, so that none waits for another.
  work: (window) => wait({ ...window, concurrency: 1 }),
  close() {},
})
