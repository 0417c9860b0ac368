/**
 * The record of a visitor, line by line: what pages are told, and in which order. A line only points at what it shows,
 * which is kept with the conversation as on any channel: an agent's message, or a record of what the visitor said. It is
 * written in the commit that makes the message sent, or that hears the visitor, so no line is ever told that is not kept.
 */

import { isSignal } from '../../core/amf/index.js'
import type { UserContent } from '../../core/channel/inbound.js'
import type { TrafficEntry } from '../../core/conversation/entry.js'
import type { Conversation } from '../../core/conversation/state.js'
import { webchat as limits } from '../../core/limits.js'
import { conversationTable, outgoingTable, trafficTable } from '../conversation/tables.js'
import type { MessageListener } from '../conversation/transaction.js'
import type { Query, Tx } from '../shard/contract.js'
import { byOwner, type Reader, type Row, readSoon, table } from '../store/contract.js'
import type { ToldLine } from './lines.js'

export type Line =
  | { readonly at: number; readonly messageId: string }
  /** `record` is the number of the record of traffic; `id` is what the page called it. */
  | { readonly at: number; readonly record: number; readonly id: string }

export interface Head {
  /** The cursor of the newest line; 0 before the first. */
  readonly newest: number
  /** The last signal of the agent, and the newest line when it came. */
  readonly signal?: { readonly signal: 'typing' | 'read'; readonly at: number; readonly behind: number }
}

type LineKey = [asid: string, cursor: number]
export const lineTable = byOwner(table<LineKey, Line>('webchat.line'))
export const headTable = readSoon(byOwner(table<[asid: string], Head>('webchat.head')))

const nothingYet: Head = { newest: 0 }

/** Adds lines in the commit of each decision. Conversations of other channels, and of personas, have no pages. */
export const transcriptListener: MessageListener = { begin: beginLines }

function beginLines(
  tx: Tx,
  { asid, channel, sandbox }: Conversation,
  at: number,
): ReturnType<MessageListener['begin']> {
  if (channel !== 'webchat' || sandbox) return undefined
  const lines: ({ readonly messageId: string } | { readonly record: number })[] = []
  let signal: 'typing' | 'read' | undefined
  return {
    /** A message is a line from the moment at which it was handed over. */
    beforeSave({ id, message, sentAt }) {
      const wasSent = tx.get(outgoingTable, [asid, id])?.sentAt !== undefined
      if (sentAt === undefined || wasSent) return
      if (isSignal(message)) signal = message.signal
      else lines.push({ messageId: id })
    },
    onRecord({ origin, type }, record) {
      if (origin === 'user' && type === 'content') lines.push({ record })
    },
    flush({ heardId = '' }) {
      if (lines.length === 0 && !signal) return
      const head = tx.get(headTable, [asid]) ?? nothingYet
      let { newest } = head
      for (const line of lines) {
        tx.put(lineTable, [asid, ++newest], 'record' in line ? { at, ...line, id: heardId } : { at, ...line })
      }
      tx.put(headTable, [asid], { ...head, newest, ...(signal && { signal: { signal, at, behind: newest } }) })
    },
  }
}

export interface LinesAsked {
  readonly asid: string
  /** The last line that was told; absent: the newest lines are wanted. */
  readonly after?: number
}

export interface LinesFound {
  readonly head: Head
  /** Lines in order, at most as many as are read at a time. Those whose message is no longer kept are left out. */
  readonly lines: readonly ToldLine[]
  /** Everything up to here has been looked at. */
  readonly upTo: number
  /** There are older lines than those that will be told. */
  readonly more: boolean
}

export const readLines: Query<LinesAsked, LinesFound> = {
  name: 'webchat.lines',
  read(reader, { asid, after }) {
    const head = reader.get(headTable, [asid]) ?? nothingYet
    // Pages look now and then whether they missed anything, and mostly they did not.
    if (after !== undefined && after >= head.newest) return { head, lines: [], upTo: head.newest, more: false }
    const from = after ?? Math.max(0, head.newest - limits.historyLines)
    const rows = linesBehind(reader, asid, from, head.newest)
    const [oldest] = after === undefined && from > 0 ? reader.range(lineTable, { prefix: [asid], limit: 1 }) : []
    return {
      head,
      lines: rows.flatMap(({ key: [, cursor], value }) => toldOf(reader, asid, cursor, value) ?? []),
      upTo: rows.length < limits.linesPerRead ? head.newest : rows.at(-1)!.key[1],
      more: oldest !== undefined && oldest.key[1] <= from,
    }
  },
}

/** The next lines. A single one, which is what a page that follows mostly lacks, is read without looking for others. */
function linesBehind(reader: Reader, asid: string, from: number, newest: number): Row<LineKey, Line>[] {
  if (from + 1 < newest) {
    return [...reader.range(lineTable, { prefix: [asid], after: [asid, from], limit: limits.linesPerRead })]
  }
  const key: LineKey = [asid, newest]
  const value = reader.get(lineTable, key)
  return value ? [{ key, value }] : []
}

/** Lines that stand before one, the newest of them first, at most as many as are read at a time. */
export interface OlderFound {
  readonly lines: readonly ToldLine[]
  /** Everything from here on has been looked at. */
  readonly downTo: number
  /** There are lines before that. */
  readonly more: boolean
}

export const readOlder: Query<{ readonly asid: string; readonly before: number }, OlderFound> = {
  name: 'webchat.older',
  read(reader, { asid, before }) {
    const wanted = { prefix: [asid], after: [asid, before], reverse: true, limit: limits.linesPerRead + 1 }
    const rows = [...reader.range(lineTable, wanted)]
    const looked = rows.slice(0, limits.linesPerRead)
    return {
      lines: looked.flatMap(({ key: [, cursor], value }) => toldOf(reader, asid, cursor, value) ?? []),
      downTo: looked.at(-1)?.key[1] ?? 0,
      more: rows.length > looked.length,
    }
  },
}

function toldOf(reader: Reader, asid: string, cursor: number, line: Line): ToldLine | undefined {
  const { at } = line
  if ('messageId' in line) {
    const outgoing = reader.get(outgoingTable, [asid, line.messageId])
    if (!outgoing || isSignal(outgoing.message)) return undefined
    const { states } = outgoing
    const state = states.read ? 'read' : states.delivered ? 'delivered' : 'sent'
    return { cursor, at, message: { id: outgoing.id, content: outgoing.message, state } }
  }
  const { record, id } = line
  const place = reader.get(conversationTable, [asid])?.agent
  const entry = place && reader.get(trafficTable, [place.orgId, place.agentId, at, asid, record])
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
      const outgoing = reader.get(outgoingTable, [asid, id])
      return outgoing?.sentAt !== undefined && outgoing.states[state] === undefined
    }),
}
