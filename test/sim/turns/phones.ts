/** The phones of people behind an unreliable provider: what they show, and the handler that delivers to them. */
import { isSignal, tapsOf } from '../../../core/amf/index.js'
import { isSilencedByOptOut } from '../../../core/conversation/disclaimer.js'
import type { DeliveryOutcome } from '../../../core/conversation/outcome.js'
import type { OutboundMessageRecord } from '../../../core/conversation/state.js'
import { isRefusal } from '../../../core/errors.js'
import type { ConversationCommands } from '../../../runtime/conversation/contract.js'
import type { Deliver } from '../../../runtime/conversation/effects.js'
import { conversationTable, messageTable } from '../../../runtime/conversation/tables.js'
import type { EffectHandler, Shards } from '../../../runtime/shard/contract.js'
import type { Incarnation } from '../world/life.js'
import type { Line } from '../world/line.js'
import type { Rng } from '../world/rng.js'
import type { Timeline } from '../world/timeline.js'
import { contextOf } from './operator.js'

/** Something on the phone that can be tapped. */
export interface ShownTap {
  readonly messageId: string
  readonly tapIndex: number
  readonly label: string
}

export interface Phones {
  /** The provider knows messages by their ids, so a repeat is not shown twice. */
  deliver(incarnation: Incarnation, asid: string, record: OutboundMessageRecord): Promise<void>
  /** The taps of the newest messages, the newest first. */
  taps(asid: string): readonly ShownTap[]
  /** The newest message as JSON. */
  newest(asid: string): string
}

const wayMs = [1, 40] as const
const timeoutMs = 2_000
const shownTaps = 12

export function openPhones(timeline: Timeline, rng: Rng, line: Line): Phones {
  const shown = new Map<string, OutboundMessageRecord[]>()

  function show(asid: string, record: OutboundMessageRecord): void {
    const before = shown.get(asid) ?? []
    if (!before.some(({ id }) => id === record.id)) shown.set(asid, [...before, record])
  }

  return {
    deliver: (incarnation, asid, record) =>
      incarnation.outside(({ resolve, reject }) => {
        const [arrives, answers] = [line.arrives(), line.answers()]
        if (arrives) timeline.after(rng.between(...wayMs), () => show(asid, record))
        if (arrives && answers) timeline.after(wayMs[1] + rng.between(...wayMs), () => resolve(undefined))
        else timeline.after(timeoutMs, () => reject(new Error('the provider did not answer')))
      }),
    newest: (asid) => JSON.stringify(shown.get(asid)?.at(-1)?.message ?? ''),
    taps: (asid) => (shown.get(asid) ?? []).toReversed().flatMap(tapsIn).slice(0, shownTaps),
  }
}

function tapsIn({ id: messageId, message }: OutboundMessageRecord): ShownTap[] {
  if (isSignal(message)) return []
  return tapsOf(message).map(({ label = '' }, tapIndex) => ({ messageId, tapIndex, label }))
}

export interface DeliverDeps {
  readonly incarnation: Incarnation
  readonly phones: Phones
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendOutcome'>
}

export function createPhoneHandler({ incarnation, phones, shards, commands }: DeliverDeps): EffectHandler {
  return async ({ asid, messageId, attempt }: Deliver, { reader, completes, isStillOwner }) => {
    const conversation = reader.get(conversationTable, [asid])
    const record = reader.get(messageTable, [asid, messageId])
    const { inFlight } = conversation ?? {}
    if (!conversation || !record || inFlight?.messageId !== messageId || inFlight.attempt !== attempt) return
    const isSilenced = isSilencedByOptOut(record) && conversation.optedOutAt !== undefined
    if (!isStillOwner()) throw new Error('the shard is gone')
    if (!isSilenced) await phones.deliver(incarnation, asid, record)
    const outcome: DeliveryOutcome = isSilenced
      ? { kind: 'refused', reason: 'optedOut', retry: 'never', isHeldBack: true }
      : { kind: 'sent', providerIds: [messageId] }
    const input = { asid, agent: contextOf(conversation.channel, true), messageId, attempt, outcome }
    const answer = await shards.execute(asid, commands.sendOutcome, input, { completes })
    if (isRefusal(answer)) throw new Error('the outcome of a message could not be recorded')
  }
}
