/** Effect handler that submits one message of a conversation to its provider and reports the outcome. */

import type { AgentRouting } from '../../core/agent/routing.js'
import { type ChannelRoute, notReadyOn } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import { type ContentMessage, isQuestion, isSignal, mediaUrlsIn } from '../../core/amf/index.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import type { SendContext } from '../../core/channel/adapter.js'
import { effectiveTraits } from '../../core/channel/devicetraits.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { Traits } from '../../core/channel/traits.js'
import type { AgentContext } from '../../core/conversation/context.js'
import { isSilencedByOptOut, requiredDisclaimer } from '../../core/conversation/disclaimer.js'
import type { DeliveryOutcome, NotSent } from '../../core/conversation/outcome.js'
import type { Conversation, OutboundMessageRecord } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { provider as limits } from '../../core/limits/index.js'
import { withCardPicture } from '../../core/render/cardpicture.js'
import { type HostedMessage, readerFor, withHostedMedia } from '../../core/render/hostedmedia.js'
import { degradedNotes, truncatedNotes } from '../../core/render/lognotes.js'
import { renderInSteps } from '../../core/render/render.js'
import type { Clock } from '../clock.js'
import type { AdapterLookup, AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands } from '../conversation/contract.js'
import type { Deliver } from '../conversation/effects.js'
import { conversationTable, messageTable, providerIdTable } from '../conversation/tables.js'
import type { Media, Unreachable } from '../media/contract.js'
import type { EffectHandler, Shards } from '../shard/contract.js'
import { runInSlices } from '../slices.js'
import type { CampaignGate } from './campaigngate.js'
import { createHoldCheck, type HoldCheck } from './campaigngate.js'
import type { BindingRef, ConnectionPool } from './connections.js'
import { hostMedia, isHosted } from './media.js'
import type { DeliveryMetrics } from './metrics.js'
import type { Providers } from './providers.js'
import { createPieceSender, type EarlierAttempt } from './redelivery.js'
import type { Throttle } from './throttle.js'

export interface DeliveryDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendOutcome'>
  readonly directory: Directory
  readonly contexts: AgentContexts
  readonly adapters: AdapterLookup
  readonly media: Pick<Media, 'rehost'>
  readonly providers: Pick<Providers, 'authOf' | 'contextFor' | 'evict'>
  readonly connections: Pick<ConnectionPool, 'get'>
  readonly campaigns: CampaignGate
  /** Marks a binding whose account the provider refuses: sends wait until its operator has acted. */
  readonly markActionRequired: (bindingRef: BindingRef, detail: string, usedAuth?: Uint8Array) => void
  readonly throttle: Pick<Throttle, 'spend' | 'waitUntil'>
  readonly metrics: DeliveryMetrics
  readonly clock: Clock
}

export function createDeliverHandler(deps: DeliveryDeps): EffectHandler {
  const { shards, commands, directory, contexts } = deps

  return async (
    { asid, messageId, attempt }: Deliver,
    { reader, signal, isStillOwner, isRepeat, completes, releaseSlot },
  ) => {
    const conversation = reader.get(conversationTable, [asid])
    const record = reader.get(messageTable, [asid, messageId])
    const { inFlight } = conversation ?? {}
    if (!conversation || !record || inFlight?.messageId !== messageId || inFlight.attempt !== attempt) return
    if (record.leaveAt !== undefined) {
      releaseSlot()
      await deps.throttle.waitUntil(record.leaveAt, signal)
    }
    const agent = await directory.get(formatAgentKey(conversation.agent))
    const isDeleted = isRefusal(agent) && agent.refused === 'resource.not_found'
    if (isRefusal(agent) && !isDeleted) throw new Error('the agent cannot be looked up just now')
    const context = isRefusal(agent) ? contexts.orphan(conversation.channel) : contexts.of(agent, conversation)
    const isSilenced = () =>
      isSilencedByOptOut(record) && reader.get(conversationTable, [asid])?.optedOutAt !== undefined
    const unknownSince = inFlight.unknownSince ?? (isRepeat ? inFlight.at : undefined)
    const isKnown = (providerId: string) => reader.get(providerIdTable, [asid, providerId]) !== undefined
    const earlier =
      unknownSince === undefined
        ? { holdCheck: createHoldCheck(deps, reader, conversation, record) }
        : { earlier: { since: unknownSince, isKnown } }
    const deliveryAttempt: DeliveryAttempt = { isSilenced, isStillOwner, isFirst: attempt === 1, signal, ...earlier }
    const outcome: DeliveryOutcome | NotSent = isRefusal(agent)
      ? refusedOutcome('noBinding', 'never', 'The agent was deleted.')
      : requiredDisclaimer(conversation, record, context) !== undefined
        ? { kind: 'disclaimerRequired' }
        : await attemptWithConfirmation(deps, agent, context, conversation, record, deliveryAttempt)
    releaseSlot()
    const answer = await shards.execute(
      asid,
      commands.sendOutcome,
      { asid, agent: context, messageId, attempt, outcome },
      { completes },
    )
    if (isRefusal(answer)) throw new Error('the outcome of a message could not be recorded')
  }
}

const refusedOutcome = (
  reason: string,
  retry: 'later' | 'otherChannel' | 'never',
  detail?: string,
): DeliveryOutcome => ({
  kind: 'refused',
  reason,
  retry,
  ...(detail && { detail }),
})

const heldBack = { ...refusedOutcome('optedOut', 'never'), isHeldBack: true } as const

interface DeliveryAttempt {
  /** Whether the person has opted out and the message is not exempt from the opt-out. */
  readonly isSilenced: () => boolean
  /** Whether the campaign holds the message; absent for a message that the provider may already have. */
  readonly holdCheck?: HoldCheck
  /** Whether this process still owns the shard and may submit. */
  readonly isStillOwner: () => boolean
  /** Whether this is the first attempt. */
  readonly isFirst: boolean
  readonly signal: AbortSignal
  /** Present when an earlier attempt may have submitted the message. */
  readonly earlier?: EarlierAttempt
}

/**
 * Tries again with freshly read credentials when the provider refuses the account, so that one wrong answer does not
 * close a channel. A second refusal marks the binding, and the message waits with it.
 */
async function attemptWithConfirmation(
  deps: DeliveryDeps,
  agent: AgentRouting,
  context: AgentContext,
  conversation: Conversation,
  record: OutboundMessageRecord,
  deliveryAttempt: DeliveryAttempt,
): Promise<DeliveryOutcome | NotSent> {
  const first = await attemptDelivery(deps, agent, context, conversation, record, deliveryAttempt)
  if (first.kind !== 'refused' || !first.refusedBy) return first
  deps.providers.evict(first.refusedBy.bindingId)
  const { clock } = deps
  await new Promise<void>((resolve) => clock.setTimer(clock.now() + limits.accountConfirmMs, resolve))
  const now = await deps.directory.get(formatAgentKey(conversation.agent))
  if (isRefusal(now)) throw new Error('the agent cannot be looked up just now')
  const { providerIds = record.providerIds } = first
  const { earlier: _settled, ...rest } = deliveryAttempt
  const resumed = providerIds ? { ...record, providerIds } : record
  const second = await attemptDelivery(deps, now, deps.contexts.of(now, conversation), conversation, resumed, {
    ...rest,
    isFirst: false,
  })
  if (second.kind !== 'refused' || !second.refusedBy) return second
  const { refusedBy, detail, reason, ...others } = second
  const bindingRef = { ...conversation.agent, bindingId: refusedBy.bindingId }
  deps.markActionRequired(bindingRef, detail ?? reason, refusedBy.auth?.sealed)
  return { ...others, ...refusedOutcome('bindingNotReady', 'otherChannel', detail) }
}

/** A person who opted out after the message was accepted gets only messages that are exempt from the opt-out. */
async function attemptDelivery(
  deps: DeliveryDeps,
  agent: AgentRouting,
  context: AgentContext,
  conversation: Conversation,
  record: OutboundMessageRecord,
  { isSilenced, holdCheck, isStillOwner, isFirst, signal, earlier }: DeliveryAttempt,
): Promise<(DeliveryOutcome & { readonly refusedBy?: ChannelRoute }) | NotSent> {
  if (isSilenced()) return heldBack
  const isHeld = holdCheck?.ask()
  if (isHeld && (await isHeld)) return { kind: 'withheld' }
  if (conversation.sandbox) return { kind: 'sent', providerIds: [] }
  const binding = agent.channels.find(({ channel }) => channel === conversation.channel)
  const adapter = binding && deps.adapters(binding.channel, binding.provider)
  if (!adapter)
    return refusedOutcome(notReadyOn(agent, conversation.channel) ? 'bindingNotReady' : 'noBinding', 'otherChannel')
  const credentials = await deps.providers.authOf(agent.orgId, binding)
  if (isRefusal(credentials))
    return refusedOutcome('sendFailed', 'later', 'The credentials of the channel could not be read.')
  const render = (deviceCapabilities: OutboundMessageRecord['deviceCapabilities']) =>
    renderPayloads(deps, adapter, context, conversation, record, agent, signal, deviceCapabilities)
  const rendered = await render(record.deviceCapabilities)
  if ('kind' in rendered) return rendered
  const { auth } = credentials
  const connection = deps.connections.get(agent, binding, adapter, auth)
  let wasSilenced = false
  let wasHeld = false
  // Media, access tokens and connections take time, and a STOP or a pause may be committed meanwhile, also in another
  // process that has the shard by then. The check therefore runs again right before each submission.
  const isCancelled = () => {
    wasSilenced ||= isSilenced()
    wasHeld ||= holdCheck?.isHeld() ?? false
    return wasSilenced || wasHeld || !isStillOwner()
  }
  const providerContext = deps.providers.contextFor(binding, auth, signal, isCancelled)
  const sendContext = {
    isCancelled,
    address: conversation.address,
    ...providerContext,
    ...(connection && { connection }),
    ...earlier,
  }
  const { clock, metrics } = deps
  const { bulkPerSecond } = context.binding ?? {}
  if (record.leaveAt === undefined && bulkPerSecond !== undefined) {
    deps.throttle.spend({ ...conversation.agent, channel: conversation.channel }, bulkPerSecond)
  }
  if (isFirst) metrics.observeWait(binding, record, clock.now() - record.at)
  const began = clock.monotonic()
  const outcome = await sendRendered(adapter, rendered, record, sendContext, render)
  if (outcome.kind === 'refused' && !outcome.providerIds && !isStillOwner())
    throw new Error('nothing may go out any more')
  if (wasHeld && !wasSilenced && outcome.kind === 'refused' && !outcome.isUnknown) {
    const { providerIds } = outcome
    return { kind: 'withheld', ...(providerIds && { providerIds }) }
  }
  metrics.observeSubmission(binding, outcome, clock.monotonic() - began)
  if (wasSilenced && outcome.kind === 'refused') {
    const { providerIds } = outcome
    return { ...heldBack, ...(providerIds && { providerIds }) }
  }
  if (outcome.kind === 'sent') return outcome
  const { needsOperator, ...rest } = { ...outcome, ...refusalNotes(outcome) }
  return needsOperator ? { ...rest, refusedBy: binding } : rest
}

/** What a refusal says about the provider, as notes for the agent's log. */
function refusalNotes({
  reason,
  detail,
  retry,
  retryAfterMs,
  needsOperator,
}: Extract<AdapterOutcome, { kind: 'refused' }>) {
  const why = { reason, ...(detail && { why: detail }), ...(retryAfterMs !== undefined && { retryAfterMs }) }
  if (reason === 'rateLimited') return { notes: [{ event: 'provider.throttled' as const, data: why }] }
  return retry === 'later' || needsOperator ? { notes: [{ event: 'provider.unreachable' as const, data: why }] } : {}
}

interface Rendered {
  readonly payloads: readonly unknown[]
  readonly notes?: readonly LogNote[]
  /** Option numbers that the person sees beside the options. */
  readonly numbered?: readonly number[]
}

async function renderPayloads(
  deps: DeliveryDeps,
  adapter: HostedAdapter,
  { reader }: AgentContext,
  conversation: Conversation,
  record: OutboundMessageRecord,
  agent: AgentRouting,
  signal: AbortSignal,
  deviceCapabilities: OutboundMessageRecord['deviceCapabilities'],
): Promise<Rendered | DeliveryOutcome> {
  const { id: messageId, message } = record
  const { address, lastInboundId } = conversation
  const deviceState = {
    ...(lastInboundId !== undefined && { lastInboundId }),
    ...(deviceCapabilities && { deviceCapabilities }),
  }
  const recipient = { address, messageId, ...deviceState }
  if (isSignal(message)) {
    const payload = await adapter.signal?.(message.signal, recipient)
    return { payloads: payload === undefined ? [] : [payload] }
  }
  if (deviceCapabilities && adapter.prepareTraits) await adapter.prepareTraits(deviceCapabilities)
  const traits = effectiveTraits(adapter, deviceCapabilities)
  const hosted = await hostMediaWithPicture(deps, record, message, agent, traits, signal)
  if (isRefusal(hosted))
    return refusedOutcome('sendFailed', 'later', 'The media of the message could not be looked up.')
  if ('reason' in hosted) return refusedOutcome(hosted.reason, 'otherChannel', hosted.detail)
  const { missing = [] } = hosted
  const rendering = await runInSlices(renderInSteps(hosted.message, traits, readerFor(reader, hosted)), deps.clock)
  const { blocks, numbered } = rendering
  const payloads = await adapter.render(blocks, recipient)
  const files = mediaUrlsIn(message).length
  const notes: LogNote[] = [
    ...truncatedNotes(hosted.message, rendering, reader),
    ...degradedNotes(hosted.message, traits),
    ...(files > 0 ? [{ event: 'media.fetched' as const, data: { files } }] : []),
    ...Array.from(missing, ([, detail]) => ({ event: 'media.unreachable' as const, data: { detail } })),
  ]
  const noted = notes.length > 0 && { notes }
  return { payloads, ...noted, ...(isQuestion(message) && { numbered }) }
}

/** Adds the agent's default picture to cards; when it cannot be fetched, the cards are sent as the agent wrote them. */
async function hostMediaWithPicture(
  { media }: Pick<DeliveryDeps, 'media'>,
  { media: cachedFiles }: OutboundMessageRecord,
  message: ContentMessage,
  { identity }: AgentRouting,
  traits: Traits,
  signal: AbortSignal,
): Promise<HostedMessage | Refusal | Unreachable> {
  const { defaultCardImageUrl: pictureUrl = '' } = identity
  const pictured = withCardPicture(message, identity.defaultCardImageUrl, traits)
  const files = await hostMedia(media, pictured, cachedFiles, signal)
  if (!isHosted(files)) return files
  const picture = pictured === message ? undefined : files[pictureUrl]
  if (picture === undefined || 'url' in picture) return withHostedMedia(pictured, files, traits)
  const { [pictureUrl]: _missing, ...others } = files
  return withHostedMedia(message, others, traits)
}

type AdapterOutcome = DeliveryOutcome & { readonly needsOperator?: true }
type PieceContext = Omit<SendContext<unknown>, 'id'> & Partial<EarlierAttempt>

/**
 * When the provider rejects a piece because the device has fewer capabilities than assumed, renders the message for
 * that device and submits again from the rejected piece on. This happens only if the earlier pieces are the same in
 * both renderings, so no piece is sent twice or left out.
 */
async function sendRendered(
  adapter: HostedAdapter,
  rendered: Rendered,
  record: OutboundMessageRecord,
  sendContext: PieceContext,
  render: (deviceCapabilities: readonly string[]) => Promise<Rendered | DeliveryOutcome>,
): Promise<AdapterOutcome> {
  const first = await sendAll(adapter, rendered, record, sendContext)
  if (first.kind === 'sent' || !first.deviceCapabilities || !adapter.traitsForDevice || sendContext.isCancelled())
    return first
  const { deviceCapabilities, providerIds = [] } = first
  const rerendered = await render(deviceCapabilities)
  if ('kind' in rerendered || !divergesAt(providerIds.length, rendered.payloads, rerendered.payloads)) return first
  const { rewriteCount = 0, providerIds: _before, ...rest } = record
  const resumed = { ...rest, rewriteCount: rewriteCount + 1, ...(providerIds.length > 0 && { providerIds }) }
  const second = await sendAll(adapter, rerendered, resumed, sendContext)
  return { ...second, deviceCapabilities, isRewritten: true }
}

/** Whether two renderings are equal before that piece and differ in it: an equal piece would be rejected again. */
function divergesAt(piece: number, these: readonly unknown[], those: readonly unknown[]): boolean {
  const isSame = (at: number) => JSON.stringify(these[at]) === JSON.stringify(those[at])
  return !isSame(piece) && Array.from({ length: piece }, (_, at) => at).every(isSame)
}

/** Sends the pieces in order, each after the previous one was accepted, beginning where an earlier attempt stopped. */
async function sendAll(
  adapter: HostedAdapter,
  { payloads, numbered, notes }: Rendered,
  { id, rewriteCount, providerIds: before = [] }: OutboundMessageRecord,
  sendContext: PieceContext,
): Promise<AdapterOutcome> {
  const providerIds = [...before]
  const suffix = rewriteCount ? `.${rewriteCount}` : ''
  const sender = createPieceSender(adapter, sendContext)
  for (const [piece, payload] of payloads.entries()) {
    if (piece < before.length) continue
    if (sendContext.isCancelled()) return { ...heldBack, ...(providerIds.length > 0 && { providerIds }) }
    const outcome = await sender.send(payload, { id: `${id}.${piece}${suffix}`, ...sendContext })
    if (outcome.kind === 'refused') return { ...outcome, ...(providerIds.length > 0 && { providerIds }) }
    providerIds.push(outcome.providerId)
  }
  return { kind: 'sent', providerIds, ...(numbered && { numbered }), ...(notes && { notes }) }
}
