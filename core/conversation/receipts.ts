/**
 * Receipts: what providers say of a message afterwards. They repeat, come out of order, come before the answer to the send
 * itself, and leave states out. The rules, in one place:
 *
 * - Each state of a message is told at most once, as it comes; what is older than the status window is only on record.
 * - `failed` after `delivered` or `read` is not told: it arrived. `delivered` or `read` after `failed` is, and its detail
 *   says so: it arrived after all. `sent` or `queued` after `failed` is not.
 * - A receipt that says failed moves no message to another channel: only a refused hand-over does.
 * - A message sent in several pieces is delivered, or read, when all of them are; one failed piece fails it.
 * - A receipt for something unknown is kept for a while, and counts once its send is known; so does a mark of time.
 * - Whoever is said to have opted out has opted out.
 */
import { having } from '../having.js'
import { conversation as limits } from '../limits.js'
import type { SendNews } from '../outreach/send.js'
import type { Around, Desk } from './desk.js'
import { tellAgent } from './events.js'
import { optedOut } from './optout.js'
import { sessionOf } from './session.js'
import type { Conversation, MessageState, Outgoing, Status } from './state.js'

export interface Receipt {
  /** What the provider calls the message, or our own id where the provider uses that. */
  readonly providerId: string
  /** The `id` under which it was handed over, where the provider repeats that: every copy of the message has it. */
  readonly pieceId?: string
  readonly state: Exclude<MessageState, 'queued'>
  readonly reason?: string
  readonly detail?: string
  /** It covers everything that was sent up to that message, or up to this time where no message is named. */
  readonly upTo?: number
}

export function received(desk: Desk, conversation: Conversation, around: Around, receipt: Receipt): Conversation {
  if (receipt.upTo !== undefined) return receivedUpTo(desk, conversation, around, receipt, receipt.upTo)
  const { pieceId } = receipt
  const known = find(desk, receipt.providerId)
  const outgoing = known ?? (pieceId === undefined ? undefined : desk.outgoing(pieceOf(pieceId).messageId))
  if (outgoing?.sentAt !== undefined) return applied(desk, conversation, around, outgoing, receipt)
  desk.park(outgoing && !known ? { ...receipt, providerId: pieceId! } : receipt)
  if (!outgoing) desk.log({ event: 'receipt.parked', data: { state: receipt.state } })
  return having(conversation, { parkedUntil: desk.at + desk.scaled(limits.parkedMs) })
}

function find(desk: Desk, providerId: string): Outgoing | undefined {
  return desk.outgoing(desk.idOfProvider(providerId) ?? providerId)
}

/** Pieces are handed over as message and place, with a number behind it where they were written anew. */
function pieceOf(pieceId: string): { readonly messageId: string; readonly place: number } {
  const [messageId = '', place] = pieceId.split('.')
  return { messageId, place: Number(place) }
}

/** Every open message that was sent up to then, oldest first. */
function receivedUpTo(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  receipt: Receipt,
  upTo: number,
): Conversation {
  const covered = [...desk.sentSince(desk.at - desk.scaled(limits.statusMs))]
    .filter(({ sentAt, states }) => sentAt! <= upTo && states[receipt.state] === undefined)
    .reverse()
  const { marks, flight } = conversation
  const isInFlight = flight !== undefined && flight.at <= upTo
  const marked = isInFlight ? { ...conversation, marks: { ...marks, [receipt.state]: upTo } } : conversation
  return covered.reduce((changed, outgoing) => reached(desk, changed, around, outgoing, receipt), marked)
}

/** What waited for the send to be known. */
export function unparked(desk: Desk, before: Conversation, around: Around, outgoing: Outgoing): Conversation {
  const conversation = marked(desk, before, around, outgoing)
  if (desk.at > (conversation.parkedUntil ?? 0)) return conversation
  const { id, providerIds = [] } = outgoing
  const pieces = [...providerIds, ''].map((_, place) => `${id}.${place}`)
  const waiting = [id, ...providerIds, ...pieces].flatMap((each) => desk.parked(each))
  return waiting.reduce((changed, receipt) => {
    return applied(desk, changed, around, desk.outgoing(outgoing.id)!, receipt)
  }, conversation)
}

/** The marks that came while the message was on its way. */
function marked(desk: Desk, conversation: Conversation, around: Around, { id, sentAt }: Outgoing): Conversation {
  const { marks, ...rest } = conversation
  if (!marks) return conversation
  const states = (['sent', 'delivered', 'read', 'failed'] as const).filter((state) => sentAt! <= (marks[state] ?? 0))
  return states.reduce<Conversation>(
    (changed, state) => reached(desk, changed, around, desk.outgoing(id)!, { state }),
    rest,
  )
}

function applied(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  outgoing: Outgoing,
  receipt: Receipt,
): Conversation {
  const counted = withPiece(outgoing, receipt)
  if (counted !== outgoing) desk.keepOutgoing(counted)
  if (!isWhole(counted, receipt)) return conversation
  if (!isNews(counted, receipt.state)) {
    desk.log({ event: 'receipt.ignored', data: { messageId: outgoing.id, state: receipt.state } })
  }
  const told = reached(desk, conversation, around, counted, receipt)
  return receipt.state === 'failed' && receipt.reason === 'optedOut' ? optedOut(desk, told, around) : told
}

const arrivedAfterAll = 'It was reported as failed before, and arrived after all.'

/** The message has come to that state. Whoever should hear of it does, once. */
export function reached(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  outgoing: Outgoing,
  news: Omit<Receipt, 'providerId' | 'upTo' | 'state'> & {
    readonly state: MessageState
    readonly again?: SendNews['again']
  },
): Conversation {
  const { state, reason } = news
  if (!isNews(outgoing, state)) return conversation
  const isAfterAll = outgoing.states.failed !== undefined && (state === 'delivered' || state === 'read')
  const detail = isAfterAll ? arrivedAfterAll : news.detail
  desk.keepOutgoing({ ...outgoing, states: { [state]: desk.at, ...outgoing.states } })
  const attempt = outgoing.attempt ?? { channel: conversation.channel, provider: around.binding?.provider ?? '' }
  const status: Status = {
    messageId: outgoing.id,
    state,
    attempt,
    ...(reason && { reason }),
    ...(detail && { detail }),
  }
  if (outgoing.from === 'house') return conversation
  if (outgoing.forSend && state !== 'queued') toldSend(desk, outgoing, { ...news, state })
  if (outgoing.carriedFor) {
    const { asid, messageId } = outgoing.carriedFor
    desk.carried(asid, messageId, { state, attempt, ...(reason && { reason }), ...(detail && { detail }) })
    return conversation
  }
  const sessionId = sessionOf(desk, conversation, outgoing.sessionId)
  desk.traffic({
    origin: 'agent',
    type: 'status',
    subtype: state,
    sessionId,
    messageId: outgoing.id,
    ...(state === 'failed' && { error: reason ?? 'failed' }),
    raw: status,
  })
  // The window counts from the hand-over: what ends before it was ever handed over is always told.
  const isLate = outgoing.sentAt !== undefined && desk.at - outgoing.sentAt > desk.scaled(limits.statusMs)
  if (isLate) return conversation
  return tellAgent(desk, conversation, around, { type: 'status', status }, sessionId)
}

/** What a send learns of the message that opens for it. */
export function toldSend(
  desk: Desk,
  { id, forSend }: Outgoing,
  { state, reason, detail, again = 'never' }: Pick<SendNews, 'state' | 'reason' | 'detail' | 'again'>,
): void {
  const { sendId, attempt } = forSend!
  desk.tellSend({
    sendId,
    attempt,
    messageId: id,
    at: desk.at,
    state,
    ...(reason && { reason }),
    ...(detail && { detail }),
    ...(state === 'failed' && { again }),
  })
}

/** By the rules at the head of this file. */
export function isNews({ states }: Pick<Outgoing, 'states'>, state: MessageState): boolean {
  if (states[state] !== undefined) return false
  const arrived = states.delivered !== undefined || states.read !== undefined
  if (state === 'failed') return !arrived
  if (state === 'queued' || state === 'sent') return states.failed === undefined
  return true
}

/** Notes which piece it was, where the message went out in several. A copy of a piece counts for it. */
function withPiece(outgoing: Outgoing, { providerId: named, pieceId, state }: Receipt): Outgoing {
  if (!hasPieces(outgoing) || (state !== 'delivered' && state !== 'read')) return outgoing
  const { providerIds = [] } = outgoing
  const isCopy = pieceId !== undefined && !providerIds.includes(named)
  const providerId = (isCopy ? providerIds[pieceOf(pieceId).place] : undefined) ?? named
  const known = outgoing.arrived?.[state] ?? []
  if (known.includes(providerId)) return outgoing
  return { ...outgoing, arrived: { ...outgoing.arrived, [state]: [...known, providerId] } }
}

function isWhole(outgoing: Outgoing, { state }: Receipt): boolean {
  if (!hasPieces(outgoing) || (state !== 'delivered' && state !== 'read')) return true
  return outgoing.arrived?.[state]?.length === outgoing.providerIds!.length
}

function hasPieces({ providerIds }: Outgoing): boolean {
  return (providerIds?.length ?? 0) > 1
}
