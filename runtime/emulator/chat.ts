/** Inspector of web chat beside the phones: the lines of the visitor in view, and the details of one line. */

import { formatAgentKey } from '../../core/agentref.js'
import type { ContentMessage } from '../../core/amf/index.js'
import { traitsOf } from '../../core/channel/channeltraits.js'
import type { UserContent } from '../../core/channel/inbound.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { emulatorPage as limits } from '../../core/limits/index.js'
import { floorText, renderInSteps } from '../../core/render/render.js'
import type { TurnRecord } from '../../core/turn/record.js'
import type { Clock } from '../clock.js'
import type { AdapterLookup, Directory } from '../conversation/context.js'
import { readerOf } from '../conversation/context.js'
import { readConversation } from '../conversation/queries.js'
import type { Media } from '../media/contract.js'
import type { Shards } from '../shard/contract.js'
import { runInSlices } from '../slices.js'
import { eventOf, type SocketAdapter, type TranscriptEntry } from '../webchat/render.js'
import { readBackfill } from '../webchat/transcript.js'
import type { EmulatorScene } from './contract.js'
import { type InspectedRecord, readMessage, readUserRecords } from './inspect.js'
import type { TurnQueries } from './turns.js'
import type { WebhookLog } from './webhooklog.js'

export interface ChatEntry {
  readonly cursor: number
  readonly at: number
  readonly by: 'agent' | 'visitor'
  readonly words: string
}

export interface ChatEntryDetails {
  readonly cursor: number
  readonly at: number
  /** The payloads of the frames that pages get. */
  readonly wires: readonly unknown[]
  readonly events: readonly unknown[]
  readonly records: readonly InspectedRecord[]
  /** Of a line of the agent. */
  readonly messageId?: string
  readonly message?: unknown
  readonly attempt?: unknown
  readonly states?: unknown
  /** The turn of a managed agent in which it sent the message, or answered the person. */
  readonly turn?: TurnRecord
}

export interface ChatInspector {
  /** The newest lines of that visitor, in order; none without a visitor. */
  list(scene: EmulatorScene, visitorId?: string): Promise<readonly ChatEntry[] | Refusal>
  details(scene: EmulatorScene, cursor: number, visitorId?: string): Promise<ChatEntryDetails | Refusal>
}

const missing = refuse('resource.not_found')
const textTraits = traitsOf('sms')

export interface ChatInspectorDeps {
  readonly shards: Shards
  readonly directory: Directory
  readonly adapters: AdapterLookup
  readonly media: Pick<Media, 'rehost'>
  readonly clock: Clock
}

export function createChatInspector(
  deps: ChatInspectorDeps,
  webhookLog: WebhookLog,
  { turnOfMessage, turnOfInbound }: TurnQueries,
): ChatInspector {
  const { shards, directory, adapters, media, clock } = deps

  async function loadFrame(scene: EmulatorScene, asid: string, entry: TranscriptEntry): Promise<unknown> {
    const agent = await directory.get(formatAgentKey(scene))
    const person = await shards.query(asid, readConversation, { asid })
    if (isRefusal(agent) || isRefusal(person) || !person) return undefined
    const binding = agent.channels.find(({ channel }) => channel === 'webchat')
    const adapter = binding && adapters('webchat', binding.provider)
    if (!adapter?.socket) return undefined
    const context = { media, clock, adapter: adapter as SocketAdapter, agent, address: person.address }
    const event = await eventOf(entry, context)
    return event && JSON.parse(adapter.socket.write(event))
  }

  return {
    async list(scene, visitorId) {
      if (visitorId === undefined) return []
      const asid = scene.asidOfVisitor(visitorId)
      const page = await shards.query(asid, readBackfill, { asid, before: Number.MAX_SAFE_INTEGER })
      if (isRefusal(page)) return page
      const entries: ChatEntry[] = []
      for (const entry of page.entries.toReversed()) entries.push(await chatEntryOf(entry, scene.zone))
      return entries
    },
    async details(scene, cursor, visitorId) {
      if (visitorId === undefined) return missing
      const asid = scene.asidOfVisitor(visitorId)
      const page = await shards.query(asid, readBackfill, { asid, before: cursor + 1 })
      if (isRefusal(page)) return page
      const [entry] = page.entries
      if (entry?.cursor !== cursor) return missing
      const { orgId, agentId } = scene
      const frame = await loadFrame(scene, asid, entry)
      const common = { cursor, at: entry.at, wires: frame === undefined ? [] : [frame] }
      if ('said' in entry) {
        // The inbound, its event and its record have the same time.
        const range = { from: entry.at, until: entry.at + 1 }
        const records = await shards.query(asid, readUserRecords, { orgId, agentId, asid, ...range })
        if (isRefusal(records)) return records
        const turn = await shards.query(asid, turnOfInbound, { orgId, agentId, asid, at: entry.at })
        if (isRefusal(turn)) return turn
        const events = webhookLog.eventsOf(asid, range.from, range.until)
        return { ...common, records, events, ...(turn && { turn }) }
      }
      const details = await shards.query(asid, readMessage, { orgId, agentId, asid, name: entry.message.id })
      if (isRefusal(details)) return details
      if (!details) return missing
      const { messageId, message, attempt, states, records } = details
      const turn = await shards.query(asid, turnOfMessage, { orgId, agentId, asid, messageId })
      if (isRefusal(turn)) return turn
      const events = webhookLog.statusesOf(messageId)
      return { ...common, messageId, message, attempt, states, records, events, ...(turn && { turn }) }
    },
  }

  async function chatEntryOf(entry: TranscriptEntry, zone: string): Promise<ChatEntry> {
    const { cursor, at } = entry
    const by = 'said' in entry ? 'visitor' : 'agent'
    const words = 'said' in entry ? inboundText(entry.said.content) : await renderedText(entry.message.content, zone)
    return { cursor, at, by, words: words.slice(0, limits.shownTextChars) }
  }

  async function renderedText(message: ContentMessage, zone: string): Promise<string> {
    const steps = renderInSteps(message, textTraits, readerOf({ timeZone: zone }))
    return floorText(await runInSlices(steps, clock))
  }
}

function inboundText({ text, place, media }: UserContent): string {
  return text ?? place?.address ?? place?.label ?? (place ? 'A place' : media ? 'Media' : '')
}
