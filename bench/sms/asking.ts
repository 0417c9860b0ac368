/** What a candidate asks the message center of its own, and the process in which that runs. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from '../children.js'
import type { Sample, Window } from '../sample.js'

export type Asked = { readonly ask: 'count' } | { readonly ask: 'greet'; readonly people: number }

export interface Counted {
  readonly told: 'count'
  readonly isBound: boolean
  readonly submits: number
  /** Since the last submit. */
  readonly quietMs: number
}

export type Told = Counted | { readonly told: 'listening'; readonly port: number } | { readonly told: 'greeted' }

export interface Center {
  readonly port: number
  count(): Promise<Counted>
  /** Resolves when as many people have written, and what they wrote was acknowledged. */
  greet(people: number): Promise<void>
  stop(): void
}

export async function startCenter(): Promise<Center> {
  const child: ChildProcess = fork(programFile('sms/center'))
  const gone = once(child, 'exit').then(() => {
    throw new Error('the message center is gone')
  })
  gone.catch(() => undefined)
  const told = async (kind: Told['told']): Promise<Told> => {
    for (;;) {
      const [news] = (await Promise.race([once(child, 'message'), gone])) as [Told]
      if (news.told === kind) return news
    }
  }
  const listening = await told('listening')
  return {
    port: 'port' in listening ? listening.port : 0,
    async count() {
      child.send({ ask: 'count' } satisfies Asked)
      return (await told('count')) as Counted
    },
    async greet(people) {
      child.send({ ask: 'greet', people } satisfies Asked)
      await told('greeted')
    },
    stop: () => child.disconnect(),
  }
}

/** How long the last of a window may need on their way to the message center, and how long it is quiet after them. */
const handOverMs = 10_000
const quietMs = 200
const lookMs = 5

/** Waits until the message center has as many as were accepted, and gets no more. What it does not get is a failure. */
export function handingOver(
  center: Center,
  cpuMicros: () => number,
  withinMs = handOverMs,
): (window: Window) => Promise<Sample> {
  let before = 0
  return async ({ operations = 0 }) => {
    const begun = { at: performance.now(), cpu: cpuMicros() }
    let counted = await center.count()
    const isOver = () => counted.submits - before >= operations && counted.quietMs >= quietMs
    while (!isOver() && performance.now() - begun.at < withinMs) {
      await new Promise((resolve) => setTimeout(resolve, lookMs))
      counted = await center.count()
    }
    const missing = operations - (counted.submits - before)
    const failures: Sample['failures'] = missing > 0 ? { 'accepted and never submitted': missing } : {}
    before = counted.submits
    return {
      operations: 0,
      seconds: Math.max(0, performance.now() - begun.at - counted.quietMs) / 1000,
      failures,
      bytes: 0,
      latencyMs: [],
      cpuMicros: cpuMicros() - begun.cpu,
    }
  }
}
