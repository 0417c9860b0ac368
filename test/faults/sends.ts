/** Sends while nodes are killed or suspended at random moments: the embedded node, and three nodes on NATS in turn. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { cluster as limits } from '../../runtime/shard/limits.js'
import { TestNatsCluster } from '../harness/nats.js'
import { type Rng, seededRng } from '../sim/world/rng.js'
import { type FaultNode, openFaultNode } from './faultnode.js'
import type { Cycles } from './kills.js'
import type { FaultReport } from './report.js'
import { openSendAgent } from './sends-agent.js'
import { openSendCallers, type SendCallers } from './sends-callers.js'
import { judgeSends, readSend, type SendTrial } from './sends-judge.js'
import { openSendProvider } from './sends-provider.js'
import { acceptedRequests, longestAnswerMs, openSendRecord } from './sends-record.js'
import { waitUntil } from './timeout.js'

/** A send is picked up after a fifth of a second, and its last attempt is six seconds later. */
const timeScale = 300
const maxSends = 80
const maxMs = 400
const earlyShare = 0.2
const earlyMs = 600
const readsPerHarm = 40
const maxLeases = 2

const env = { PARLEY_TIME_SCALE: String(timeScale), PARLEY_EMULATOR: 'false' }

export function embeddedSends(options: Cycles): Promise<FaultReport> {
  return runTrials('sends of a killed node', [openFaultNode('embedded', env)], killOnce, options)
}

export function killedClusterSends(options: Cycles): Promise<FaultReport> {
  return clusterSends('sends of a cluster whose nodes are killed', killOnce, options)
}

export function pausedClusterSends(options: Cycles): Promise<FaultReport> {
  return clusterSends('sends of a cluster whose nodes stand still', pauseOnce, options)
}

async function clusterSends(fault: string, harm: Harm, options: Cycles): Promise<FaultReport> {
  const nats = await TestNatsCluster.start()
  const shared = {
    ...env,
    PARLEY_NATS_URL: nats.urls.join(),
    PARLEY_SHARDS: '8',
    PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
  }
  const faultNodes = ['a', 'b', 'c'].map((name) => openFaultNode(name, shared))
  try {
    return await runTrials(fault, faultNodes, harm, options)
  } finally {
    await nats.stop()
  }
}

/** Injects a fault into one node and heals it; returns the time. */
type Harm = (trial: SendTrial, faultNode: FaultNode, rng: Rng) => Promise<number>

async function runTrials(
  fault: string,
  faultNodes: readonly FaultNode[],
  harm: Harm,
  { cycles, seed, note = () => {} }: Cycles,
): Promise<FaultReport> {
  const rng = seededRng(seed)
  const record = openSendRecord()
  const provider = await openSendProvider(record, rng.fork('provider'))
  let callers: SendCallers | undefined
  try {
    for (const faultNode of faultNodes) faultNode.spawn()
    await Promise.all(faultNodes.map((faultNode) => faultNode.started()))
    const trial: SendTrial = { faultNodes, record, agent: await openSendAgent(faultNodes, provider) }
    callers = openSendCallers({ ...trial, rng: rng.fork('callers') })
    let recoveryMs = 0
    for (let cycle = 1; cycle <= cycles; cycle++) {
      await someAccepted(trial, rng)
      const at = await harm(trial, faultNodes[cycle % faultNodes.length]!, rng)
      const since = acceptedRequests(record).length
      await waitUntil('sends are accepted again', faultNodes, () => acceptedRequests(record).length > since)
      recoveryMs = Math.max(recoveryMs, longestAnswerMs(record, at))
      for (const request of rng.shuffle(acceptedRequests(record)).slice(0, readsPerHarm)) await readSend(trial, request)
      note(`${fault} ${cycle}: ${acceptedRequests(record).length} accepted`)
    }
    await callers.stop()
    provider.recover()
    return { fault, seed, cycles, recoveryMs, ...(await judgeSends(trial)) }
  } finally {
    callers?.leave()
    await Promise.all(faultNodes.map((faultNode) => faultNode.remove()))
    await provider.close()
  }
}

async function someAccepted({ faultNodes, record }: SendTrial, rng: Rng): Promise<void> {
  const enough = acceptedRequests(record).length + rng.below(maxSends)
  await waitUntil(`${enough} sends are accepted`, faultNodes, () => acceptedRequests(record).length >= enough)
  await sleep(rng.between(0, maxMs))
}

/** Kills the node once, or once more while it restarts. */
async function killOnce({ record }: SendTrial, faultNode: FaultNode, rng: Rng): Promise<number> {
  const at = performance.now()
  await faultNode.kill()
  record.harms.push(record.moment())
  faultNode.spawn()
  while (rng.chance(earlyShare)) {
    await sleep(rng.between(0, earlyMs))
    await faultNode.kill()
    record.harms.push(record.moment())
    faultNode.spawn()
  }
  await faultNode.started()
  return at
}

/**
 * Suspends the node past its lease, so that other nodes take its shards before it resumes in the middle of its work.
 */
async function pauseOnce({ record }: SendTrial, faultNode: FaultNode, rng: Rng): Promise<number> {
  const at = performance.now()
  await faultNode.pause()
  record.harms.push(record.moment())
  await sleep((limits.leaseMs + limits.graceMs) * rng.between(1, maxLeases))
  faultNode.resume()
  return at
}
