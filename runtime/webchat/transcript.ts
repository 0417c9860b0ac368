/**
 * The record of a visitor, line by line: what pages are told, and in which order. A line only points at what it shows,
 * which is kept with the conversation as on any channel: an agent's message, or a record of what the visitor said. It is
 * written in the commit that makes the message sent, or that hears the visitor, so no line is ever told that is not kept.
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
  /** `record` is the number of the record of traffic; `id` is what the page called it. */
  | { readonly at: number; readonly record: number; readonly id: string }

export interface Head {
  /** The cursor of the newest line; 0 before the first. */
  readonly newest: number
  /** The last signal of the agent, and the newest line when it came. */
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
    /** A message is a line from the moment at which it was handed over. */
    beforeSave({ id, message, sentAt }) {
      const wasSent = tx.get(messageTable, [asid, id])?.sentAt !== undefined
      if (sentAt === undefined || wasSent) return
      if (isSignal(message)) signal = message.signal
      else entries.push({ messageId: id })
    },
    onRecord({ origin, type }, record) {
      if (origin === 'user' && type === 'content') entries.push({ record })
    },
    flush({ lastInboundId: heardId = '' }) {
      if (entries.length === 0 && !signal) return
      const head = tx.get(headTable, [asid]) ?? emptyHead
      let { newest } = head
      for (const entry of entries) {
        tx.put(transcriptTable, [asid, ++newest], 'record' in entry ? { at, ...entry, id: heardId } : { at, ...entry })
      }
      tx.put(headTable, [asid], { ...head, newest, ...(signal && { signal: { signal, at, cursor: newest } }) })
    },
  }
}

export interface TranscriptQuery {
  readonly asid: string
  /** The last line that was told; absent: the newest lines are wanted. */
  readonly after?: number
}

export interface TranscriptPage {
  readonly head: Head
  /** Lines in order, at most as many as are read at a time. Those whose message is no longer kept are left out. */
  readonly entries: readonly TranscriptEntry[]
  /** Everything up to here has been looked at. */
  readonly scannedTo: number
  /** There are older lines than those that will be told. */
  readonly more: boolean
}

export const readTranscript: Query<TranscriptQuery, TranscriptPage> = {
  name: 'webchat.transcript',
  read(reader, { asid, after }) {
    const head = reader.get(headTable, [asid]) ?? emptyHead
    // Pages look now and then whether they missed anything, and mostly they did not.
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

/** The next lines. A single one, which is what a page that follows mostly lacks, is read without looking for others. */
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

/** Lines that stand before one, the newest of them first, at most as many as are read at a time. */
export interface BackfillPage {
  readonly entries: readonly TranscriptEntry[]
  /** Everything from here on has been looked at. */
  readonly scannedTo: number
  /** There are lines before that. */
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
    const outgoing = reader.get(messageTable, [asid, row.messageId])
    if (!outgoing || isSignal(outgoing.message)) return undefined
    const { states } = outgoing
    const state = states.read ? 'read' : states.delivered ? 'delivered' : 'sent'
    return { cursor, at, message: { id: outgoing.id, content: outgoing.message, state } }
  }
  const { record, id } = row
  const agentRef = reader.get(conversationTable, [asid])?.agent
  const entry = agentRef && reader.get(trafficTable, [agentRef.orgId, agentRef.agentId, at, asid, record])
  return entry && { cursor, at, said: { id, content: contentOf(entry) } }
}

/** An answer by a tap is on record as what it means; its words are what the visitor tapped. */
function contentOf({ subtype, text, raw }: TrafficEntry): UserContent {
  return subtype === 'result' ? { text: text ?? '' } : (raw as UserContent)
}

/** Those of the messages that were sent and are not known to have come so far. */
export const readUnmarked: Query<
  { readonly asid: string; readonly state: 'delivered' | 'read'; readonly messageIds: readonly string[] },
  readonly string[]
> = {
  name: 'webchat.unmarked',
  read: (reader, { asid, state, messageIds }) =>
    messageIds.filter((id) => {
      const outgoing = reader.get(messageTable, [asid, id])
      return outgoing?.sentAt !== undefined && outgoing.states[state] === undefined
    }),
}
