/** Three nodes with books on three NATS servers, clients at work, and the roles that faults aim at. */
import { randomBytes } from 'node:crypto'
import { logStream } from '../../runtime/nats/subjects.js'
import { shardOf } from '../../runtime/shard/placement.js'
import { type TestNats, TestNatsCluster } from '../harness/nats.js'
import { type Rng, seededRng } from '../sim/world/rng.js'
import type { NodeStatus } from './books.js'
import { call } from './call.js'
import { type Clients, openClients } from './clients.js'
import { type FaultNode, openFaultNode } from './faultnode.js'
import { openHistory } from './history.js'
import type { Trial } from './judge.js'
import type { Mutant } from './mutants.js'
import { openReceiver } from './receiver.js'
import { waitUntil } from './timeout.js'

export interface Cluster extends Trial {
  readonly nats: TestNatsCluster
  readonly rng: Rng
  readonly clients: Clients
  /** The shard with the most writes. */
  busiest(): number
  /** The node that serves a shard, once one does. */
  ownerOf(shard: number, among?: readonly FaultNode[]): Promise<FaultNode>
  /** The NATS server that leads the log of a shard, once one does. */
  leaderOf(shard: number): Promise<TestNats>
  /** Resolves when every book has accepted a write that began after `since`. */
  waitUntilAccepting(since: number): Promise<void>
  close(): Promise<void>
}

const shards = 8
const statusMs = 5_000
/** More than shards, so that each fault affects some. */
const books = Array.from({ length: 12 }, (_, at) => `book-${at}`)

export async function openClusterUnderLoad(seed: number, mutants: readonly Mutant[] = []): Promise<Cluster> {
  const rng = seededRng(seed)
  const nats = await TestNatsCluster.start()
  const receiver = await openReceiver(rng.fork('receiver'))
  const env = {
    FAULTS_RECEIVER: receiver.url,
    PARLEY_NATS_URL: nats.urls.join(),
    PARLEY_SHARDS: String(shards),
    PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
    FAULTS_MUTANTS: mutants.join(),
  }
  const faultNodes = ['a', 'b', 'c'].map((name) => openFaultNode(name, env))
  const trial: Trial = { books, faultNodes, history: openHistory(), receiver }
  let clients: Clients | undefined

  function waitUntilAccepting(since: number): Promise<void> {
    return waitUntil('every book takes writes again', faultNodes, () => trial.history.everyBookAccepted(books, since))
  }

  async function ownerOf(shard: number, among: readonly FaultNode[] = faultNodes): Promise<FaultNode> {
    let owner: FaultNode | undefined
    await waitUntil(`somebody owns shard ${shard}`, faultNodes, async () => {
      for (const faultNode of among) if (await owns(faultNode, shard)) owner = faultNode
      return owner !== undefined
    })
    return owner!
  }

  async function close(): Promise<void> {
    clients?.leave()
    await Promise.all(faultNodes.map((faultNode) => faultNode.remove()))
    await nats.stop()
    await receiver.close()
  }

  try {
    for (const faultNode of faultNodes) faultNode.spawn()
    await Promise.all(faultNodes.map((faultNode) => faultNode.started()))
    clients = openClients({ ...trial, rng: rng.fork('clients') })
    await waitUntilAccepting(0)
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...trial,
    nats,
    rng,
    clients,
    busiest() {
      const writes = Array.from({ length: shards }, () => 0)
      for (const { book } of trial.history.acknowledged()) writes[shardOf(book, shards)]!++
      return writes.indexOf(Math.max(...writes))
    },
    ownerOf,
    leaderOf: (shard) => nats.leaderOf(logStream(shard)),
    waitUntilAccepting,
    close,
  }
}

async function owns(faultNode: FaultNode, shard: number): Promise<boolean> {
  return (
    (await readNodeStatus(faultNode))?.shards.some((each) => each.shard === shard && each.part === 'owner') ?? false
  )
}

export async function readNodeStatus(faultNode: FaultNode): Promise<NodeStatus | undefined> {
  return (await call<NodeStatus>(faultNode, 'GET', '/about', statusMs)).answer
}
