/** What the judge of a run reads: the rows of a person's conversation, and those of the agent. */
import type { Conversation } from '../../../core/conversation/state.js'
import type { OpenTurn } from '../../../core/turn/openturn.js'
import type { Play } from '../../../core/turn/play.js'
import type { TurnRecord } from '../../../core/turn/record.js'
import { attemptTable, conversationTable, deadLetterTable } from '../../../runtime/conversation/tables.js'
import type { Query } from '../../../runtime/shard/contract.js'
import { outboxTable } from '../../../runtime/shard/tables.js'
import type { Reader } from '../../../runtime/store/contract.js'
import { openTurnTable, playTable } from '../../../runtime/turn/state.js'
import { turnTable } from '../../../runtime/turn/tables.js'
import { type JournalEntry, journalTable } from './journal.js'
import { agent } from './operator.js'
import { insideTable } from './tools.js'

export interface PersonState {
  readonly conversation?: Conversation
  readonly open?: OpenTurn
  readonly play?: Play
  readonly journal: readonly JournalEntry[]
  /** In the order of the events that they answer. */
  readonly records: readonly TurnRecord[]
  /** Events that the webhook took, or that were given up. */
  readonly otherwise: readonly string[]
  /** Pending effects of the whole shard. */
  readonly pendingEffects: number
}

const prefix = [agent.orgId, agent.agentId] as const

export const readPerson: Query<{ asid: string }, PersonState> = {
  name: 'sim.person',
  read(reader, { asid }) {
    const conversation = reader.get(conversationTable, [asid])
    const open = reader.get(openTurnTable, [asid])
    const play = reader.get(playTable, [asid])
    const values = <V>(rows: Iterable<{ readonly value: V }>) => Array.from(rows, ({ value }) => value)
    const attempts = [...reader.range(attemptTable, { prefix })].filter(({ key }) => key[3] === asid)
    const taken = attempts.flatMap(({ value }) => (value.outcome === 'retried' ? [] : [value.eventId]))
    const journal = values(reader.range(journalTable, { prefix: [asid] }))
    const eventIds = journal.flatMap((entry) => (entry.kind === 'event' ? [entry.eventId] : []))
    const placeOf = ({ trigger }: TurnRecord) => eventIds.indexOf(trigger.eventIds[0] ?? '')
    const records = values(reader.range(turnTable, { prefix })).filter(({ userId }) => userId === asid)
    const letters = values(reader.range(deadLetterTable, { prefix })).filter((letter) => letter.asid === asid)
    return {
      ...(conversation && { conversation }),
      ...(open && { open }),
      ...(play && { play }),
      journal,
      records: records.toSorted((one, other) => placeOf(one) - placeOf(other)),
      otherwise: [...new Set([...taken, ...letters.map(({ event }) => event.eventId)])],
      pendingEffects: countEffects(reader),
    }
  },
}

export interface AgentState {
  /** Effects of the tools inside, by the id of their call. */
  readonly inside: Readonly<Record<string, number>>
  readonly pendingEffects: number
}

export const readAgent: Query<{ owner: string }, AgentState> = {
  name: 'sim.agent',
  read(reader, { owner }) {
    const rows = Array.from(reader.range(insideTable, { prefix: [owner] }), ({ key, value }) => [key[1], value])
    return { inside: Object.fromEntries(rows), pendingEffects: countEffects(reader) }
  },
}

function countEffects(reader: Reader): number {
  return [...reader.range(outboxTable)].length
}
