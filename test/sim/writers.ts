/** One writer at a time: who appended to each shard's log, and whether a process acts for a shard that it has lost. */

import { type Assembler, createAssembler, lineageIdOf } from '../../runtime/shard/cluster/entry.js'
import type { Incarnation } from './world/life.js'
import type { Entry } from './world/log.js'

export interface Writers {
  appended(shard: number, entry: Entry): void
  /** A process learnt that its heartbeat of that moment has reached the servers. */
  beat(incarnation: Incarnation, requestedAt: number): void
  /** The log went back: the next writer continues from the remaining entries. */
  rolledBack(shard: number): void
  effectBegins(incarnation: Incarnation, shard: number, id: string): void
}

/** The owner of one shard by its log. */
interface ShardWriter {
  assembler: Assembler
  /** False after the log went back, until the next epoch begins. */
  certain: boolean
  lineageId: string
  epoch: number
  /** The life that appended the epoch, and when another life's epoch began. */
  by: string
  since: number
}

/** No clock runs slower than this share of the world's, so no lease is longer than its length by more than that. */
const slowest = 0.985

export interface WriterOptions {
  readonly now: () => number
  readonly addViolation: (sentence: string) => void
  /** Called when a shard changes its owner. */
  readonly changed: () => void
  readonly leaseMs: number
}

export function openWriters({ now, addViolation, changed, leaseMs }: WriterOptions): Writers {
  const shards = new Map<number, ShardWriter>()
  const lastBeat = new Map<string, number>()

  function writerOf(shard: number): ShardWriter {
    const writer = shards.get(shard) ?? {
      assembler: createAssembler(),
      certain: true,
      lineageId: '',
      epoch: 0,
      by: '',
      since: 0,
    }
    shards.set(shard, writer)
    return writer
  }

  return {
    appended(shard, { bytes, by, number, at }) {
      const writer = writerOf(shard)
      const entry = writer.assembler.add(bytes)
      if (!entry) return
      const where = `entry ${number} of shard ${shard}`
      const isNewLineage = lineageIdOf(bytes) !== writer.lineageId
      if (entry.kind === 'owner') {
        changed()
        if (writer.certain && !isNewLineage && entry.epoch !== writer.epoch + 1) {
          addViolation(`${where} begins epoch ${entry.epoch} after epoch ${writer.epoch}`)
        }
        Object.assign(writer, { certain: true, lineageId: lineageIdOf(bytes), epoch: entry.epoch, by, since: at })
        return
      }
      if (!writer.certain) return
      if (isNewLineage || entry.epoch !== writer.epoch) {
        addViolation(`${where} was written in epoch ${entry.epoch}, but epoch ${writer.epoch} is on`)
      } else if (by !== writer.by)
        addViolation(`${where} of epoch ${entry.epoch} is by ${by}, but the epoch belongs to ${writer.by}`)
    },
    beat: (incarnation, requestedAt) =>
      void lastBeat.set(incarnation.name, Math.max(requestedAt, lastBeat.get(incarnation.name) ?? 0)),
    rolledBack(shard) {
      Object.assign(writerOf(shard), { assembler: createAssembler(), certain: false })
    },
    effectBegins(incarnation, shard, id) {
      const writer = shards.get(shard)
      if (!writer?.certain || writer.by === incarnation.name) return
      const leaseEnds = (lastBeat.get(incarnation.name) ?? Number.NEGATIVE_INFINITY) + leaseMs / slowest
      if (now() <= leaseEnds) return
      addViolation(
        `${incarnation.name} begins the effect ${id}, though ${writer.by} has owned shard ${shard} since ${writer.since.toFixed(1)}`,
      )
    },
  }
}
