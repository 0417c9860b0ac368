/** Directives of sandbox turns, and the query that reads turns from the transcript. */
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import { directive as limits } from '../../core/limits/index.js'
import type { Directive } from '../../core/sandbox/directive.js'
import type { VisibleMessage, VisibleMessages } from '../../core/sandbox/simulate.js'
import { type Turn, turnOf } from '../../core/sandbox/turn.js'
import { conversationTable, messageTable, sandboxTurnTable } from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import { byOwner, type Reader, table } from '../store/contract.js'

/** The directive that a turn was run from, under the number of the turn. */
export const directiveTable = byOwner(
  table<[asid: string, number: number], { readonly at: number; readonly directive: Directive }>('sandbox.directives'),
)

export interface TurnPage {
  readonly turns: readonly Turn[]
  /** More turns follow the last one. */
  readonly isMore: boolean
  /** The number of the first event in the event queue. */
  readonly firstEvent: number
  /** Outbound messages are queued, or a turn of a managed agent is open. */
  readonly isBusy: boolean
}

export const turnsQuery: Query<{ asid: string; after: number; limit: number }, TurnPage> = {
  name: 'sandbox.turns',
  read(reader, { asid, after, limit }) {
    const rows = [...reader.range(sandboxTurnTable, { prefix: [asid], after: [asid, after], limit: limit + 1 })]
    const turns = rows.slice(0, limit).map(({ key: [, number], value: entry }) => {
      const message = entry.origin === 'agent' ? messageOf(reader, asid, entry.messageId) : undefined
      const directive = entry.origin === 'user' ? reader.get(directiveTable, [asid, number])?.directive : undefined
      return turnOf({ number, entry, ...(message && { message }), ...(directive && { directive }) })
    })
    const { firstEvent = 0, queue = [], turn } = reader.get(conversationTable, [asid]) ?? {}
    return { turns, isMore: rows.length > limit, firstEvent, isBusy: queue.length > 0 || turn !== undefined }
  },
}

function messageOf(reader: Reader, asid: string, messageId: string): OutboundMessage | undefined {
  return reader.get(messageTable, [asid, messageId])?.message
}

/** The messages that the person sees, newest first, and how many of them are the agent's latest reply. */
export function visibleMessages(reader: Reader, asid: string): VisibleMessages {
  const messages: VisibleMessage[] = []
  let latest: number | undefined
  for (const { value } of reader.range(sandboxTurnTable, {
    prefix: [asid],
    reverse: true,
    limit: limits.rowsScanned,
  })) {
    const { origin, type, messageId } = value
    if (origin === 'user') {
      if (type === 'content' && messages.length > 0) latest ??= messages.length
      continue
    }
    const message = messageOf(reader, asid, messageId)
    if (message && !isSignal(message)) messages.push({ messageId, message })
  }
  return { messages, latest: latest ?? messages.length }
}
