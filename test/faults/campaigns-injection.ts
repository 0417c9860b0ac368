/** One campaign from draft to completion, with a node killed in each of its stages. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { shardOf } from '../../runtime/shard/placement.js'
import type { Rng } from '../sim/world/rng.js'
import type { CampaignAgent, CampaignMove } from './campaigns-agent.js'
import type { KillTiming, Stage } from './campaigns-timing.js'
import { readNodeStatus } from './cluster.js'
import type { FaultNode } from './faultnode.js'
import { waitUntil } from './timeout.js'

export interface CampaignTrial {
  readonly faultNodes: readonly FaultNode[]
  readonly shards: number
  readonly agent: CampaignAgent
  readonly aim: KillTiming
  readonly rng: Rng
  /** Stages that get no further kills. */
  readonly isSpared: (stage: Stage) => boolean
  /** Kills of one campaign in each of its stages. */
  readonly times: number
  /** Called with a sentence for every fault that a kill does not excuse. */
  readonly addProblem: (sentence: string) => void
}

/** Statuses that a campaign may have after an answered move. */
const doneBy: Readonly<Record<CampaignMove, readonly string[]>> = {
  stage: ['staged'],
  start: ['running', 'completed'],
  pause: ['paused'],
  resume: ['running', 'completed'],
}
/** The share of stagings under kill that replace a snapshot. */
const repeatShare = 0.4
/** The share of kills aimed at the node that owns the campaign; the others hit a random node. */
const ownerShare = 0.6
/** Interval of polling for the end; a shorter one would only load the node. */
const pollMs = 100
/** Timers fire about this late. */
const timerMs = 3

/** Takes a campaign through every move, and resolves once it has completed. */
export async function runUnderKills(trial: CampaignTrial, name: string): Promise<string> {
  const { agent, faultNodes, rng, times } = trial
  const id = await agent.draft(name)
  if (rng.chance(repeatShare)) await completeMove(trial, id, 'stage')
  for (const move of ['stage', 'start'] as const) {
    for (let nth = 0; nth < times; nth++) await killDuringMove(trial, id, move)
    await completeMove(trial, id, move)
  }
  for (const part of rng.shuffle(Array.from({ length: times }, () => ['run', 'held'] as const).flat())) {
    if (part === 'run') await killWhileRunning(trial, id)
    else await killDuringPause(trial, id)
  }
  await waitUntil(
    'it completes',
    faultNodes,
    async () => {
      await sleep(pollMs)
      return (await agent.status(id)) === 'completed'
    },
    async () => `it is ${await agent.status(id)} with ${JSON.stringify(await agent.report(id))}`,
  )
  return id
}

async function completeMove({ agent, faultNodes }: CampaignTrial, id: string, move: CampaignMove): Promise<void> {
  await waitUntil(`a ${move} is done`, faultNodes, async () => {
    const status = await agent.status(id)
    return doneBy[move].includes(status) || doneBy[move].includes(await agent.move(id, move))
  })
}

const startsFrom: Readonly<Record<CampaignMove, readonly string[]>> = {
  stage: ['draft', 'staged'],
  start: ['staged'],
  pause: ['running'],
  resume: ['paused'],
}

/** Requests a move and kills a node meanwhile. An answered move must hold; an unanswered one is either done or not. */
async function killDuringMove(trial: CampaignTrial, id: string, move: CampaignMove): Promise<void> {
  const { agent, faultNodes, aim, rng, addProblem } = trial
  const before = await agent.status(id)
  if (!startsFrom[move].includes(before) || trial.isSpared(move)) return
  const [caller, target] = [rng.pick(faultNodes), await targetOf(trial)]
  let isAnswered = false
  const moving = agent.requestMove(caller, id, move).finally(() => {
    isAnswered = true
  })
  await pass(aim.moment(move))
  const isInside = !isAnswered
  await target.kill()
  target.spawn()
  const response = await moving
  const after = await agent.status(id)
  await target.started()
  // It completed just before, so the kill had nothing to hit.
  if (response?.status === 409 && after === 'completed') return
  // A repeated staging has a snapshot before and after.
  const isDone = before !== after && doneBy[move].includes(after)
  aim.recordOutcome(move, isInside && !(response && caller === target) ? 'inside' : 'after', isDone)
  const isAcknowledged = response?.status === 200
  const undone = before === 'running' ? [before, 'completed'] : [before]
  const may = isAcknowledged ? doneBy[move] : [...undone, ...doneBy[move]]
  if (!may.includes(after)) {
    const answer = response ? `was answered ${response.status}` : 'was not answered'
    addProblem(`${id}: it was ${before}, is ${after}, and a ${move} ${answer}`)
  }
}

/** Pauses and resumes under kills; a move without effect is repeated once without a kill. */
async function killDuringPause(trial: CampaignTrial, id: string): Promise<void> {
  const { agent } = trial
  await killDuringMove(trial, id, 'pause')
  if ((await agent.status(id)) === 'running') await agent.move(id, 'pause')
  await killDuringMove(trial, id, 'resume')
  if ((await agent.status(id)) === 'paused') await agent.move(id, 'resume')
}

async function killWhileRunning(trial: CampaignTrial, id: string): Promise<void> {
  const { agent, aim } = trial
  if (trial.isSpared('run') || (await agent.status(id)) !== 'running') return
  const target = await targetOf(trial)
  await pass(aim.moment('run'))
  await target.kill()
  target.spawn()
  aim.recordOutcome('run', (await agent.status(id)) === 'running' ? 'inside' : 'after', false)
  await target.started()
}

/** The node that owns the campaign, with the share above. */
async function targetOf({ agent, faultNodes, shards, rng }: CampaignTrial): Promise<FaultNode> {
  const [isOwnerMeant, anybody] = [rng.chance(ownerShare), rng.pick(faultNodes)]
  if (!isOwnerMeant || faultNodes.length === 1) return anybody
  const shard = shardOf(agent.key, shards)
  for (const faultNode of faultNodes) {
    const nodeStatus = await readNodeStatus(faultNode)
    if (nodeStatus?.shards.some((each) => each.shard === shard && each.part === 'owner')) return faultNode
  }
  return anybody
}

/** Waits with sub-millisecond precision and lets other work go on. */
async function pass(ms: number): Promise<void> {
  const ends = performance.now() + ms
  if (ms > timerMs) await sleep(ms - timerMs)
  while (performance.now() < ends) await turn()
}
