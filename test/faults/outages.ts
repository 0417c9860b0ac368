/** Nodes and servers of a cluster that die, stall, or are restarted; none of them loses its disk. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cluster as limits } from '../../runtime/shard/limits.js'
import { type Cluster, readNodeStatus } from './cluster.js'
import type { FaultNode } from './faultnode.js'
import type { ClusterFault } from './injection.js'
import { waitUntil } from './timeout.js'

const ownerKilled: ClusterFault = {
  name: 'owner killed',
  title: 'When the owner of a shard is killed another node goes on with all that was acknowledged',
  isQuick: true,
  async inject(cluster, onInjected) {
    const shard = cluster.busiest()
    const owner = await cluster.ownerOf(shard)
    onInjected()
    await owner.kill()
    await cluster.ownerOf(shard)
    owner.spawn()
    await owner.started()
  },
}

const serverKilled: ClusterFault = {
  name: 'server killed',
  title: 'When the NATS server that leads a log is killed nothing acknowledged is lost',
  isQuick: true,
  async inject(cluster, onInjected) {
    const leader = await cluster.leaderOf(cluster.busiest())
    const at = performance.now()
    onInjected()
    await leader.kill()
    await cluster.waitUntilAccepting(at)
    await leader.start()
  },
}

const serverPaused: ClusterFault = {
  name: 'server paused',
  title: 'When the NATS server that leads a log stands still nothing acknowledged is lost',
  isQuick: true,
  async inject(cluster, onInjected) {
    const leader = await cluster.leaderOf(cluster.busiest())
    const at = performance.now()
    onInjected()
    await leader.pause()
    await cluster.waitUntilAccepting(at)
    leader.resume()
    await leader.ready()
  },
}

const ownerPaused: ClusterFault = {
  name: 'owner paused',
  title: 'An owner that was paused past its lease serves no stale read and performs nothing of what it lost',
  isQuick: true,
  async inject(cluster, onInjected, { pauseLeases }) {
    const owner = await cluster.ownerOf(cluster.busiest())
    const owned = (await readNodeStatus(owner))!.shards.filter(({ part }) => part === 'owner')
    const others = cluster.faultNodes.filter((faultNode) => faultNode !== owner)
    const at = performance.now()
    onInjected()
    await owner.pause()
    await sleep((limits.leaseMs + limits.graceMs) * pauseLeases)
    for (const { shard } of owned) await cluster.ownerOf(shard, others)
    await cluster.waitUntilAccepting(at)
    owner.resume()
    await checkSilence(cluster, owner, owned)
  },
}

interface Tenure {
  readonly shard: number
  readonly epoch: number
}

/** After this many answered requests, everything that the node sent earlier counts as arrived. */
const roundTrips = 5

/** After it learns of the loss of a shard, the node performs none of its effects. */
async function checkSilence(cluster: Cluster, resumed: FaultNode, lost: readonly Tenure[]): Promise<void> {
  const { receiver, history } = cluster
  const isLost = ({ shard, epoch }: Tenure) => lost.some((each) => each.shard === shard && each.epoch === epoch)
  await waitUntil(`${resumed.name} knows what it lost`, cluster.faultNodes, async () => {
    const nodeStatus = await readNodeStatus(resumed)
    return nodeStatus !== undefined && !nodeStatus.shards.some((each) => each.part === 'owner' && isLost(each))
  })
  for (let trip = 0; trip < roundTrips; trip++) await readNodeStatus(resumed)
  const silentFrom = receiver.arrived.length
  await cluster.waitUntilAccepting(performance.now())
  for (const post of receiver.arrived.slice(silentFrom)) {
    if (post.node !== resumed.name || !isLost(post)) continue
    history.violations.push(`${post.node} performed the effect of ${post.value} after it had lost shard ${post.shard}`)
  }
}

const rollingRestart: ClusterFault = {
  name: 'rolling restart',
  title: 'Nodes restarted one after another under load answer everything they took, and end well',
  isQuick: true,
  async inject(cluster, onInjected) {
    onInjected()
    for (const faultNode of cluster.faultNodes) {
      const code = await faultNode.end()
      if (code !== 0) cluster.history.violations.push(`${faultNode.name} ended with ${code} when it was asked to stop`)
      faultNode.spawn()
      await faultNode.started()
      await cluster.waitUntilAccepting(performance.now())
    }
  },
  /** A decided request must have been answered; a late one may be refused, and is counted. */
  notes({ history }, since) {
    let turnedAway = 0
    for (const { value, tries, answer, endedAt = since } of history.writes) {
      if (endedAt < since) continue
      for (const [at, { how, node }] of tries.entries()) {
        if (how === 'unavailable' || how === 'doubtful') turnedAway++
        if ((how === 'reset' || how === 'doubtful') && answer?.attempt === at + 1) {
          history.violations.push(`${node} decided ${value} and did not tell its writer (${how})`)
        }
      }
    }
    return [`${turnedAway} answered 503`]
  },
}

const everythingKilled: ClusterFault = {
  name: 'everything killed',
  title: 'When every node and every NATS server is killed at once nothing acknowledged is lost',
  isQuick: false,
  async inject({ faultNodes, nats }, onInjected) {
    onInjected()
    await Promise.all([...faultNodes, ...nats.servers].map((each) => each.kill()))
    await nats.startAll()
    for (const faultNode of faultNodes) faultNode.spawn()
    await Promise.all(faultNodes.map((faultNode) => faultNode.started()))
  },
}

const endedWithoutServers: ClusterFault = {
  name: 'ended without servers',
  title: 'Nodes that are asked to stop while every NATS server is away end well, and lose nothing',
  isQuick: false,
  async inject({ faultNodes, nats, history }, onInjected) {
    onInjected()
    await Promise.all(nats.servers.map((server) => server.kill()))
    const codes = await Promise.all(faultNodes.map((faultNode) => faultNode.end()))
    if (codes.some((code) => code !== 0)) history.violations.push(`without servers the nodes ended with ${codes}`)
    await nats.startAll()
    for (const faultNode of faultNodes) faultNode.spawn()
    await Promise.all(faultNodes.map((faultNode) => faultNode.started()))
  },
}

/** The faults of every test run. */
export const usualOutages: readonly ClusterFault[] = [ownerKilled, serverKilled, ownerPaused, rollingRestart]
export const rarerOutages: readonly ClusterFault[] = [serverPaused, everythingKilled, endedWithoutServers]
