/** The reducer of a conversation: decides on one input and returns its results as data. */
import type { Inbound } from '../channel/inbound.js'
import type { ChannelName } from '../channelnames.js'
import { releasePaced } from './bulkqueue.js'
import type { AgentContext, AgentFacts } from './context.js'
import { expireDeferred } from './deferral.js'
import { expireUndelivered } from './deliverytimeout.js'
import { withDeviceCapabilities } from './device.js'
import type { ConversationEffect, ConversationRecord, DelayTimer, FailoverUpdate, TurnCutReason } from './effects.js'
import { applyWebhookOutcome, dispatchHead, type WebhookOutcome } from './eventqueue.js'
import { applyFailoverUpdate } from './failover.js'
import { applyInbound } from './inbound.js'
import { applyTurnStep, type TurnStep } from './managedturn.js'
import { type OpenResult, openForSend, type SendOpener } from './opener.js'
import { optOut } from './optout.js'
import { acceptMessage, type OutboundRequest, type SendResult } from './outbound.js'
import type { DeliveryOutcome, NotSent } from './outcome.js'
import { applySendOutcome, resumeSending } from './queue.js'
import type { Conversation, ConversationEvent } from './state.js'
import { reportToOrigin } from './status.js'
import { type CommandContext, type ConversationTx, log, type StoredMessages, Transaction } from './transaction.js'
import { cutTurn } from './turncut.js'
import { closeIfExpired } from './windowlifecycle.js'

export type ConversationInput =
  /** Items of the provider that are new, and the number of repeats. */
  | {
      readonly kind: 'inbound'
      readonly agent: AgentContext
      readonly items: readonly InboundItem[]
      readonly repeats: { readonly messages: number; readonly receipts: number }
      /** Another address of the same person. */
      readonly alias?: string
    }
  /** Messages of the agent. */
  | { readonly kind: 'send'; readonly agent: AgentContext; readonly requests: readonly OutboundRequest[] }
  | { readonly kind: 'open'; readonly agent: AgentContext; readonly opener: SendOpener }
  | {
      readonly kind: 'sendOutcome'
      readonly agent: AgentContext
      readonly messageId: string
      readonly attempt: number
      readonly outcome: DeliveryOutcome | NotSent
    }
  /** A message of the same person's conversation on another channel. */
  | { readonly kind: 'takeOver'; readonly agent: AgentContext; readonly request: OutboundRequest }
  | {
      readonly kind: 'failoverUpdate'
      readonly facts: AgentFacts
      readonly messageId: string
      readonly update: FailoverUpdate
    }
  /** The person opted out under another address. */
  | { readonly kind: 'optOut'; readonly facts: AgentFacts }
  /** A step of a managed turn. */
  | { readonly kind: 'turn'; readonly agent: AgentContext; readonly step: TurnStep }
  | { readonly kind: 'cutTurn'; readonly why: TurnCutReason }
  /** The outcome of calling the webhook with the event at the head of the queue. */
  | { readonly kind: 'webhookOutcome'; readonly event: ConversationEvent; readonly outcome: WebhookOutcome }
  | { readonly kind: 'timer'; readonly timer: DelayTimer }
  | { readonly kind: 'timer'; readonly timer: 'deferred' | 'window' | 'undelivered'; readonly facts: AgentFacts }

export interface InboundItem {
  readonly id: string
  readonly inbound: Inbound
  /** Capabilities of the person's device, if the provider reports them with the item. */
  readonly deviceCapabilities?: readonly string[]
}

export interface DecisionContext {
  readonly command: CommandContext
  readonly stored: StoredMessages
  /** Whether a message that has not arrived in time goes to its next channel. The contract has this off for now. */
  readonly failsOverUndelivered: boolean
}

export interface Reduction<Answer> {
  readonly conversation: Conversation
  readonly records: readonly ConversationRecord[]
  readonly effects: readonly ConversationEffect[]
  readonly answer: Answer
}

/** The answer to an input: the results of sends, turns and openers; null for all other inputs. */
export type AnswerTo<Input extends ConversationInput> = Input extends { kind: 'send' | 'turn' }
  ? readonly SendResult[]
  : Input extends { kind: 'open' }
    ? OpenResult
    : null

/**
 * Decides on one input. It is a pure function: the same input on the same rows gives the same conversation, records and
 * effects. The caller commits the conversation and the records atomically, and runs the effects once the commit is
 * durable.
 */
export function reduce<Input extends ConversationInput>(
  before: Conversation,
  input: Input,
  { command, stored, failsOverUndelivered }: DecisionContext,
): Reduction<AnswerTo<Input>> {
  const tx = new Transaction(command, stored, failsOverUndelivered)
  const { conversation, answer } = decide(tx, before, input)
  // The first event in the queue is dispatched; each outcome and the end of each turn lead to the next.
  if (before.firstEvent === before.nextEvent) dispatchHead(tx, conversation)
  return { conversation, records: tx.records, effects: tx.effects, answer: answer as AnswerTo<Input> }
}

function decide(
  tx: ConversationTx,
  before: Conversation,
  input: ConversationInput,
): { readonly conversation: Conversation; readonly answer: readonly SendResult[] | OpenResult | null } {
  if (input.kind === 'send') return sendAll(tx, before, input)
  if (input.kind === 'open') return openForSend(tx, before, input.agent, input.opener)
  if (input.kind === 'turn') return applyTurnStep(tx, before, input.agent, input.step)
  return { conversation: applyInput(tx, before, input), answer: null }
}

function applyInput(
  tx: ConversationTx,
  before: Conversation,
  input: Exclude<ConversationInput, { kind: 'send' | 'open' | 'turn' }>,
): Conversation {
  switch (input.kind) {
    case 'inbound':
      return applyItems(tx, before, input)
    case 'sendOutcome':
      return applySendOutcome(tx, before, input.agent, input)
    case 'takeOver':
      return takeOver(tx, before, input)
    case 'failoverUpdate':
      return applyFailoverUpdate(tx, before, input.facts, input.messageId, input.update)
    case 'optOut':
      return optOut(tx, before, input.facts)
    case 'cutTurn':
      return cutTurn(tx, before, input.why)
    case 'webhookOutcome':
      return applyWebhookOutcome(tx, before, input.event, input.outcome)
    case 'timer':
      return applyTimer(tx, before, input)
  }
}

function applyTimer(
  tx: ConversationTx,
  before: Conversation,
  input: Extract<ConversationInput, { kind: 'timer' }>,
): Conversation {
  switch (input.timer) {
    case 'send':
      return resumeSending(tx, before)
    case 'paced':
      return releasePaced(tx, before)
    case 'webhook':
      dispatchHead(tx, before)
      return before
    case 'deferred':
      return expireDeferred(tx, before, input.facts)
    case 'window':
      return closeIfExpired(tx, before, input.facts)
    case 'undelivered':
      return expireUndelivered(tx, before, input.facts)
  }
}

function applyItems(
  tx: ConversationTx,
  before: Conversation,
  { agent, items, repeats, alias }: Extract<ConversationInput, { kind: 'inbound' }>,
): Conversation {
  if (repeats.messages > 0) log(tx, 'message.duplicate', { count: repeats.messages })
  if (repeats.receipts > 0) log(tx, 'receipt.ignored', { count: repeats.receipts })
  const conversation = items.reduce(
    (changed, { id, inbound, deviceCapabilities }) =>
      applyInbound(tx, withDeviceCapabilities(changed, deviceCapabilities), agent, inbound, id),
    before,
  )
  return alias === undefined ? conversation : { ...conversation, alias }
}

function sendAll(
  tx: ConversationTx,
  before: Conversation,
  { agent, requests }: Extract<ConversationInput, { kind: 'send' }>,
) {
  let conversation = before
  const answer = requests.map((request) => {
    const accepted = acceptMessage(tx, conversation, agent, request)
    conversation = accepted.conversation
    return accepted.answer
  })
  return { conversation, answer }
}

/** A message that cannot be accepted here is reported back at once. */
function takeOver(
  tx: ConversationTx,
  before: Conversation,
  { agent, request }: Extract<ConversationInput, { kind: 'takeOver' }>,
): Conversation {
  const { conversation, answer } = acceptMessage(tx, before, agent, request)
  if ('reason' in answer) {
    const attempt = { channel: before.channel satisfies ChannelName, provider: agent.provider }
    reportToOrigin(tx, request.onBehalfOf!, { state: 'failed', attempt, ...answer })
  }
  return conversation
}
