/** What a candidate asks the message center of its own, and the process in which that runs. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from '../../harness/children.js'
import type { Sample, Window } from '../../harness/sample.js'

export type CenterRequest = { readonly ask: 'count' } | { readonly ask: 'greet'; readonly people: number }

export interface CenterCounts {
  readonly kind: 'count'
  readonly isBound: boolean
  readonly submits: number
  /** Since the last submit. */
  readonly quietMs: number
}

export type CenterMessage =
  | CenterCounts
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'greeted' }

export interface Center {
  readonly port: number
  count(): Promise<CenterCounts>
  /** Resolves when as many people have written, and what they wrote was acknowledged. */
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

/** How long the last of a window may need on their way to the message center, and how long it is quiet after them. */
const handOverMs = 10_000
const quietMs = 200
const pollMs = 5

/** Waits until the message center has as many as were accepted, and gets no more. What it does not get is a failure. */
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
