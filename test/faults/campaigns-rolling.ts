/** Campaigns on nodes that are restarted one after another, by a stop or a kill. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CampaignTrial } from './campaigns-injection.js'
import type { FaultNode } from './faultnode.js'
import { waitUntil } from './timeout.js'

export type Ending = 'end' | 'kill'

/** The longest pause between the start of a node and the end of the next. */
const pauseMs = 500

export interface Rolling {
  /** Starts a campaign, and restarts node after node until it has completed. */
  runCampaign(trial: CampaignTrial, name: string): Promise<string>
  /** Rounds through all nodes, each of them restarted while a campaign ran. */
  rounds(): number
  line(): string
}

export function openRolling(ending: Ending): Rolling {
  const count = { ended: 0, faultNodes: 1 }

  async function restartNode(faultNode: FaultNode, { addProblem }: CampaignTrial): Promise<void> {
    if (ending === 'kill') await faultNode.kill()
    else {
      const code = await faultNode.end()
      if (code !== 0) addProblem(`${faultNode.name} ended with ${code} when it was asked to stop`)
    }
    faultNode.spawn()
  }

  return {
    async runCampaign(trial, name) {
      const { agent, faultNodes, rng } = trial
      const id = await agent.draft(name)
      await waitUntil('it is staged', faultNodes, async () => (await agent.move(id, 'stage')) === 'staged')
      await waitUntil('it has started', faultNodes, async () => (await agent.move(id, 'start')) !== 'staged')
      count.faultNodes = faultNodes.length
      await waitUntil('it completes', faultNodes, async () => {
        if ((await agent.status(id)) === 'completed') return true
        await sleep(rng.between(0, pauseMs))
        const faultNode = faultNodes[count.ended % faultNodes.length]!
        const isRunning = (await agent.status(id)) === 'running'
        await restartNode(faultNode, trial)
        await faultNode.started()
        if (isRunning) count.ended++
        return false
      })
      return id
    },
    rounds: () => Math.floor(count.ended / count.faultNodes),
    line: () =>
      `${Math.floor(count.ended / count.faultNodes)} rounds of restarts, ${count.ended} nodes ${ending === 'kill' ? 'killed' : 'ended'} while a campaign ran`,
  }
}
