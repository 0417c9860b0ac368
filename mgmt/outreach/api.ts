/** Creates sends for routes, journeys, rules and campaigns. */
import type { Actor } from '../../core/access.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import { channelUnavailable, checkAddress, invalidAddress, type NotAdmitted } from '../../core/outreach/admission.js'
import { createIdentityResolver } from '../../core/outreach/identity.js'
import type { ConsentState } from '../../core/outreach/port.js'
import { isOutreachChannel, type SendRequest } from '../../core/outreach/request.js'
import type { Send } from '../../core/outreach/send.js'
import { isPossiblePhone, normalizeAddress } from '../../core/people/address.js'
import { withOptOut } from '../../core/people/identityevents.js'
import type { PersonIdentity } from '../../core/people/person.js'
import type { Clock } from '../../runtime/clock.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { StoreFailed } from '../../runtime/store/contract.js'
import { sleep, withTimeout } from '../../runtime/time.js'
import type { SendInput, SendOptions } from './admission.js'
import type { sendCommands } from './commands.js'
import type { OutreachConversations } from './conversations.js'
import type { SendMetrics } from './metrics.js'
import type { SendQueries } from './queries.js'
import type { CreateResult } from './schema.js'

export interface CreateSendOptions extends SendOptions {
  /** Decides everything and writes nothing. */
  readonly isDryRun?: boolean
  /** How long the caller waits. After that the outcome is unknown; a repeat with the same key shows it. */
  readonly answerMs?: number
}

/**
 * `create` decides and, unless it refuses, commits before it answers. Only sends of other origins than `named` are
 * deferred. A refusal has changed nothing, except that the outcome is unknown after `agent.outreach_send.upstream` and
 * `…timeout`.
 */
export interface Sends {
  create(
    agent: AgentRef,
    request: SendRequest,
    by: Actor | undefined,
    sendOptions?: CreateSendOptions,
  ): Promise<CreateResult | NotAdmitted | Refusal>
  sendOf(agent: AgentRef, sendId: string): Promise<Send | Refusal>
}

export interface SendsDeps {
  readonly shards: Shards
  readonly commands: Pick<ReturnType<typeof sendCommands>, 'accept'>
  readonly queries: Pick<SendQueries, 'dryRun' | 'locate' | 'record' | 'sandboxSend'>
  readonly conversations: Pick<OutreachConversations, 'asidOf' | 'consentOf'>
  readonly clock: Clock
  readonly sendMetrics?: Pick<SendMetrics, 'countRequest'>
}

const upstream = refuse('agent.outreach_send.upstream')
const timeout = refuse('agent.outreach_send.timeout')

export function createSends(options: SendsDeps): Sends {
  const { shards, commands, queries, conversations, clock } = options
  const identityAtPhone = createIdentityResolver(conversations.asidOf)

  async function createSend(
    agent: AgentRef,
    request: SendRequest,
    by: Actor | undefined,
    { isDryRun = false, answerMs = limits.answerMs, ...sendOptions }: CreateSendOptions,
  ): Promise<CreateResult | NotAdmitted | Refusal> {
    const owner = formatAgentKey(agent)
    const deadline = clock.now() + answerMs
    const identity = identityOf(agent, request)
    if (isRefusal(identity)) return identity
    const asid = identity?.asid ?? (await resolveAsid(owner, agent, request))
    if (isRefusal(asid)) return asid
    const consentState = asid === undefined ? undefined : await conversations.consentOf(asid)
    if (isRefusal(consentState)) return consentState
    // A number with a conversation exists, however few digits it has.
    if (identity && !consentState?.identity && !isPossiblePhone(identity.address)) return invalidAddress
    const phones = isDryRun ? [] : await phonesIn(agent, request, asid)
    if (isRefusal(phones)) return phones
    const target = identity ?? (request.recipient.kind === 'asid' ? identityIn(consentState, agent, asid!) : undefined)
    const { identity: _identity, ...consent } = consentState ?? { isOptedOut: false }
    const input: SendInput = {
      request,
      ...agent,
      ...sendOptions,
      ...(target && { identity: target }),
      ...(phones.length > 0 && { phones }),
      ...(consentState && { consentState: { asid: asid!, ...consent } }),
    }
    if (isDryRun) return shards.query(owner, queries.dryRun, { at: clock.now(), ...input })
    const answer = await shards.execute(owner, commands.accept, input, by ? { by } : {})
    if (request.recipient.kind === 'persona' && 'sendId' in answer) {
      await waitForSandboxSend(owner, { sendId: answer.sendId!, ...agent }, deadline)
    }
    return answer
  }

  function identityOf(agent: AgentRef, { recipient }: SendRequest) {
    if (recipient.kind === 'person' && recipient.channel !== undefined && !isOutreachChannel(recipient.channel)) {
      return channelUnavailable(recipient.channel)
    }
    if (recipient.kind !== 'address') return undefined
    const checked = checkAddress(recipient.channel, recipient.address, normalizeAddress)
    if (isRefusal(checked)) return checked
    const { channel, address }: { channel: ChannelName; address: string } = checked
    return { asid: conversations.asidOf(agent, channel, address), channel, address }
  }

  async function resolveAsid(
    owner: string,
    agent: AgentRef,
    { recipient }: SendRequest,
  ): Promise<string | undefined | Refusal> {
    if (recipient.kind === 'asid') return recipient.asid
    if (recipient.kind !== 'person') return undefined
    const { personId, channel } = recipient
    const located = await shards.query(owner, queries.locate, {
      ...agent,
      personId,
      ...(channel !== undefined && { channel }),
    })
    return isRefusal(located) ? located : located.asid
  }

  /**
   * Identities at the phones that the request writes. The shard decides later which of them becomes the recipient's
   * phone; the conversation of the identity `sentTo` is queried in any case.
   */
  async function phonesIn(
    agent: AgentRef,
    { recipient, inputs, profile }: SendRequest,
    sentTo: string | undefined,
  ): Promise<readonly PersonIdentity[] | Refusal> {
    if (recipient.kind === 'persona') return []
    const identities = new Map<string, PersonIdentity>()
    for (const text of [inputs?.phone, profile?.phone]) {
      const identity = text ? identityAtPhone(agent, text) : undefined
      if (!identity || identity.asid === sentTo || identities.has(identity.asid)) continue
      const consentState = await conversations.consentOf(identity.asid)
      if (isRefusal(consentState)) return consentState
      identities.set(identity.asid, withOptOut(identity, consentState.optedOutAt))
    }
    return [...identities.values()]
  }

  /** Waits until a sandbox send is dispatched, so that its caller sees the outcome. */
  async function waitForSandboxSend(
    owner: string,
    sendRef: AgentRef & { readonly sendId: string },
    until: number,
  ): Promise<void> {
    while (clock.now() < until) {
      const status = await shards.query(owner, queries.sandboxSend, sendRef)
      if (isRefusal(status) || !status.isUnderWay) return
      await sleep(clock, limits.sandboxPollMs)
    }
  }

  return {
    async create(agent, request, by, sendOptions = {}) {
      const answer = await answerWithin(
        clock,
        sendOptions.answerMs ?? limits.answerMs,
        createSend(agent, request, by, sendOptions),
      )
      options.sendMetrics?.countRequest(answer, sendOptions.isDryRun ?? false)
      return answer
    },
    sendOf: (agent, sendId) => shards.query(formatAgentKey(agent), queries.record, { ...agent, sendId }),
  }
}

/** The identity that the conversation has for an asid, if the asid belongs to this agent. */
function identityIn(consentState: ConsentState | undefined, agentRef: AgentRef, asid: string): SendInput['identity'] {
  const { agent, channel, address } = consentState?.identity ?? {}
  return agent && formatAgentKey(agent) === formatAgentKey(agentRef)
    ? { asid, channel: channel!, address: address! }
    : undefined
}

/** Every failure to answer becomes one of two refusals, upstream or timeout; neither is the caller's fault. */
async function answerWithin<T>(clock: Clock, ms: number, work: Promise<T | Refusal>): Promise<T | Refusal> {
  try {
    const answer = await withTimeout(clock, ms, work, timeout)
    return isRefusal(answer) && answer.refused === 'service.unavailable' ? upstream : answer
  } catch (error) {
    if (error instanceof StoreFailed) return upstream
    throw error
  }
}
