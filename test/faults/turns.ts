/**
 * Managed turns whose node is killed or stands still at each line of their crash table: on the embedded node, and on
 * three nodes on NATS.
 */
import { randomBytes } from 'node:crypto'
import { TestNatsCluster } from '../harness/nats.js'
import { seededRng } from '../sim/world/rng.js'
import { type FaultNode, openFaultNode } from './faultnode.js'
import type { Cycles } from './kills.js'
import type { FaultReport } from './report.js'
import { openTurnAgent } from './turns-agent.js'
import { openTurnEndpoints } from './turns-endpoints.js'
import { failpoints } from './turns-failpoints.js'
import { judgeTrial } from './turns-judge.js'
import { type Harm, runTrial } from './turns-trial.js'

const shards = 8

type Env = Readonly<Record<string, string>>

export function embeddedTurns(options: Cycles): Promise<FaultReport> {
  const openNodes = (env: Env) => [openFaultNode('embedded', env)]
  return runTrials('turns of a killed node', openNodes, 'killed', options)
}

export function killedClusterTurns(options: Cycles): Promise<FaultReport> {
  return onCluster('turns of a cluster whose nodes are killed', 'killed', options)
}

export function pausedClusterTurns(options: Cycles): Promise<FaultReport> {
  return onCluster('turns of a cluster whose nodes stand still', 'paused', options)
}

async function onCluster(fault: string, harm: Harm, options: Cycles): Promise<FaultReport> {
  const nats = await TestNatsCluster.start()
  const env = {
    PARLEY_NATS_URL: nats.urls.join(),
    PARLEY_SHARDS: String(shards),
    PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
    PARLEY_EMULATOR: 'true',
  }
  try {
    const openNodes = (more: Env) => ['a', 'b', 'c'].map((name) => openFaultNode(name, { ...env, ...more }))
    return await runTrials(fault, openNodes, harm, options)
  } finally {
    await nats.stop()
  }
}

/** A cycle is one trial at each failpoint, in an order of its own. */
async function runTrials(
  fault: string,
  openNodes: (env: Env) => readonly FaultNode[],
  harm: Harm,
  { cycles, seed, note = () => {} }: Cycles,
): Promise<FaultReport> {
  const rng = seededRng(seed)
  const endpoints = await openTurnEndpoints()
  const faultNodes = openNodes(endpoints.env)
  const totals = { missing: 0, doubled: 0, problems: [] as string[], acknowledged: 0, unknown: 0, recoveryMs: 0 }
  let number = 0
  try {
    for (const faultNode of faultNodes) faultNode.spawn()
    await Promise.all(faultNodes.map((faultNode) => faultNode.started()))
    const agent = await openTurnAgent(faultNodes, endpoints, rng.fork('agent'))
    for (let cycle = 1; cycle <= cycles; cycle++) {
      for (const failpoint of rng.shuffle([...failpoints])) {
        number++
        const trial = { faultNodes, shards, agent, endpoints, harm, rng: rng.fork(`trial ${number}`), number }
        const result = await runTrial(trial, failpoint)
        const verdict = await judgeTrial(agent, endpoints, failpoint, result, harm)
        totals.missing += verdict.missing
        totals.doubled += verdict.doubled
        totals.problems.push(...verdict.problems)
        totals.acknowledged += result.texts.length
        totals.unknown += result.turn.toolCalls.filter(({ state }) => state === 'unknown').length
        totals.recoveryMs = Math.max(totals.recoveryMs, result.waitedMs)
        const calls = result.turn.toolCalls.map(({ name, state }) => `${name} ${state}`)
        note([`${cycle} ${failpoint.name}: ${result.turn.state}`, ...calls, ...verdict.problems].join(', '))
      }
    }
    const { problems, ...counts } = totals
    return {
      ...{ fault, seed, cycles, ...counts, undecided: 0, late: 0 },
      problems: [...problems, ...faultNodes.flatMap((faultNode) => faultNode.surprises())],
      printed: new Map(faultNodes.map((faultNode) => [faultNode.name, faultNode.printed()])),
      notes: [
        `${number} turns harmed at ${failpoints.length} points`,
        `${endpoints.requests.length} requests to tools`,
        `${counts.unknown} calls in doubt`,
      ],
    }
  } finally {
    await Promise.all(faultNodes.map((faultNode) => faultNode.remove()))
    await endpoints.close()
  }
}
