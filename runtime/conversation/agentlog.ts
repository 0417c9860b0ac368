/**
 * Log lines of an agent that belong to no conversation, in the agent's own shard: sends, and refused calls of
 * providers. They have the retention of conversation records.
 */

import type { AgentRef } from '../../core/agentref.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { levelOf } from '../../core/catalogs/logevents.js'
import type { ChannelName } from '../../core/channelnames.js'
import { conversation as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Command, Tx } from '../shard/contract.js'
import { cacheReads, table } from '../store/contract.js'
import type { LogRecord, RecordKey } from './tables.js'

export interface AgentLogNote extends LogNote {
  /** The person that the line is about; absent when it is about none. */
  readonly asid?: string
  readonly channel?: ChannelName
}

type AgentLogRecord = Omit<LogRecord, 'channel'> & Pick<AgentLogNote, 'channel'>

export const agentNoteTable = table<RecordKey, AgentLogRecord>('agentlog.own')
/** When the next sweep of an agent's lines is due; present while the agent has lines. */
const sweepTable = cacheReads(table<[orgId: string, agentId: string], number>('agentlog.sweep'))

const sweepName = 'agentlog.sweep'

export interface AgentLogCommands {
  /** Writes a line in a commit of its own. */
  readonly write: Command<AgentRef & { readonly entry: AgentLogNote }, null>
  readonly sweep: Command<AgentRef, null>
}

/** Writes a line in the commit of the change that it reports; for commands of the agent's own shard. */
export function writeAgentLogEntry(tx: Tx, agent: AgentRef, entry: AgentLogNote, at: number, timeScale: number): void {
  const { orgId, agentId } = agent
  const { asid = '', channel, event, data } = entry
  const record: AgentLogRecord = Object.assign(
    { level: levelOf(event), event },
    channel && { channel },
    data && { data },
  )
  tx.put(agentNoteTable, freeKey(tx, [orgId, agentId, at, asid, -1]), record)
  if (tx.get(sweepTable, [orgId, agentId]) === undefined) scheduleSweep(tx, agent, at + retentionMs(timeScale))
}

export function agentLogCommands(timeScale: number): AgentLogCommands {
  return {
    write: {
      name: 'agentlog.write',
      decide(tx, { entry, ...agent }, { at }) {
        writeAgentLogEntry(tx, agent, entry, at, timeScale)
        return null
      },
    },
    sweep: {
      name: sweepName,
      decide(tx, agent, { at }) {
        const { orgId, agentId } = agent
        const rows = [...tx.range(agentNoteTable, { prefix: [orgId, agentId], limit: limits.retentionRows + 1 })]
        const firstRetained = rows.findIndex(
          ({ key }, nth) => nth === limits.retentionRows || key[2] + retentionMs(timeScale) > at,
        )
        for (const { key } of firstRetained < 0 ? rows : rows.slice(0, firstRetained)) tx.remove(agentNoteTable, key)
        if (firstRetained < 0) tx.remove(sweepTable, [orgId, agentId])
        else scheduleSweep(tx, agent, Math.max(at, rows[firstRetained]!.key[2] + retentionMs(timeScale)))
        return null
      },
    },
  }
}

function retentionMs(timeScale: number): number {
  return scaledMs(limits.retentionMs, timeScale)
}

function scheduleSweep(tx: Tx, { orgId, agentId }: AgentRef, dueAt: number): void {
  tx.put(sweepTable, [orgId, agentId], dueAt)
  tx.schedule({ name: sweepName, dueAt, command: sweepName, input: { orgId, agentId } })
}

/** Conversation records are numbered from 1 upwards and these lines from -1 downwards, so no two share a position. */
function freeKey(tx: Tx, [orgId, agentId, at, asid, number]: RecordKey): RecordKey {
  const key: RecordKey = [orgId, agentId, at, asid, number]
  return tx.get(agentNoteTable, key) === undefined ? key : freeKey(tx, [orgId, agentId, at, asid, number - 1])
}
