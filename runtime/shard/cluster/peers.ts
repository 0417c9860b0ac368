/** What nodes say to each other about shards, beside the log: let go, how far are you, take it. */
import { cluster as limits, shard as shardLimits } from '../../../core/limits.js'
import type { Rpc } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import { isBeyond, type LogEnd, type Parent } from './copy.js'

export interface CopyStatus {
  readonly shard: number
  readonly line: string
  readonly epoch: number
  readonly holder: string
  readonly number: number
  readonly parents?: readonly Parent[]
  readonly owned: boolean
}

/** What a node answers to the others. */
export interface PeerSide {
  release(shard: number): Promise<boolean>
  rescue(shard: number): void
  /** One for each shard, in their order. */
  status(): readonly CopyStatus[]
}

export interface Peers {
  /** Asks a node to let go of a shard that is no longer its turn; true when it says that it does not serve it. */
  release(node: string, shard: number): Promise<boolean>
  /** Asks a node to take a shard because its copy knows more than the log. */
  rescue(node: string, shard: number): Promise<void>
  /** The copy that knows most beyond such a log, or beyond no log at all if its line is empty, among those that answer. */
  furthest(shard: number, log: LogEnd): Promise<{ node: string; number: number } | undefined>
  /** What every other node says of its copies; those that do not answer are left out. */
  statuses(): Promise<ReadonlyMap<string, readonly CopyStatus[]>>
}

type Said = { readonly say: 'release' | 'rescue'; readonly shard: number } | { readonly say: 'status' }

const releaseMs = shardLimits.handOverMs + limits.leaseMs
const statusMs = limits.beatEveryMs

function subjectOf(node: string): string {
  return `node.${node}`
}

/** Answers what other nodes ask of this one, until the returned function is called. */
export function servePeers(rpc: Rpc, node: string, side: PeerSide): () => void {
  return rpc.serve(subjectOf(node), async (body) => {
    const said = decodePlain(body) as Said
    if (said.say === 'release') return encodePlain(await side.release(said.shard))
    if (said.say === 'rescue') return encodePlain(side.rescue(said.shard) ?? null)
    return encodePlain(side.status())
  })
}

export function openPeers(rpc: Rpc, others: () => readonly string[]): Peers {
  async function ask(node: string, said: Said, withinMs: number): Promise<unknown> {
    try {
      return decodePlain(await rpc.request(subjectOf(node), encodePlain(said), withinMs))
    } catch {
      return undefined
    }
  }

  async function statuses(): Promise<ReadonlyMap<string, readonly CopyStatus[]>> {
    const nodes = others()
    const answers = await Promise.all(nodes.map((node) => ask(node, { say: 'status' }, statusMs)))
    return new Map(nodes.flatMap((node, at) => (answers[at] ? [[node, answers[at] as CopyStatus[]] as const] : [])))
  }

  return {
    async release(node, shard) {
      return (await ask(node, { say: 'release', shard }, releaseMs)) === true
    },
    async rescue(node, shard) {
      await ask(node, { say: 'rescue', shard }, statusMs)
    },
    async furthest(shard, log) {
      let found: { node: string; number: number } | undefined
      for (const [node, copies] of await statuses()) {
        const copy = copies[shard]
        if (!copy || copy.number <= (found?.number ?? log.last)) continue
        if (log.line !== '' && !isBeyond(copy, log)) continue
        found = { node, number: copy.number }
      }
      return found
    },
    statuses,
  }
}
