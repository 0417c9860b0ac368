/**
 * Lines of an agent's log that no conversation writes, in the agent's own shard: sends, and calls of providers that were
 * refused. They are kept as long as the records of conversations.
 */

import type { AgentPlace } from '../../core/agentkey.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { levelOf } from '../../core/catalogs/logevents.js'
import type { ChannelName } from '../../core/channelnames.js'
import { conversation as limits } from '../../core/limits.js'
import type { Command, Tx } from '../shard/contract.js'
import { readOften, table } from '../store/contract.js'
import type { LogRecord, RecordKey } from './tables.js'

export interface AgentLine extends LogNote {
  /** The person that it is about, where it is about one. */
  readonly asid?: string
  readonly channel?: ChannelName
}

type OwnRecord = Omit<LogRecord, 'channel'> & Pick<AgentLine, 'channel'>

export const agentLineTable = table<RecordKey, OwnRecord>('agentlog.own')
/** When the next sweep of an agent's lines is due; there while there are lines. */
const sweepTable = readOften(table<[orgId: string, agentId: string], number>('agentlog.sweep'))

const sweepName = 'agentlog.sweep'

export interface AgentLogCommands {
  /** Writes a line that goes with no other commit. */
  readonly note: Command<AgentPlace & { readonly line: AgentLine }, null>
  readonly sweep: Command<AgentPlace, null>
}

/** Writes a line in the commit that it is about; for commands of the agent's own shard. */
export function writeAgentLine(tx: Tx, place: AgentPlace, line: AgentLine, at: number, timeScale: number): void {
  const { orgId, agentId } = place
  const { asid = '', channel, event, data } = line
  const record: OwnRecord = Object.assign({ level: levelOf(event), event }, channel && { channel }, data && { data })
  tx.put(agentLineTable, freeKey(tx, [orgId, agentId, at, asid, -1]), record)
  if (tx.get(sweepTable, [orgId, agentId]) === undefined) sweepAt(tx, place, at + keptMsOf(timeScale))
}

export function agentLogCommands(timeScale: number): AgentLogCommands {
  return {
    note: {
      name: 'agentlog.note',
      decide(tx, { line, ...place }, { at }) {
        writeAgentLine(tx, place, line, at, timeScale)
        return null
      },
    },
    sweep: {
      name: sweepName,
      decide(tx, place, { at }) {
        const { orgId, agentId } = place
        const rows = [...tx.range(agentLineTable, { prefix: [orgId, agentId], limit: limits.tidyRows + 1 })]
        const firstKept = rows.findIndex(({ key }, nth) => nth === limits.tidyRows || key[2] + keptMsOf(timeScale) > at)
        for (const { key } of firstKept < 0 ? rows : rows.slice(0, firstKept)) tx.remove(agentLineTable, key)
        if (firstKept < 0) tx.remove(sweepTable, [orgId, agentId])
        else sweepAt(tx, place, Math.max(at, rows[firstKept]!.key[2] + keptMsOf(timeScale)))
        return null
      },
    },
  }
}

function keptMsOf(timeScale: number): number {
  return Math.ceil(limits.keptMs / timeScale)
}

function sweepAt(tx: Tx, { orgId, agentId }: AgentPlace, dueAt: number): void {
  tx.put(sweepTable, [orgId, agentId], dueAt)
  tx.schedule({ name: sweepName, dueAt, command: sweepName, input: { orgId, agentId } })
}

/** Numbers of conversations' records begin at 1, those of these lines at -1 downwards, so no two have one position. */
function freeKey(tx: Tx, [orgId, agentId, at, asid, number]: RecordKey): RecordKey {
  const key: RecordKey = [orgId, agentId, at, asid, number]
  return tx.get(agentLineTable, key) === undefined ? key : freeKey(tx, [orgId, agentId, at, asid, number - 1])
}
