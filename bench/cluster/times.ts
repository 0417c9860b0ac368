/** Lets a candidate have several times as many operations on their way as the scenario says: its `--times`. */
import { parseArgs } from 'node:util'
import type { Window } from '../scenario.js'

const { values } = parseArgs({ options: { times: { type: 'string', default: '1' } } })

export function timesOver(window: Window): Window {
  return { ...window, concurrency: window.concurrency * Number(values.times) }
}
