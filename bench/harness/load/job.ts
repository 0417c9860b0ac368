/** The job of a load process, and how that process and the bench agree on the start of measuring. */
import { createInterface } from 'node:readline'
import type { HttpRequest } from '../rpc.js'
import type { Window } from '../sample.js'

export interface Job {
  readonly port: number
  readonly request: HttpRequest
  readonly window: Window
}

export interface LoadJob extends Job {
  /**
   * Called when the candidate is warm. Resolves when the bench has read the candidate's processor time and measuring
   * may begin.
   */
  warm(): Promise<void>
}

/** The load process's side: line 1 of its input is the job, line 2 starts the measuring. */
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

/** Lines in order; a line that arrives before it is read is buffered. Rejects at the end of the input. */
export function linesOf(input: NodeJS.ReadableStream): () => Promise<string> {
  const lines = createInterface({ input })[Symbol.asyncIterator]()
  return async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('there are no more lines')
    return value
  }
}
