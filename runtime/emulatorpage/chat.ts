/** The web chat beside the phones: lines of whoever talked there last, and everything behind one of them. */

import { agentKeyOf } from '../../core/agentkey.js'
import type { ContentMessage } from '../../core/amf/index.js'
import type { UserContent } from '../../core/channel/inbound.js'
import { traitsOf } from '../../core/channel/table.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { emulatorPage as limits } from '../../core/limits.js'
import { floorText, renderingIn } from '../../core/render/render.js'
import type { Clock } from '../clock.js'
import type { Adapters, Directory } from '../conversation/context.js'
import { readerOf } from '../conversation/context.js'
import { readConversation } from '../conversation/queries.js'
import type { Media } from '../media/contract.js'
import type { Shards } from '../shard/contract.js'
import { inTurns } from '../turns.js'
import { type LiveAdapter, type ToldLine, tellingOf } from '../webchat/lines.js'
import { readOlder } from '../webchat/transcript.js'
import type { Stage } from './contract.js'
import { readDeeds, readMessage, type StoryRecord } from './story.js'
import type { Told } from './told.js'

export interface ChatLine {
  readonly cursor: number
  readonly at: number
  readonly by: 'agent' | 'visitor'
  readonly words: string
}

export interface ChatStory {
  readonly cursor: number
  readonly at: number
  /** Frames as pages are told them. */
  readonly wires: readonly unknown[]
  readonly events: readonly unknown[]
  readonly records: readonly StoryRecord[]
  readonly message?: unknown
  readonly attempt?: unknown
  readonly states?: unknown
}

export interface ChatDesk {
  /** The newest lines of that visitor, or else of the one who talked last, in order. */
  lines(stage: Stage, visitorId?: string): Promise<readonly ChatLine[] | Refusal>
  line(stage: Stage, cursor: number, visitorId?: string): Promise<ChatStory | Refusal>
}

const missing = refuse('resource.not_found')
const readInWords = traitsOf('sms')

export interface ChatDeskDeps {
  readonly shards: Shards
  readonly directory: Directory
  readonly adapters: Adapters
  readonly media: Pick<Media, 'hosted'>
  readonly clock: Clock
}

export function openChatDesk(deps: ChatDeskDeps, told: Told): ChatDesk {
  const { shards, directory, adapters, media, clock } = deps

  async function frameOf(stage: Stage, asid: string, line: ToldLine): Promise<unknown> {
    const agent = await directory.get(agentKeyOf(stage))
    const person = await shards.read(asid, readConversation, { asid })
    if (isRefusal(agent) || isRefusal(person) || !person) return undefined
    const bound = agent.channels.find(({ channel }) => channel === 'webchat')
    const adapter = bound && adapters('webchat', bound.provider)
    if (!adapter?.live) return undefined
    const showing = { media, clock, adapter: adapter as LiveAdapter, agent, address: person.address }
    const telling = await tellingOf(line, showing)
    return telling && JSON.parse(adapter.live.write(telling))
  }

  const asidOf = (stage: Stage, visitorId: string | undefined) =>
    visitorId === undefined ? told.visitor() : stage.asidOfVisitor(visitorId)

  return {
    async lines(stage, visitorId) {
      const asid = asidOf(stage, visitorId)
      if (asid === undefined) return []
      const found = await shards.read(asid, readOlder, { asid, before: Number.MAX_SAFE_INTEGER })
      if (isRefusal(found)) return found
      const lines: ChatLine[] = []
      for (const line of found.lines.toReversed()) lines.push(await chatLineOf(line, stage.zone))
      return lines
    },
    async line(stage, cursor, visitorId) {
      const asid = asidOf(stage, visitorId)
      if (asid === undefined) return missing
      const found = await shards.read(asid, readOlder, { asid, before: cursor + 1 })
      if (isRefusal(found)) return found
      const [line] = found.lines
      if (line?.cursor !== cursor) return missing
      const { orgId, agentId } = stage
      const frame = await frameOf(stage, asid, line)
      const common = { cursor, at: line.at, wires: frame === undefined ? [] : [frame] }
      if ('said' in line) {
        // What was heard, told and put on record bears one time.
        const within = { from: line.at, until: line.at + 1 }
        const records = await shards.read(asid, readDeeds, { orgId, agentId, asid, ...within })
        if (isRefusal(records)) return records
        return { ...common, records, events: told.deedsOf(asid, within.from, within.until) }
      }
      const story = await shards.read(asid, readMessage, { orgId, agentId, asid, name: line.message.id })
      if (isRefusal(story)) return story
      if (!story) return missing
      const { message, attempt, states, records } = story
      return { ...common, message, attempt, states, records, events: told.statusesOf(story.messageId) }
    },
  }

  async function chatLineOf(line: ToldLine, zone: string): Promise<ChatLine> {
    const { cursor, at } = line
    const by = 'said' in line ? 'visitor' : 'agent'
    const words = 'said' in line ? wordsSaid(line.said.content) : await wordsShown(line.message.content, zone)
    return { cursor, at, by, words: words.slice(0, limits.wordsShown) }
  }

  async function wordsShown(message: ContentMessage, zone: string): Promise<string> {
    const steps = renderingIn(message, readInWords, readerOf({ timeZone: zone }))
    return floorText(await inTurns(steps, clock))
  }
}

function wordsSaid({ text, place, media }: UserContent): string {
  return text ?? place?.address ?? place?.label ?? (place ? 'A place' : media ? 'Media' : '')
}
