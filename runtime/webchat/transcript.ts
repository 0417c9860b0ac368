/**
 * The transcript of a visitor: the ordered lines that pages show. A line only refers to its content, which the
 * conversation stores as on any channel: an agent's message, or a traffic record of the visitor. The commit that sends
 * the message or stores the inbound also writes the line, so no line refers to missing content.
 */

import { isSignal } from '../../core/amf/index.js'
import type { UserContent } from '../../core/channel/inbound.js'
import type { TrafficEntry } from '../../core/conversation/entry.js'
import type { Conversation } from '../../core/conversation/state.js'
import { webchat as limits } from '../../core/limits/index.js'
import { conversationTable, messageTable, trafficTable } from '../conversation/tables.js'
import type { MessageListener } from '../conversation/transaction.js'
import type { Query, Tx } from '../shard/contract.js'
import { byOwner, cacheWrites, type Reader, type Row, table } from '../store/contract.js'
import type { TranscriptEntry } from './render.js'

export type TranscriptRow =
  | { readonly at: number; readonly messageId: string }
  /** `record` is the number of the traffic record; `id` is the page's id of the message. */
  | { readonly at: number; readonly record: number; readonly id: string }

export interface Head {
  /** The cursor of the newest line; 0 before the first. */
  readonly newest: number
  /** The agent's last signal, and the newest line when it came. */
  readonly signal?: { readonly signal: 'typing' | 'read'; readonly at: number; readonly cursor: number }
}

type TranscriptKey = [asid: string, cursor: number]
export const transcriptTable = byOwner(table<TranscriptKey, TranscriptRow>('webchat.entry'))
export const headTable = cacheWrites(byOwner(table<[asid: string], Head>('webchat.head')))

const emptyHead: Head = { newest: 0 }

/** Adds lines in the commit of each decision. Conversations of other channels, and of personas, have no pages. */
export const transcriptListener: MessageListener = { begin: beginTranscript }

function beginTranscript(
  tx: Tx,
  { asid, channel, sandbox }: Conversation,
  at: number,
): ReturnType<MessageListener['begin']> {
  if (channel !== 'webchat' || sandbox) return undefined
  const entries: ({ readonly messageId: string } | { readonly record: number })[] = []
  let signal: 'typing' | 'read' | undefined
  return {
    /** A message becomes a line when it is sent. */
    beforeSave({ id, message, sentAt }) {
      const wasSent = tx.get(messageTable, [asid, id])?.sentAt !== undefined
      if (sentAt === undefined || wasSent) return
      if (isSignal(message)) signal = message.signal
      else entries.push({ messageId: id })
    },
    onRecord({ origin, type }, record) {
      if (origin === 'user' && type === 'content') entries.push({ record })
    },
    flush({ lastInboundId = '' }) {
      if (entries.length === 0 && !signal) return
      const head = tx.get(headTable, [asid]) ?? emptyHead
      let { newest } = head
      for (const entry of entries) {
        tx.put(
          transcriptTable,
          [asid, ++newest],
          'record' in entry ? { at, ...entry, id: lastInboundId } : { at, ...entry },
        )
      }
      tx.put(headTable, [asid], { ...head, newest, ...(signal && { signal: { signal, at, cursor: newest } }) })
    },
  }
}

export interface TranscriptQuery {
  readonly asid: string
  /** The last line that the page has; absent for the newest lines. */
  readonly after?: number
}

export interface TranscriptPage {
  readonly head: Head
  /** Lines in order, bounded for each read. Lines whose message has expired are left out. */
  readonly entries: readonly TranscriptEntry[]
  /** The read has covered all cursors up to here. */
  readonly scannedTo: number
  /** Are there older lines than those of this page? */
  readonly more: boolean
}

export const readTranscript: Query<TranscriptQuery, TranscriptPage> = {
  name: 'webchat.transcript',
  read(reader, { asid, after }) {
    const head = reader.get(headTable, [asid]) ?? emptyHead
    // Most polls find no new line.
    if (after !== undefined && after >= head.newest) return { head, entries: [], scannedTo: head.newest, more: false }
    const from = after ?? Math.max(0, head.newest - limits.historyLines)
    const rows = readRowsAfter(reader, asid, from, head.newest)
    const [oldest] = after === undefined && from > 0 ? reader.range(transcriptTable, { prefix: [asid], limit: 1 }) : []
    return {
      head,
      entries: rows.flatMap(({ key: [, cursor], value }) => entryOf(reader, asid, cursor, value) ?? []),
      scannedTo: rows.length < limits.linesPerRead ? head.newest : rows.at(-1)!.key[1],
      more: oldest !== undefined && oldest.key[1] <= from,
    }
  },
}

/** The next lines. A page that follows mostly lacks a single line, which is read by its key without a range. */
function readRowsAfter(
  reader: Reader,
  asid: string,
  from: number,
  newest: number,
): Row<TranscriptKey, TranscriptRow>[] {
  if (from + 1 < newest) {
    return [...reader.range(transcriptTable, { prefix: [asid], after: [asid, from], limit: limits.linesPerRead })]
  }
  const key: TranscriptKey = [asid, newest]
  const value = reader.get(transcriptTable, key)
  return value ? [{ key, value }] : []
}

/** Lines before a cursor, newest first, bounded for each read. */
export interface BackfillPage {
  readonly entries: readonly TranscriptEntry[]
  /** The read has covered all cursors from here on. */
  readonly scannedTo: number
  /** Are there older lines? */
  readonly more: boolean
}

export const readBackfill: Query<{ readonly asid: string; readonly before: number }, BackfillPage> = {
  name: 'webchat.backfill',
  read(reader, { asid, before }) {
    const range = { prefix: [asid], after: [asid, before], reverse: true, limit: limits.linesPerRead + 1 }
    const rows = [...reader.range(transcriptTable, range)]
    const scanned = rows.slice(0, limits.linesPerRead)
    return {
      entries: scanned.flatMap(({ key: [, cursor], value }) => entryOf(reader, asid, cursor, value) ?? []),
      scannedTo: scanned.at(-1)?.key[1] ?? 0,
      more: rows.length > scanned.length,
    }
  },
}

function entryOf(reader: Reader, asid: string, cursor: number, row: TranscriptRow): TranscriptEntry | undefined {
  const { at } = row
  if ('messageId' in row) {
    const outbound = reader.get(messageTable, [asid, row.messageId])
    if (!outbound || isSignal(outbound.message)) return undefined
    const { states } = outbound
    const state = states.read ? 'read' : states.delivered ? 'delivered' : 'sent'
    return { cursor, at, message: { id: outbound.id, content: outbound.message, state } }
  }
  const { record, id } = row
  const agentRef = reader.get(conversationTable, [asid])?.agent
  const entry = agentRef && reader.get(trafficTable, [agentRef.orgId, agentRef.agentId, at, asid, record])
  return entry && { cursor, at, said: { id, content: contentOf(entry) } }
}

/** A tap is recorded as its result; the text is what the visitor tapped. */
function contentOf({ subtype, text, raw }: TrafficEntry): UserContent {
  return subtype === 'result' ? { text: text ?? '' } : (raw as UserContent)
}

/** Those messages that were sent and have not reached that state. */
export const readUnmarked: Query<
  { readonly asid: string; readonly state: 'delivered' | 'read'; readonly messageIds: readonly string[] },
  readonly string[]
> = {
  name: 'webchat.unmarked',
  read: (reader, { asid, state, messageIds }) =>
    messageIds.filter((id) => {
      const outbound = reader.get(messageTable, [asid, id])
      return outbound?.sentAt !== undefined && outbound.states[state] === undefined
    }),
}
