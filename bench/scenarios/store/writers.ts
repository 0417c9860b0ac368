/** The work of a store candidate: writers that each put one record, await its durability, and put the next. */
import { closedLoop } from '../../harness/loop.js'
import type { Sample, Window } from '../../harness/sample.js'

/** The record of every candidate: about 300 bytes when encoded. */
export interface Entry {
  readonly id: string
  readonly at: number
  readonly state: string
  readonly to: { readonly channel: string; readonly address: string }
  readonly text: string
}

const text = 'Your order left the warehouse this morning and arrives on Thursday between nine and noon. '.repeat(2)

export function entry(writer: number, sequence: number): Entry {
  return {
    id: `entry-${writer}-${sequence}`,
    at: 1_700_000_000_000 + sequence,
    state: 'queued',
    to: { channel: 'sms', address: '+15550100' },
    text,
  }
}

/** Puts one record; resolves when it would survive a power cut. */
export type DurablePut = (writer: number, sequence: number) => Promise<unknown>

/** `transactions` reads a counter of commits to the disk. */
export function createWriterWork(put: DurablePut, transactions: () => number): (window: Window) => Promise<Sample> {
  let bytes = 0
  const write: DurablePut = async (writer, sequence) => {
    await put(writer, sequence)
    bytes += entryBytes
  }
  return closedLoop(write, () => ({ transactions: transactions(), bytes }))
}

const entryBytes = JSON.stringify(entry(1, 1)).length
