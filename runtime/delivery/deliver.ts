/** Hands one message of a conversation to the provider of its channel, and reports what came of it. */

import type { AgentRouting } from '../../core/agent/routing.js'
import { type ChannelRoute, notReadyOn } from '../../core/agent/routing.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { type ContentMessage, isAsking, isSignal, mediaUrlsIn } from '../../core/amf/index.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { traitsFor } from '../../core/channel/abilities.js'
import type { Sending } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import type { Traits } from '../../core/channel/traits.js'
import type { AgentContext } from '../../core/conversation/context.js'
import { disclaimerBefore, isSilencedByOptOut } from '../../core/conversation/disclaimer.js'
import type { DeliveryOutcome, NotHandedOver } from '../../core/conversation/outcome.js'
import type { Conversation, Outgoing } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { provider as limits } from '../../core/limits.js'
import { withCardPicture } from '../../core/render/cardpicture.js'
import { type HostedMessage, readerFor, withHostedMedia } from '../../core/render/hostedmedia.js'
import { renderingIn } from '../../core/render/render.js'
import { degradedNotes, truncatedNotes } from '../../core/render/shown.js'
import type { Clock } from '../clock.js'
import type { Adapters, AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands } from '../conversation/contract.js'
import type { Deliver } from '../conversation/effects.js'
import { conversationTable, outgoingTable, providerIdTable } from '../conversation/tables.js'
import type { Media, Unreachable } from '../media/contract.js'
import type { Performer, Shards } from '../shard/contract.js'
import { inTurns } from '../turns.js'
import type { CampaignGate } from './campaigngate.js'
import { holdOf } from './campaigngate.js'
import type { BindingPlace, Lines } from './connections.js'
import { askFirst, type Doubt } from './doubt.js'
import { hostMedia, isHosted } from './media.js'
import type { DeliveryMetrics } from './metrics.js'
import type { Providers } from './providers.js'
import type { Throttle } from './throttle.js'

export interface DeliveryDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendOutcome'>
  readonly directory: Directory
  readonly contexts: AgentContexts
  readonly adapters: Adapters
  readonly media: Pick<Media, 'hosted'>
  readonly providers: Pick<Providers, 'authOf' | 'reach' | 'forget'>
  readonly lines: Pick<Lines, 'of'>
  readonly campaigns: CampaignGate
  /** Marks a binding whose account the provider refuses: sends wait until its operator has acted. */
  readonly needsOperator: (place: BindingPlace, detail: string, usedAuth?: Uint8Array) => void
  readonly throttle: Pick<Throttle, 'spend' | 'until'>
  readonly metrics: DeliveryMetrics
  readonly clock: Clock
}

export function deliverPerformer(deps: DeliveryDeps): Performer {
  const { shards, commands, directory, contexts } = deps

  return async ({ asid, messageId, tried }: Deliver, { reader, signal, isOurs, isRepeat, settles, aside }) => {
    const conversation = reader.get(conversationTable, [asid])
    const outgoing = reader.get(outgoingTable, [asid, messageId])
    const { flight } = conversation ?? {}
    if (!conversation || !outgoing || flight?.messageId !== messageId || flight.tried !== tried) return
    if (outgoing.leaveAt !== undefined) {
      aside()
      await deps.throttle.until(outgoing.leaveAt, signal)
    }
    const agent = await directory.get(agentKeyOf(conversation.agent))
    const isGone = isRefusal(agent) && agent.refused === 'resource.not_found'
    if (isRefusal(agent) && !isGone) throw new Error('the agent cannot be looked up just now')
    const context = isRefusal(agent) ? contexts.orphan(conversation.channel) : contexts.of(agent, conversation)
    const isSilenced = () =>
      isSilencedByOptOut(outgoing) && reader.get(conversationTable, [asid])?.optedOutAt !== undefined
    const hold = holdOf(deps, reader, conversation, outgoing)
    const isHeld = typeof hold === 'function' ? hold : await hold
    const unknownSince = flight.unknownSince ?? (isRepeat ? flight.at : undefined)
    const isKnown = (providerId: string) => reader.get(providerIdTable, [asid, providerId]) !== undefined
    const doubt = unknownSince === undefined ? { isHeld } : { doubt: { since: unknownSince, isKnown } }
    const going: Going = { isSilenced, isOurs, isFirst: tried === 1, signal, ...doubt }
    const outcome: DeliveryOutcome | NotHandedOver = isRefusal(agent)
      ? refused('noBinding', 'never', 'The agent is gone.')
      : disclaimerBefore(conversation, outgoing, context) !== undefined
        ? { kind: 'undisclaimed' }
        : await handOverSurely(deps, agent, context, conversation, outgoing, going)
    aside()
    const answer = await shards.ask(
      asid,
      commands.sendOutcome,
      { asid, agent: context, messageId, tried, outcome },
      { settles },
    )
    if (isRefusal(answer)) throw new Error('what became of a message could not be noted')
  }
}

const refused = (reason: string, again: 'later' | 'elsewhere' | 'never', detail?: string): DeliveryOutcome => ({
  kind: 'refused',
  reason,
  again,
  ...(detail && { detail }),
})

interface Going {
  /** Whether they have opted out by now, and it is nothing that the house owes them. */
  readonly isSilenced: () => boolean
  /** Whether its campaign stands still by now; not asked of a message that the provider may have got. */
  readonly isHeld?: () => boolean
  /** Whether it is still for this process to hand anything over. */
  readonly isOurs: () => boolean
  /** It was never handed over before. */
  readonly isFirst: boolean
  readonly signal: AbortSignal
  /** An earlier try may have handed it over. */
  readonly doubt?: Doubt
}

/**
 * That an account is refused is believed once a second call, with credentials read anew, says the same: one wrong answer
 * of a provider closes no channel. The message then waits with its binding.
 */
async function handOverSurely(
  deps: DeliveryDeps,
  agent: AgentRouting,
  context: AgentContext,
  conversation: Conversation,
  outgoing: Outgoing,
  going: Going,
): Promise<DeliveryOutcome | NotHandedOver> {
  const first = await handOver(deps, agent, context, conversation, outgoing, going)
  if (first.kind !== 'refused' || !first.refusedBy) return first
  deps.providers.forget(first.refusedBy.bindingId)
  const { clock } = deps
  await new Promise<void>((resolve) => clock.wake(clock.now() + limits.accountConfirmMs, resolve))
  const now = await deps.directory.get(agentKeyOf(conversation.agent))
  if (isRefusal(now)) throw new Error('the agent cannot be looked up just now')
  const { providerIds = outgoing.providerIds } = first
  const { doubt: _settled, ...rest } = going
  const begun = providerIds ? { ...outgoing, providerIds } : outgoing
  const second = await handOver(deps, now, deps.contexts.of(now, conversation), conversation, begun, {
    ...rest,
    isFirst: false,
  })
  if (second.kind !== 'refused' || !second.refusedBy) return second
  const { refusedBy, detail, reason, ...told } = second
  const place = { ...conversation.agent, bindingId: refusedBy.bindingId }
  deps.needsOperator(place, detail ?? reason, refusedBy.auth?.sealed)
  return { ...told, ...refused('bindingNotReady', 'elsewhere', detail) }
}

/** Whoever opted out after it was taken gets nothing more but what the house owes them. */
async function handOver(
  deps: DeliveryDeps,
  agent: AgentRouting,
  context: AgentContext,
  conversation: Conversation,
  outgoing: Outgoing,
  { isSilenced, isHeld = () => false, isOurs, isFirst, signal, doubt }: Going,
): Promise<(DeliveryOutcome & { readonly refusedBy?: ChannelRoute }) | NotHandedOver> {
  if (isSilenced()) return refused('optedOut', 'never')
  if (isHeld()) return { kind: 'withheld' }
  if (conversation.sandbox) return { kind: 'sent', providerIds: [] }
  const bound = agent.channels.find(({ channel }) => channel === conversation.channel)
  const adapter = bound && deps.adapters(bound.channel, bound.provider)
  if (!adapter) return refused(notReadyOn(agent, conversation.channel) ? 'bindingNotReady' : 'noBinding', 'elsewhere')
  const opened = await deps.providers.authOf(agent.orgId, bound)
  if (isRefusal(opened)) return refused('sendFailed', 'later', 'The credentials of the channel could not be read.')
  const writing = (abilities: Outgoing['abilities']) =>
    wiresFor(deps, adapter, context, conversation, outgoing, agent, signal, abilities)
  const written = await writing(outgoing.abilities)
  if ('kind' in written) return written
  const { auth } = opened
  const line = deps.lines.of(agent, bound, adapter, auth)
  let wasSilenced = false
  let wasHeld = false
  // Media, access tokens, connections and lines take their time, and a STOP or a pause may come meanwhile, here or where the
  // shard is by then: everything looks once more right before it goes.
  const isWithheld = () => {
    wasSilenced ||= isSilenced()
    wasHeld ||= isHeld()
    return wasSilenced || wasHeld || !isOurs()
  }
  const reaching = deps.providers.reach(bound, auth, signal, isWithheld)
  const sending = { isWithheld, address: conversation.address, ...reaching, ...(line && { line }), ...doubt }
  const { clock, metrics } = deps
  const { bulkPerSecond } = context.binding ?? {}
  if (outgoing.leaveAt === undefined && bulkPerSecond !== undefined) {
    deps.throttle.spend({ ...conversation.agent, channel: conversation.channel }, bulkPerSecond)
  }
  if (isFirst) metrics.waited(bound, outgoing, clock.now() - outgoing.at)
  const began = clock.elapsed()
  const outcome = await sendWritten(adapter, written, outgoing, sending, writing)
  if (outcome.kind === 'refused' && !outcome.providerIds && !isOurs()) throw new Error('nothing may go out any more')
  if (wasHeld && !wasSilenced && outcome.kind === 'refused' && !outcome.isUnknown) {
    const { providerIds } = outcome
    return { kind: 'withheld', ...(providerIds && { providerIds }) }
  }
  metrics.handedOver(bound, outcome, clock.elapsed() - began)
  if (wasSilenced && outcome.kind === 'refused') {
    const { providerIds } = outcome
    return { ...refused('optedOut', 'never'), ...(providerIds && { providerIds }) }
  }
  if (outcome.kind === 'sent') return outcome
  const { needsOperator, ...rest } = { ...outcome, ...troubleOf(outcome) }
  return needsOperator ? { ...rest, refusedBy: bound } : rest
}

/** What a refusal says of the provider itself, for the agent's log. */
function troubleOf({ reason, detail, again, retryAfterMs, needsOperator }: Extract<Handed, { kind: 'refused' }>) {
  const why = { reason, ...(detail && { why: detail }), ...(retryAfterMs !== undefined && { retryAfterMs }) }
  if (reason === 'rateLimited') return { notes: [{ event: 'provider.throttled' as const, data: why }] }
  return again === 'later' || needsOperator ? { notes: [{ event: 'provider.unreachable' as const, data: why }] } : {}
}

interface Written {
  readonly wires: readonly unknown[]
  readonly notes?: readonly LogNote[]
  /** Numbers that the person reads with the options. */
  readonly numbered?: readonly number[]
}

async function wiresFor(
  deps: DeliveryDeps,
  adapter: HostedAdapter,
  { reader }: AgentContext,
  conversation: Conversation,
  outgoing: Outgoing,
  agent: AgentRouting,
  signal: AbortSignal,
  abilities: Outgoing['abilities'],
): Promise<Written | DeliveryOutcome> {
  const { id: messageId, message } = outgoing
  const { address, heardId } = conversation
  const known = { ...(heardId !== undefined && { lastHeardId: heardId }), ...(abilities && { abilities }) }
  const about = { address, messageId, ...known }
  if (isSignal(message)) {
    const wire = await adapter.signal?.(message.signal, about)
    return { wires: wire === undefined ? [] : [wire] }
  }
  if (abilities && adapter.prepareTraits) await adapter.prepareTraits(abilities)
  const traits = traitsFor(adapter, abilities)
  const hosted = await hostedWithPicture(deps, outgoing, message, agent, traits, signal)
  if (isRefusal(hosted)) return refused('sendFailed', 'later', 'The media of the message could not be looked up.')
  if ('reason' in hosted) return refused(hosted.reason, 'elsewhere', hosted.detail)
  const { missing = [] } = hosted
  const rendering = await inTurns(renderingIn(hosted.message, traits, readerFor(reader, hosted)), deps.clock)
  const { blocks, numbered } = rendering
  const wires = await adapter.render(blocks, about)
  const files = mediaUrlsIn(message).length
  const notes: LogNote[] = [
    ...truncatedNotes(hosted.message, rendering, reader),
    ...degradedNotes(hosted.message, traits),
    ...(files > 0 ? [{ event: 'media.fetched' as const, data: { files } }] : []),
    ...Array.from(missing, ([, detail]) => ({ event: 'media.unreachable' as const, data: { detail } })),
  ]
  const noted = notes.length > 0 && { notes }
  return { wires, ...noted, ...(isAsking(message) && { numbered }) }
}

/** Cards get the agent's stand-in picture; where it cannot be fetched, they go out as they were sent. */
async function hostedWithPicture(
  { media }: Pick<DeliveryDeps, 'media'>,
  { media: known }: Outgoing,
  message: ContentMessage,
  { identity }: AgentRouting,
  traits: Traits,
  signal: AbortSignal,
): Promise<HostedMessage | Refusal | Unreachable> {
  const { defaultCardImageUrl: pictureUrl = '' } = identity
  const pictured = withCardPicture(message, identity.defaultCardImageUrl, traits)
  const files = await hostMedia(media, pictured, known, signal)
  if (!isHosted(files)) return files
  const picture = pictured === message ? undefined : files[pictureUrl]
  if (picture === undefined || 'url' in picture) return withHostedMedia(pictured, files, traits)
  const { [pictureUrl]: _missing, ...others } = files
  return withHostedMedia(message, others, traits)
}

type Handed = DeliveryOutcome & { readonly needsOperator?: true }
type Reach = Omit<Sending<unknown>, 'id'> & Partial<Doubt>

/**
 * What was turned away for a device that can do less than was thought is written for that device and handed over once more,
 * from the piece that was turned away on. Only where those before it are the same in both writings: nothing comes twice, and
 * nothing is left out.
 */
async function sendWritten(
  adapter: HostedAdapter,
  written: Written,
  outgoing: Outgoing,
  reach: Reach,
  writing: (abilities: readonly string[]) => Promise<Written | DeliveryOutcome>,
): Promise<Handed> {
  const first = await sendAll(adapter, written, outgoing, reach)
  if (first.kind === 'sent' || !first.abilities || !adapter.traitsWith || reach.isWithheld()) return first
  const { abilities, providerIds = [] } = first
  const anew = await writing(abilities)
  if ('kind' in anew || !partsAt(providerIds.length, written.wires, anew.wires)) return first
  const { rewritten = 0, providerIds: _before, ...rest } = outgoing
  const begun = { ...rest, rewritten: rewritten + 1, ...(providerIds.length > 0 && { providerIds }) }
  const second = await sendAll(adapter, anew, begun, reach)
  return { ...second, abilities, isRewritten: true }
}

/** Whether two writings are the same up to that piece, and not in it: the same again would be turned away again. */
function partsAt(piece: number, these: readonly unknown[], those: readonly unknown[]): boolean {
  const isSame = (at: number) => JSON.stringify(these[at]) === JSON.stringify(those[at])
  return !isSame(piece) && Array.from({ length: piece }, (_, at) => at).every(isSame)
}

/** Piece by piece, each after the one before was taken, from where an earlier try had come to. */
async function sendAll(
  adapter: HostedAdapter,
  { wires, numbered, notes }: Written,
  { id, rewritten, providerIds: before = [] }: Outgoing,
  reach: Reach,
): Promise<Handed> {
  const providerIds = [...before]
  const writing = rewritten ? `.${rewritten}` : ''
  const asking = askFirst(adapter, reach)
  for (const [piece, wire] of wires.entries()) {
    if (piece < before.length) continue
    if (reach.isWithheld()) return { ...refused('optedOut', 'never'), ...(providerIds.length > 0 && { providerIds }) }
    const outcome = await asking.send(wire, { id: `${id}.${piece}${writing}`, ...reach })
    if (outcome.kind === 'refused') return { ...outcome, ...(providerIds.length > 0 && { providerIds }) }
    providerIds.push(outcome.providerId)
  }
  return { kind: 'sent', providerIds, ...(numbered && { numbered }), ...(notes && { notes }) }
}
