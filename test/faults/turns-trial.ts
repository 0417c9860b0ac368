/** One trial: a node is harmed at one point of a person's turn, and the person writes again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cluster as limits } from '../../runtime/shard/limits.js'
import { shardOf } from '../../runtime/shard/placement.js'
import type { Rng } from '../sim/world/rng.js'
import { readNodeStatus } from './cluster.js'
import type { FaultNode } from './faultnode.js'
import { waitUntil } from './timeout.js'
import type { SeenTurn, TurnAgent } from './turns-agent.js'
import type { TurnEndpoints } from './turns-endpoints.js'
import { type Failpoint, toolOf } from './turns-failpoints.js'
import { wishes } from './turns-flows.js'

/** `killed`: a process ends and another one starts on its data. `paused`: it stands still past its lease. */
export type Harm = 'killed' | 'paused'

export interface TurnTrial {
  readonly faultNodes: readonly FaultNode[]
  readonly shards: number
  readonly agent: TurnAgent
  readonly endpoints: TurnEndpoints
  readonly harm: Harm
  readonly rng: Rng
  /** Counts trials, so that no two people, texts and pictures are the same. */
  readonly number: number
}

export interface TrialResult {
  readonly userId: string
  /** Everything that the person wrote and that begins a turn, in order. */
  readonly texts: readonly string[]
  /** The turn that was harmed. */
  readonly turn: SeenTurn
  /** From the harm to the end of that turn. */
  readonly waitedMs: number
}

/** Where no request shows the moment. */
const soonMs = 40
const maxLeases = 2
const slotMs = 30 * 60_000

export async function runTrial(trial: TurnTrial, failpoint: Failpoint): Promise<TrialResult> {
  const { faultNodes, agent, endpoints, number, rng } = trial
  const { flow, waitsFor, meanwhile } = failpoint
  const phone = `+1207555${String(1_000 + number)}`
  const texts: string[] = []

  async function say(text: string): Promise<void> {
    texts.push(text)
    await agent.write(phone, text)
  }

  async function answered(text: string): Promise<SeenTurn> {
    let turn: SeenTurn | undefined
    const hasEnded = async () => {
      turn = await agent.turnOf(text)
      return turn !== undefined
    }
    await waitUntil(`the turn of "${text}" ends`, faultNodes, hasEnded, agent.describeTurns)
    return turn!
  }

  const hello = `Hello ${number}`
  await say(hello)
  const { userId } = await answered(hello)
  const picture = `/pictures/${number}`
  await agent.setPicture(`${endpoints.url}${picture}`)
  const wish = `${wishes[flow]} ${number}`
  const path = { tool: `/tools/${toolOf[flow]}`, picture }
  const held = waitsFor && waitsFor !== 'delivery' ? endpoints.hold(path[waitsFor]) : undefined
  await say(wish)
  const harmed = flow === 'appointment' ? startOf(number) : wish
  if (flow === 'appointment') {
    await answered(wish)
    await say(harmed)
  }
  if (held)
    await waitUntil(`a node is at the point ${failpoint.name}`, faultNodes, held.hasArrived, agent.describeTurns)
  else if (waitsFor === 'delivery') await answered(harmed)
  else await sleep(rng.between(0, soonMs))
  if (meanwhile === 'stop') await agent.write(phone, 'STOP')
  if (meanwhile === 'webhook') await agent.setWebhook(`${endpoints.url}/hook`)
  const owner = await ownerOf(trial, userId)
  const at = performance.now()
  await harm(trial, owner, () => held?.release())
  const turn = await answered(harmed)
  const waitedMs = performance.now() - at
  if (meanwhile === 'webhook') await agent.setWebhook(undefined)
  if (meanwhile === 'stop') await agent.write(phone, 'START')
  const last = `Goodbye ${number}`
  await say(last)
  await answered(last)
  await waitUntil(`every answer of ${userId} is delivered`, faultNodes, async () => {
    const [accepted, settled] = await Promise.all([agent.answers(userId), agent.settled(userId)])
    return accepted.every((id) => settled.includes(id))
  })
  return { userId, texts, turn: await refreshed(), waitedMs }

  /** An outcome that came late is in the record by now. */
  async function refreshed(): Promise<SeenTurn> {
    return (await agent.turnOf(harmed)) ?? turn
  }
}

/** A moment of its own for each trial, on the grid of the agent's times. */
function startOf(number: number): string {
  const tomorrow = Math.ceil(Date.now() / 86_400_000) * 86_400_000
  return new Date(tomorrow + number * slotMs).toISOString()
}

async function harm({ faultNodes, harm: kind, rng }: TurnTrial, owner: FaultNode, release: () => void): Promise<void> {
  if (kind === 'paused') {
    await owner.pause()
    await sleep((limits.leaseMs + limits.graceMs) * rng.between(1, maxLeases))
    release()
    owner.resume()
    return
  }
  await owner.kill()
  owner.spawn()
  release()
  await Promise.all(faultNodes.map((faultNode) => faultNode.started()))
}

/** The node that serves the conversation, once one does. */
async function ownerOf({ faultNodes, shards }: TurnTrial, userId: string): Promise<FaultNode> {
  const [only] = faultNodes
  if (faultNodes.length === 1) return only!
  const shard = shardOf(userId, shards)
  let owner: FaultNode | undefined
  await waitUntil(`a node owns shard ${shard}`, faultNodes, async () => {
    for (const faultNode of faultNodes) {
      const status = await readNodeStatus(faultNode)
      if (status?.shards.some((each) => each.shard === shard && each.part === 'owner')) owner = faultNode
    }
    return owner !== undefined
  })
  return owner!
}
