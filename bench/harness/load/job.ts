/** What a load's process is asked to do, and how it and the bench agree on when measuring begins. */
import { createInterface } from 'node:readline'
import type { HttpRequest } from '../rpc.js'
import type { Window } from '../sample.js'

export interface Job {
  readonly port: number
  readonly request: HttpRequest
  readonly window: Window
}

export interface LoadJob extends Job {
  /** The candidate is warm. Resolves when the bench has read its processor time and measuring may begin. */
  warm(): Promise<void>
}

/** The side of the load's process: the job is the first line of its input, and the second one says that measuring begins. */
export async function readJob(): Promise<LoadJob> {
  const nextLine = linesOf(process.stdin)
  const job: Job = JSON.parse(await nextLine())
  return {
    ...job,
    async warm() {
      console.log('warm')
      await nextLine()
    },
  }
}

/** Lines one after another; what comes before anybody asks is kept. Rejects once there are no more. */
export function linesOf(input: NodeJS.ReadableStream): () => Promise<string> {
  const lines = createInterface({ input })[Symbol.asyncIterator]()
  return async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('there are no more lines')
    return value
  }
}
