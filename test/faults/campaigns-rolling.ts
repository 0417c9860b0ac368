/** Campaigns on nodes that are restarted one after another while they run, asked to end or killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CampaignTrial } from './campaigns-strike.js'
import { patiently } from './patience.js'
import type { Place } from './place.js'

export type Ending = 'end' | 'kill'

/** Between the beginning of a node and the end of the next, at most. */
const restMs = 500

export interface Rolling {
  /** Starts a campaign, and restarts node after node until it has completed. */
  sent(trial: CampaignTrial, name: string): Promise<string>
  /** Rounds through all nodes, each of them ended while a campaign ran. */
  rounds(): number
  line(): string
}

export function openRolling(ending: Ending): Rolling {
  const count = { ended: 0, places: 1 }

  async function restarted(place: Place, { wrong }: CampaignTrial): Promise<void> {
    if (ending === 'kill') await place.kill()
    else {
      const code = await place.end()
      if (code !== 0) wrong(`${place.name} ended with ${code} when it was asked to stop`)
    }
    place.spawn()
  }

  return {
    async sent(trial, name) {
      const { agent, places, rng } = trial
      const id = await agent.draft(name)
      await patiently('it is staged', places, async () => (await agent.move(id, 'stage')) === 'staged')
      await patiently('it has started', places, async () => (await agent.move(id, 'start')) !== 'staged')
      count.places = places.length
      await patiently('it completes', places, async () => {
        if ((await agent.status(id)) === 'completed') return true
        await sleep(rng.between(0, restMs))
        const place = places[count.ended % places.length]!
        const isRunning = (await agent.status(id)) === 'running'
        await restarted(place, trial)
        await place.started()
        if (isRunning) count.ended++
        return false
      })
      return id
    },
    rounds: () => Math.floor(count.ended / count.places),
    line: () =>
      `${Math.floor(count.ended / count.places)} rounds of restarts, ${count.ended} nodes ${ending === 'kill' ? 'killed' : 'ended'} while a campaign ran`,
  }
}
