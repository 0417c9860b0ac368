/** Node-to-node RPC about shards: release, status, force takeover. */

import type { Rpc } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import type { EngineLimits } from '../limits.js'
import { type Ancestor, isAheadOf, type LogEnd } from './copy.js'

export interface CopyStatus {
  readonly shard: number
  readonly lineageId: string
  readonly epoch: number
  readonly owner: string
  readonly number: number
  readonly ancestors?: readonly Ancestor[]
  readonly owned: boolean
}

/** The answers of a node to its peers. */
export interface PeerHandlers {
  release(shard: number): Promise<boolean>
  forceTakeover(shard: number): void
  /** One for each shard, in their order. */
  status(): readonly CopyStatus[]
}

export interface Peers {
  /**
   * Asks a node to release a shard for which another node ranks first; true when it answers that it does not serve it.
   */
  release(node: string, shard: number): Promise<boolean>
  /** Asks a node to take a shard because its copy has entries that the log has lost. */
  forceTakeover(node: string, shard: number): Promise<void>
  /**
   * The copy with the most entries beyond such a log (of any lineage if `lineageId` is empty), among the nodes that
   * answer.
   */
  findFurthest(shard: number, log: LogEnd): Promise<{ node: string; number: number } | undefined>
  /** The copies of every other node; nodes that do not answer are left out. */
  statuses(): Promise<ReadonlyMap<string, readonly CopyStatus[]>>
}

type PeerRequest = { readonly kind: 'release' | 'forceTakeover'; readonly shard: number } | { readonly kind: 'status' }

function subjectOf(node: string): string {
  return `node.${node}`
}

/** Answers the requests of peers until the returned function is called. */
export function servePeers(rpc: Rpc, node: string, handlers: PeerHandlers): () => void {
  return rpc.serve(subjectOf(node), async (body) => {
    const request = decodePlain(body) as PeerRequest
    if (request.kind === 'release') return encodePlain(await handlers.release(request.shard))
    if (request.kind === 'forceTakeover') return encodePlain(handlers.forceTakeover(request.shard) ?? null)
    return encodePlain(handlers.status())
  })
}

export function createPeers(rpc: Rpc, others: () => readonly string[], { shard, cluster }: EngineLimits): Peers {
  const releaseMs = shard.handOverMs + cluster.leaseMs
  const statusMs = cluster.heartbeatEveryMs

  async function call(node: string, request: PeerRequest, withinMs: number): Promise<unknown> {
    try {
      return decodePlain(await rpc.request(subjectOf(node), encodePlain(request), withinMs))
    } catch {
      return undefined
    }
  }

  async function statuses(): Promise<ReadonlyMap<string, readonly CopyStatus[]>> {
    const nodes = others()
    const answers = await Promise.all(nodes.map((node) => call(node, { kind: 'status' }, statusMs)))
    return new Map(nodes.flatMap((node, at) => (answers[at] ? [[node, answers[at] as CopyStatus[]] as const] : [])))
  }

  return {
    async release(node, shard) {
      return (await call(node, { kind: 'release', shard }, releaseMs)) === true
    },
    async forceTakeover(node, shard) {
      await call(node, { kind: 'forceTakeover', shard }, statusMs)
    },
    async findFurthest(shard, log) {
      let furthest: { node: string; number: number } | undefined
      for (const [node, copies] of await statuses()) {
        const copy = copies[shard]
        if (!copy || copy.number <= (furthest?.number ?? log.last)) continue
        if (log.lineageId !== '' && !isAheadOf(copy, log)) continue
        furthest = { node, number: copy.number }
      }
      return furthest
    },
    statuses,
  }
}
