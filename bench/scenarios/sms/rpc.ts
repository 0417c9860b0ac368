/** The messages between a candidate and its message center, and the process of the latter. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from '../../harness/children.js'
import type { Sample, Window } from '../../harness/sample.js'

export type CenterRequest = { readonly ask: 'count' } | { readonly ask: 'greet'; readonly people: number }

export interface CenterCounts {
  readonly kind: 'count'
  readonly isBound: boolean
  readonly submits: number
  /** Milliseconds since the last submit. */
  readonly quietMs: number
}

export type CenterMessage =
  | CenterCounts
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'greeted' }

export interface Center {
  readonly port: number
  count(): Promise<CenterCounts>
  /** Resolves when this many people have written and each text was acknowledged. */
  greet(people: number): Promise<void>
  stop(): void
}

export async function startCenter(): Promise<Center> {
  const child: ChildProcess = fork(programFile('sms/center'))
  const exited = once(child, 'exit').then(() => {
    throw new Error('the message center is gone')
  })
  exited.catch(() => undefined)
  const waitForMessage = async (kind: CenterMessage['kind']): Promise<CenterMessage> => {
    for (;;) {
      const [message] = (await Promise.race([once(child, 'message'), exited])) as [CenterMessage]
      if (message.kind === kind) return message
    }
  }
  const listening = await waitForMessage('listening')
  return {
    port: 'port' in listening ? listening.port : 0,
    async count() {
      child.send({ ask: 'count' } satisfies CenterRequest)
      return (await waitForMessage('count')) as CenterCounts
    },
    async greet(people) {
      child.send({ ask: 'greet', people } satisfies CenterRequest)
      await waitForMessage('greeted')
    },
    stop: () => child.disconnect(),
  }
}

/** How long the last messages of a window may take to the message center, and the quiet time after them. */
const handOverMs = 10_000
const quietMs = 200
const pollMs = 5

/** Waits until the message center has every accepted message and no more arrive. A missing one is a failure. */
export function createDeliveryWait(
  center: Center,
  cpuMicros: () => number,
  withinMs = handOverMs,
): (window: Window) => Promise<Sample> {
  let before = 0
  return async ({ operations = 0 }) => {
    const start = { at: performance.now(), cpu: cpuMicros() }
    let counts = await center.count()
    const isOver = () => counts.submits - before >= operations && counts.quietMs >= quietMs
    while (!isOver() && performance.now() - start.at < withinMs) {
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      counts = await center.count()
    }
    const missing = operations - (counts.submits - before)
    const failures: Sample['failures'] = missing > 0 ? { 'accepted and never submitted': missing } : {}
    before = counts.submits
    return {
      operations: 0,
      seconds: Math.max(0, performance.now() - start.at - counts.quietMs) / 1000,
      failures,
      bytes: 0,
      latencyMs: [],
      cpuMicros: cpuMicros() - start.cpu,
    }
  }
}
