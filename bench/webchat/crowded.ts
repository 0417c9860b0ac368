/** The work of a candidate with a crowd of visitors: they come, talk or are talked to, and leave, window by window. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from '../children.js'
import { cpuMicros } from '../control.js'
import { slicesPerWindow, withMemory } from '../load/timeline.js'
import type { Sample, Window } from '../sample.js'
import type { Answered, Asked, Place } from './asking.js'

export interface Crowd {
  work(window: Window): Promise<Sample>
  end(): void
}

export interface CrowdOptions {
  readonly place: Place
  /** The visitors as the agent knows them, once all have said hello; without it they do the talking. */
  readonly people?: (visitors: number) => Promise<readonly string[]>
}

/** While the visitors collect garbage the server seems to take its time: so they do it often, and for a moment only. */
const crowdFlags = ['--max-semi-space-size=1']

export function openCrowd({ place, people }: CrowdOptions): Crowd {
  const crowd = fork(programFile('webchat/crowd'), { execArgv: crowdFlags })
  const gone = once(crowd, 'exit').then(() => {
    throw new Error('the visitors are gone')
  })
  gone.catch(() => undefined)
  /** So many have said something before, so that no message of a window is a first one. */
  let greeted = 0

  async function told(): Promise<Answered> {
    const [answered] = (await Promise.race([once(crowd, 'message'), gone])) as [Answered]
    if (answered.answer === 'failed') throw new Error(answered.why)
    return answered
  }
  function asked(question: Asked): Promise<Answered> {
    crowd.send(question)
    return told()
  }

  async function measured(window: Window): Promise<Sample> {
    const { concurrency: visitors, seconds } = window
    if (greeted < visitors) await asked({ ask: 'greet' })
    greeted = Math.max(greeted, visitors)
    const known = await people?.(visitors)
    await asked({ ask: 'talk', window, ...(known && { people: known }) })
    const before = cpuMicros()
    const resident: number[] = [process.memoryUsage.rss()]
    const reading = setInterval(() => resident.push(process.memoryUsage.rss()), (seconds * 1000) / slicesPerWindow)
    const answered = await told().finally(() => clearInterval(reading))
    if (answered.answer !== 'talked') throw new Error('nobody talked')
    const { sample } = answered
    return { ...sample, cpuMicros: cpuMicros() - before, timeline: withMemory(sample.timeline ?? [], resident) }
  }

  return {
    async work(window) {
      await asked({ ask: 'come', place, visitors: window.concurrency })
      const sample = await measured(window)
      await asked({ ask: 'leave' })
      return sample
    },
    end: () => crowd.disconnect(),
  }
}
