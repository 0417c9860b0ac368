/** What happened on the phones: what people did on this page, what came, and how it fares. In memory, as the phones are. */
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { emulatorPage as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Shards } from '../shard/contract.js'
import type { ActOutcome, Exchange, PageAct, Phone, PictureAct, Sent, Stage } from './contract.js'
import {
  type MessageStory,
  type RefusedMessage,
  readDeeds,
  readMessage,
  readRefused,
  readStanding,
  type Standing,
  type StoryRecord,
} from './story.js'
import type { Told } from './told.js'

export interface Done {
  readonly number: number
  readonly channel: string
  readonly at: number
  /** Of a picture that is not among the newest, all but what it shows. */
  readonly act: PageAct | Omit<PictureAct, 'url'>
}

export interface PhoneNews extends Standing {
  readonly channel: string
  readonly isOffline: boolean
  readonly isLost: boolean
  readonly sent: readonly Sent[]
}

export interface News {
  readonly phones: readonly PhoneNews[]
  readonly acts: readonly Done[]
}

export interface After {
  /** The number of the last thing of each kind that is known already. */
  readonly sent: number
  readonly acts: number
}

export interface NewsDesk {
  since(stage: Stage, after: After): Promise<News | Refusal>
  act(phone: Phone, act: PageAct): Promise<ActOutcome>
  /** Everything on record about a message, by its id or its provider's, with the bodies that the provider got. */
  message(
    stage: Stage,
    phone: Phone,
    name: string,
  ): Promise<(MessageStory & Heard & { wires: readonly unknown[] }) | Refusal>
  /** What one act was, the agent's events and answers, and which messages to the person were refused after it. */
  deed(stage: Stage, number: number): Promise<DeedStory | Refusal>
}

/** Events as they came to the agent's webhook. */
interface Heard {
  readonly events: readonly unknown[]
}

interface DeedStory extends Done, Heard {
  readonly records: readonly StoryRecord[]
  readonly answers: readonly string[]
  readonly refusals: readonly RefusedMessage[]
}

const missing = refuse('resource.not_found')

export function openNewsDesk({
  shards,
  exchange,
  told,
  clock,
}: {
  readonly shards: Shards
  readonly exchange: Exchange
  readonly told: Told
  readonly clock: Clock
}): NewsDesk {
  // The phones hold what came to them while this process runs.
  const from = Math.floor(clock.now())
  const acts: Done[] = []
  const offline = new Set<string>()
  const lost = new Set<string>()
  let numbers = 0

  /** Noted before it is told, so that nothing which follows from it is older. */
  async function act({ channel, account, address }: Phone, what: PageAct): Promise<ActOutcome> {
    const { number } = keep({ number: ++numbers, channel, at: clock.now(), act: what })
    const outcome = await performed(account, address, what)
    if (outcome.kind === 'impossible') forget(number)
    return outcome
  }

  /** Pictures are large: of all but the newest, what they show is forgotten. */
  function keep(done: Done): Done {
    acts.push(done)
    if (acts.length > limits.actsKept) acts.shift()
    const pictures = acts.flatMap(({ act }, at) => ('url' in act ? [{ act, at }] : []))
    for (const { act, at } of pictures.slice(0, -limits.picturesKept)) {
      const { url: _shown, ...told } = act
      acts[at] = { ...acts[at]!, act: told }
    }
    return done
  }

  function forget(number: number): void {
    const at = acts.findIndex((each) => each.number === number)
    if (at >= 0) acts.splice(at, 1)
  }

  async function performed(account: string, address: string, what: PageAct): Promise<ActOutcome> {
    if (offline.has(account) && !whileOffline.includes(what.kind)) {
      return { kind: 'impossible', why: 'the phone is offline' }
    }
    switch (what.kind) {
      case 'lose':
      case 'regain':
        switched(lost, account, what.kind === 'lose')
        exchange.setReachable(account, what.kind === 'regain')
        return { kind: 'told', calls: 0, taken: true }
      case 'offline':
      case 'online':
        switched(offline, account, what.kind === 'offline')
        return exchange.act(account, address, { kind: what.kind })
      case 'tap':
        return exchange.act(account, address, { kind: 'tap', postback: what.postback, number: what.number })
      default:
        return exchange.act(account, address, what)
    }
  }

  return {
    act,
    async since({ phones }, after) {
      const standings = await Promise.all(phones.map(({ asid }) => shards.read(asid, readStanding, { asid, from })))
      const refusal = standings.find(isRefusal)
      if (refusal) return refusal
      const news = phones.map(({ channel, account }, index) => ({
        channel,
        isOffline: offline.has(account),
        isLost: lost.has(account),
        sent: exchange.sent(after.sent, { account }).map(({ number, providerId, body, at }) => ({
          number,
          account,
          providerId,
          body,
          at,
        })),
        ...(standings[index] as Standing),
      }))
      return { phones: news, acts: acts.filter(({ number }) => number > after.acts) }
    },
    async message({ orgId, agentId }, { asid, account }, name) {
      const story = await shards.read(asid, readMessage, { orgId, agentId, asid, name })
      if (isRefusal(story)) return story
      if (!story) return missing
      const wires = exchange.sent(0, { account }).filter(({ providerId }) => story.providerIds.includes(providerId))
      return { ...story, wires: wires.map(({ body }) => body), events: told.statusesOf(story.messageId) }
    },
    async deed({ orgId, agentId, phones }, number) {
      const done = acts.find((each) => each.number === number)
      const phone = phones.find(({ channel }) => channel === done?.channel)
      if (!done || !phone) return missing
      const next = acts.find((each) => each.number > number && each.channel === done.channel)
      const within = { from: Math.floor(done.at), until: next?.at ?? Number.MAX_SAFE_INTEGER }
      const { asid } = phone
      const records = await shards.read(asid, readDeeds, { orgId, agentId, asid, ...within })
      if (isRefusal(records)) return records
      const refusals = await shards.read(asid, readRefused, { asid, ...within })
      if (isRefusal(refusals)) return refusals
      const during = [asid, within.from, within.until] as const
      return { ...done, records, events: told.deedsOf(...during), answers: told.answersOf(...during), refusals }
    },
  }
}

/** What happens to a phone without its network. */
const whileOffline: readonly PageAct['kind'][] = ['offline', 'online', 'lose', 'regain']

function switched(set: Set<string>, name: string, on: boolean): void {
  if (on) set.add(name)
  else set.delete(name)
}
