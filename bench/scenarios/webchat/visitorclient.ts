/** The work of a web chat candidate: its visitors connect, write or receive, and leave, window by window. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from '../../harness/children.js'
import { slicesPerWindow, withMemory } from '../../harness/load/timeline.js'
import { cpuMicros } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import type { ChatTarget, VisitorsRequest, VisitorsResponse } from './rpc.js'

export interface Crowd {
  work(window: Window): Promise<Sample>
  end(): void
}

export interface CrowdOptions {
  readonly target: ChatTarget
  /** The visitors' ids at the agent, once all have written; without it the visitors write. */
  readonly people?: (visitors: number) => Promise<readonly string[]>
}

/** A garbage collection of the visitors would count as the server's time, so they collect often and briefly. */
const crowdFlags = ['--max-semi-space-size=1']

export function openCrowd({ target, people }: CrowdOptions): Crowd {
  const crowd = fork(programFile('webchat/visitorload'), { execArgv: crowdFlags })
  const exited = once(crowd, 'exit').then(() => {
    throw new Error('the visitors are gone')
  })
  exited.catch(() => undefined)
  /** This many visitors have written before, so that no message of a window is a person's first. */
  let greeted = 0

  async function nextResponse(): Promise<VisitorsResponse> {
    const [response] = (await Promise.race([once(crowd, 'message'), exited])) as [VisitorsResponse]
    if (response.answer === 'failed') throw new Error(response.why)
    return response
  }
  function execute(question: VisitorsRequest): Promise<VisitorsResponse> {
    crowd.send(question)
    return nextResponse()
  }

  async function measure(window: Window): Promise<Sample> {
    const { concurrency: visitors, seconds } = window
    if (greeted < visitors) await execute({ ask: 'greet' })
    greeted = Math.max(greeted, visitors)
    const asids = await people?.(visitors)
    await execute({ ask: 'talk', window, ...(asids && { people: asids }) })
    const before = cpuMicros()
    const resident: number[] = [process.memoryUsage.rss()]
    const reading = setInterval(() => resident.push(process.memoryUsage.rss()), (seconds * 1000) / slicesPerWindow)
    const response = await nextResponse().finally(() => clearInterval(reading))
    if (response.answer !== 'talked') throw new Error('nobody talked')
    const { sample } = response
    return { ...sample, cpuMicros: cpuMicros() - before, timeline: withMemory(sample.timeline ?? [], resident) }
  }

  return {
    async work(window) {
      await execute({ ask: 'connect', target, visitors: window.concurrency })
      const sample = await measure(window)
      await execute({ ask: 'disconnect' })
      return sample
    },
    end: () => crowd.disconnect(),
  }
}
