/**
 * Updates of the phones: acts of people on the page, messages that arrived, and their progress. In memory, as the
 * phones are.
 */
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { emulatorPage as limits } from '../../core/limits/index.js'
import type { TurnRecord } from '../../core/turn/record.js'
import type { Clock } from '../clock.js'
import type { Shards } from '../shard/contract.js'
import type {
  ActOutcome,
  EmulatedProviders,
  EmulatorScene,
  PageAct,
  Phone,
  PictureAct,
  SentMessage,
} from './contract.js'
import {
  type InspectedRecord,
  type MessageDetails,
  type PhoneStatus,
  type RefusedMessage,
  readMessage,
  readPhoneStatus,
  readRefusals,
  readUserRecords,
} from './inspect.js'
import type { TurnQueries } from './turns.js'
import type { WebhookLog } from './webhooklog.js'

export interface PageActRecord {
  readonly number: number
  readonly agentId: string
  readonly channel: string
  readonly at: number
  /** Only the newest pictures keep their URL. */
  readonly act: PageAct | Omit<PictureAct, 'url'>
}

export interface PhoneUpdate extends PhoneStatus {
  readonly channel: string
  readonly isOffline: boolean
  readonly isLost: boolean
  readonly sent: readonly SentMessage[]
}

export interface PageUpdates {
  readonly phones: readonly PhoneUpdate[]
  readonly acts: readonly PageActRecord[]
}

export interface UpdateCursor {
  /** The number of the last known update of each kind. */
  readonly sent: number
  readonly acts: number
}

export interface EmulatorUpdates {
  since(scene: EmulatorScene, after: UpdateCursor): Promise<PageUpdates | Refusal>
  act(scene: EmulatorScene, phone: Phone, act: PageAct): Promise<ActOutcome>
  /** Everything on record about a message, by its id or its provider id, with the payloads that the provider got. */
  messageDetails(
    scene: EmulatorScene,
    phone: Phone,
    name: string,
  ): Promise<(MessageDetails & WebhookEvents & OfTurn & { wires: readonly unknown[] }) | Refusal>
  /** An act, the agent's events and answers, and the messages that were refused after it. */
  actDetails(scene: EmulatorScene, number: number): Promise<ActDetails | Refusal>
}

/** Events as the agent's webhook got them. */
interface WebhookEvents {
  readonly events: readonly unknown[]
}

/** The turn of a managed agent in which it sent the message, or answered the person. */
interface OfTurn {
  readonly turn?: TurnRecord
}

interface ActDetails extends PageActRecord, WebhookEvents, OfTurn {
  readonly records: readonly InspectedRecord[]
  readonly answers: readonly string[]
  readonly refusals: readonly RefusedMessage[]
}

const missing = refuse('resource.not_found')

export function createEmulatorUpdates({
  shards,
  providers,
  webhookLog,
  turnOfMessage,
  turnOfInbound,
  clock,
}: TurnQueries & {
  readonly shards: Shards
  readonly providers: EmulatedProviders
  readonly webhookLog: WebhookLog
  readonly clock: Clock
}): EmulatorUpdates {
  // The phones remember messages since the start of this process.
  const from = Math.floor(clock.now())
  const acts: PageActRecord[] = []
  const offline = new Set<string>()
  const lost = new Set<string>()
  let lastNumber = 0

  /** Records the act before it performs it, so that its consequences are newer. */
  async function act(
    { agentId }: EmulatorScene,
    { channel, account, address }: Phone,
    pageAct: PageAct,
  ): Promise<ActOutcome> {
    const { number } = saveAct({ number: ++lastNumber, agentId, channel, at: clock.now(), act: pageAct })
    const outcome = await performAct(account, address, pageAct)
    if (outcome.kind === 'impossible') removeAct(number)
    return outcome
  }

  /** Pictures are large, so all but the newest lose their URL. */
  function saveAct(record: PageActRecord): PageActRecord {
    acts.push(record)
    if (acts.length > limits.retainedActs) acts.shift()
    const pictures = acts.flatMap(({ act }, at) => ('url' in act ? [{ act, at }] : []))
    for (const { act, at } of pictures.slice(0, -limits.retainedPictures)) {
      const { url: _shown, ...rest } = act
      acts[at] = { ...acts[at]!, act: rest }
    }
    return record
  }

  function removeAct(number: number): void {
    const at = acts.findIndex((each) => each.number === number)
    if (at >= 0) acts.splice(at, 1)
  }

  async function performAct(account: string, address: string, pageAct: PageAct): Promise<ActOutcome> {
    if (offline.has(account) && !offlineActs.includes(pageAct.kind)) {
      return { kind: 'impossible', why: 'the phone is offline' }
    }
    switch (pageAct.kind) {
      case 'lose':
      case 'regain':
        setMembership(lost, account, pageAct.kind === 'lose')
        providers.setReachable(account, pageAct.kind === 'regain')
        return { kind: 'performed', calls: 0, taken: true }
      case 'offline':
      case 'online':
        setMembership(offline, account, pageAct.kind === 'offline')
        return providers.act(account, address, { kind: pageAct.kind })
      case 'tap':
        return providers.act(account, address, { kind: 'tap', postback: pageAct.postback, number: pageAct.number })
      default:
        return providers.act(account, address, pageAct)
    }
  }

  return {
    act,
    async since({ agentId, phones }, after) {
      const statuses = await Promise.all(phones.map(({ asid }) => shards.query(asid, readPhoneStatus, { asid, from })))
      const refusal = statuses.find(isRefusal)
      if (refusal) return refusal
      const updates = phones.map(({ channel, account }, index) => ({
        channel,
        isOffline: offline.has(account),
        isLost: lost.has(account),
        sent: providers.sent(after.sent, { account }).map(({ number, providerId, body, at }) => ({
          number,
          account,
          providerId,
          body,
          at,
        })),
        ...(statuses[index] as PhoneStatus),
      }))
      const newActs = acts.filter((each) => each.agentId === agentId && each.number > after.acts)
      return { phones: updates, acts: newActs }
    },
    async messageDetails({ orgId, agentId }, { asid, account }, name) {
      const details = await shards.query(asid, readMessage, { orgId, agentId, asid, name })
      if (isRefusal(details)) return details
      if (!details) return missing
      const { messageId } = details
      const turn = await shards.query(asid, turnOfMessage, { orgId, agentId, asid, messageId })
      if (isRefusal(turn)) return turn
      const wires = providers.sent(0, { account }).filter(({ providerId }) => details.providerIds.includes(providerId))
      return {
        ...details,
        wires: wires.map(({ body }) => body),
        events: webhookLog.statusesOf(messageId),
        ...(turn && { turn }),
      }
    },
    async actDetails({ orgId, agentId, phones }, number) {
      const ownActs = acts.filter((each) => each.agentId === agentId)
      const record = ownActs.find((each) => each.number === number)
      const phone = phones.find(({ channel }) => channel === record?.channel)
      if (!record || !phone) return missing
      const next = ownActs.find((each) => each.number > number && each.channel === record.channel)
      const range = { from: Math.floor(record.at), until: next?.at ?? Number.MAX_SAFE_INTEGER }
      const { asid } = phone
      const records = await shards.query(asid, readUserRecords, { orgId, agentId, asid, ...range })
      if (isRefusal(records)) return records
      const refusals = await shards.query(asid, readRefusals, { asid, ...range })
      if (isRefusal(refusals)) return refusals
      const last = records.at(-1)
      const turn = last && (await shards.query(asid, turnOfInbound, { orgId, agentId, asid, at: last.at }))
      if (isRefusal(turn)) return turn
      const interval = [asid, range.from, range.until] as const
      return {
        ...record,
        records,
        events: webhookLog.eventsOf(...interval),
        answers: webhookLog.answersOf(...interval),
        refusals,
        ...(turn && { turn }),
      }
    },
  }
}

/** Acts that are possible on an offline phone. */
const offlineActs: readonly PageAct['kind'][] = ['offline', 'online', 'lose', 'regain']

function setMembership(set: Set<string>, name: string, on: boolean): void {
  if (on) set.add(name)
  else set.delete(name)
}
