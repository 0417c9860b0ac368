/**
 * Receipts: reports of providers about messages they accepted. Receipts repeat, arrive out of order, arrive before the
 * answer to the send itself, and leave states out. The rules, in one place:
 *
 * - Each state of a message is reported at most once, as it arrives; a state older than the status window is only
 *   recorded.
 * - `failed` after `delivered` or `read` is not reported: the message arrived. `delivered` or `read` after `failed` is,
 *   and its detail says that the message arrived after all. `sent` or `queued` after `failed` is not.
 * - A receipt with `failed` moves no message to another channel: only a refused hand-over does.
 * - A message sent in several pieces is delivered, or read, when all of them are; one failed piece fails it.
 * - A receipt for an unknown message is parked, and applied once its send is known; so is a watermark.
 * - A receipt that reports an opt-out opts the person out.
 */
import type { Receipt } from '../channel/inbound.js'
import { conversation as limits } from '../limits/index.js'
import type { AgentFacts } from './context.js'
import { optOut } from './optout.js'
import type { Conversation, OutboundMessageRecord } from './state.js'
import { advanceState, isNewState } from './status.js'
import { type ConversationTx, log, saveMessage } from './transaction.js'

export function applyReceipt(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  receipt: Receipt,
): Conversation {
  if (receipt.upTo !== undefined) return applyWatermark(tx, conversation, agent, receipt, receipt.upTo)
  const { pieceId } = receipt
  const matched = findByProviderId(tx, receipt.providerId)
  const outgoing = matched ?? (pieceId === undefined ? undefined : tx.stored.message(parsePieceId(pieceId).messageId))
  if (outgoing?.sentAt !== undefined) return applyToMessage(tx, conversation, agent, outgoing, receipt)
  park(tx, outgoing && !matched ? { ...receipt, providerId: pieceId! } : receipt)
  if (!outgoing) log(tx, 'receipt.parked', { state: receipt.state })
  return { ...conversation, parkedUntil: tx.command.at + tx.command.scaled(limits.parkedMs) }
}

function park(tx: ConversationTx, receipt: Receipt): void {
  const { providerId } = receipt
  const parked = tx.stored.parked(providerId)
  if (parked.length >= limits.parkedReceipts) return
  tx.record({ kind: 'parked', providerId, receipts: [...parked, receipt] })
}

function findByProviderId(tx: ConversationTx, providerId: string): OutboundMessageRecord | undefined {
  return tx.stored.message(tx.stored.byProviderId(providerId) ?? providerId)
}

/**
 * A piece id is the message id and the index of the piece; a message that was rendered again has a number behind that.
 */
function parsePieceId(pieceId: string): { readonly messageId: string; readonly index: number } {
  const [messageId = '', index] = pieceId.split('.')
  return { messageId, index: Number(index) }
}

/** Applies the receipt to every open message that was sent up to that time, oldest first. */
function applyWatermark(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  receipt: Receipt,
  upTo: number,
): Conversation {
  const covered = [...tx.stored.sentSince(tx.command.at - tx.command.scaled(limits.statusMs))]
    .filter(({ sentAt, states }) => sentAt! <= upTo && states[receipt.state] === undefined)
    .reverse()
  const { watermarks, inFlight } = conversation
  const isInFlight = inFlight !== undefined && inFlight.at <= upTo
  const marked = isInFlight ? { ...conversation, watermarks: { ...watermarks, [receipt.state]: upTo } } : conversation
  return covered.reduce((changed, outgoing) => advanceState(tx, changed, agent, outgoing, receipt), marked)
}

/** Applies the receipts that were parked until the send was known. */
export function applyParked(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentFacts,
  outgoing: OutboundMessageRecord,
): Conversation {
  const conversation = applyPendingWatermarks(tx, before, agent, outgoing)
  if (tx.command.at > (conversation.parkedUntil ?? 0)) return conversation
  const { id, providerIds = [] } = outgoing
  const pieces = [...providerIds, ''].map((_, index) => `${id}.${index}`)
  const waiting = [id, ...providerIds, ...pieces].flatMap((each) => tx.stored.parked(each))
  return waiting.reduce((changed, receipt) => {
    return applyToMessage(tx, changed, agent, tx.stored.message(outgoing.id)!, receipt)
  }, conversation)
}

/** Applies the watermarks that arrived while the message was in flight. */
function applyPendingWatermarks(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  { id, sentAt }: OutboundMessageRecord,
): Conversation {
  const { watermarks, ...rest } = conversation
  if (!watermarks) return conversation
  const states = (['sent', 'delivered', 'read', 'failed'] as const).filter(
    (state) => sentAt! <= (watermarks[state] ?? 0),
  )
  return states.reduce<Conversation>(
    (changed, state) => advanceState(tx, changed, agent, tx.stored.message(id)!, { state }),
    rest,
  )
}

function applyToMessage(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  outgoing: OutboundMessageRecord,
  receipt: Receipt,
): Conversation {
  const withArrival = withPiece(outgoing, receipt)
  if (withArrival !== outgoing) saveMessage(tx, withArrival)
  if (!isComplete(withArrival, receipt)) return conversation
  if (!isNewState(withArrival, receipt.state)) {
    log(tx, 'receipt.ignored', { messageId: outgoing.id, state: receipt.state })
  }
  const advanced = advanceState(tx, conversation, agent, withArrival, receipt)
  return receipt.state === 'failed' && receipt.reason === 'optedOut' ? optOut(tx, advanced, agent) : advanced
}

/** Records the piece that arrived, if the message went out in several. A copy of a piece counts as that piece. */
function withPiece(
  outgoing: OutboundMessageRecord,
  { providerId: reportedId, pieceId, state }: Receipt,
): OutboundMessageRecord {
  if (!hasPieces(outgoing) || (state !== 'delivered' && state !== 'read')) return outgoing
  const { providerIds = [] } = outgoing
  const isCopy = pieceId !== undefined && !providerIds.includes(reportedId)
  const providerId = (isCopy ? providerIds[parsePieceId(pieceId).index] : undefined) ?? reportedId
  const ids = outgoing.arrivedPieces?.[state] ?? []
  if (ids.includes(providerId)) return outgoing
  return { ...outgoing, arrivedPieces: { ...outgoing.arrivedPieces, [state]: [...ids, providerId] } }
}

function isComplete(outgoing: OutboundMessageRecord, { state }: Receipt): boolean {
  if (!hasPieces(outgoing) || (state !== 'delivered' && state !== 'read')) return true
  return outgoing.arrivedPieces?.[state]?.length === outgoing.providerIds!.length
}

function hasPieces({ providerIds }: OutboundMessageRecord): boolean {
  return (providerIds?.length ?? 0) > 1
}
