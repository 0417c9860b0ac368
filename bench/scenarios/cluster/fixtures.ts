/** What the command line of a candidate says about its setting. */
import { parseArgs } from 'node:util'
import type { Window } from '../../harness/sample.js'

const { values } = parseArgs({
  options: { times: { type: 'string', default: '1' }, servers: { type: 'string', default: '3' } },
})

/** Whether there is one server in place of the three that an installation has. */
export const alone = values.servers === '1'

/** As many times what the scenario says is on its way. */
export function scaleWindow(window: Window): Window {
  return { ...window, concurrency: window.concurrency * Number(values.times) }
}
