/** Command-line settings of a candidate. */
import { parseArgs } from 'node:util'
import type { Window } from '../../harness/sample.js'

const { values } = parseArgs({
  options: { times: { type: 'string', default: '1' }, servers: { type: 'string', default: '3' } },
})

/** Whether one server runs in place of the three of an installation. */
export const alone = values.servers === '1'

/** Factor on the scenario's concurrency. */
export function scaleWindow(window: Window): Window {
  return { ...window, concurrency: window.concurrency * Number(values.times) }
}
