/** Where sends are asked for, be it by a route, a journey, a rule or a campaign. */
import type { Actor } from '../../core/access.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { Standing } from '../../core/outreach/contact.js'
import { identitiesBy } from '../../core/outreach/identity.js'
import { checkedAddress, invalidAddress, type Postponed, unavailable } from '../../core/outreach/judge.js'
import { isOutreachChannel, type SendRequest } from '../../core/outreach/request.js'
import type { Send } from '../../core/outreach/send.js'
import { addressOn, isPossiblePhone } from '../../core/people/address.js'
import { asStanding } from '../../core/people/heard.js'
import type { PersonIdentity } from '../../core/people/person.js'
import type { Clock } from '../../runtime/clock.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { StoreFailed } from '../../runtime/store/contract.js'
import { sleep, withTimeout } from '../../runtime/time.js'
import type { AskedSend, SendHow } from './admission.js'
import type { sendCommands } from './commands.js'
import type { OutreachConversations } from './conversations.js'
import type { SendMeters } from './meters.js'
import type { SendQueries } from './queries.js'
import type { CreateResult } from './schema.js'

export interface CreateHow extends SendHow {
  /** Decides everything and writes nothing. */
  readonly isDryRun?: boolean
  /** How long the caller waits; then nobody knows whether it was accepted, and the same key tells. */
  readonly answerMs?: number
}

/**
 * `create` decides and, unless it refuses, commits before it answers. Only sends that are not named are ever postponed.
 * A refusal has changed nothing but for `agent.outreach_send.upstream` and `…timeout`: after these it is not known.
 */
export interface Sends {
  create(
    place: AgentPlace,
    request: SendRequest,
    by: Actor | undefined,
    how?: CreateHow,
  ): Promise<CreateResult | Postponed | Refusal>
  sendOf(place: AgentPlace, sendId: string): Promise<Send | Refusal>
}

export interface SendsDeps {
  readonly shards: Shards
  readonly commands: Pick<ReturnType<typeof sendCommands>, 'accept'>
  readonly queries: Pick<SendQueries, 'dryRun' | 'locate' | 'record' | 'rehearsal'>
  readonly conversations: Pick<OutreachConversations, 'asidOf' | 'standing'>
  readonly clock: Clock
  readonly meters?: Pick<SendMeters, 'asked'>
}

const upstream = refuse('agent.outreach_send.upstream')
const timeout = refuse('agent.outreach_send.timeout')

export function createSends(options: SendsDeps): Sends {
  const { shards, commands, queries, conversations, clock } = options
  const atPhone = identitiesBy(conversations.asidOf)

  async function created(
    place: AgentPlace,
    request: SendRequest,
    by: Actor | undefined,
    { isDryRun = false, answerMs = limits.answerMs, ...how }: CreateHow,
  ): Promise<CreateResult | Postponed | Refusal> {
    const owner = agentKeyOf(place)
    const patientUntil = clock.now() + answerMs
    const identity = identityOf(place, request)
    if (isRefusal(identity)) return identity
    const asid = identity?.asid ?? (await namedAsid(owner, place, request))
    if (isRefusal(asid)) return asid
    const standing = asid === undefined ? undefined : await conversations.standing(asid)
    if (isRefusal(standing)) return standing
    // A number that has a conversation exists, however few digits it has.
    if (identity && !standing?.of && !isPossiblePhone(identity.address)) return invalidAddress
    const phones = isDryRun ? [] : await phonesIn(place, request, asid)
    if (isRefusal(phones)) return phones
    const meant = identity ?? (request.recipient.kind === 'asid' ? identityIn(standing, place, asid!) : undefined)
    const { of: _whose, ...stands } = standing ?? { isOptedOut: false }
    const asked: AskedSend = {
      request,
      ...place,
      ...how,
      ...(meant && { identity: meant }),
      ...(phones.length > 0 && { phones }),
      ...(standing && { standing: { asid: asid!, ...stands } }),
    }
    if (isDryRun) return shards.read(owner, queries.dryRun, { at: clock.now(), ...asked })
    const answer = await shards.ask(owner, commands.accept, asked, by ? { by } : {})
    if (request.recipient.kind === 'persona' && 'sendId' in answer) {
      await rehearsed(owner, { sendId: answer.sendId!, ...place }, patientUntil)
    }
    return answer
  }

  function identityOf(place: AgentPlace, { recipient }: SendRequest) {
    if (recipient.kind === 'person' && recipient.channel !== undefined && !isOutreachChannel(recipient.channel)) {
      return unavailable(recipient.channel)
    }
    if (recipient.kind !== 'address') return undefined
    const checked = checkedAddress(recipient.channel, recipient.address, addressOn)
    if (isRefusal(checked)) return checked
    const { channel, address }: { channel: ChannelName; address: string } = checked
    return { asid: conversations.asidOf(place, channel, address), channel, address }
  }

  async function namedAsid(
    owner: string,
    place: AgentPlace,
    { recipient }: SendRequest,
  ): Promise<string | undefined | Refusal> {
    if (recipient.kind === 'asid') return recipient.asid
    if (recipient.kind !== 'person') return undefined
    const { personId, channel } = recipient
    const found = await shards.read(owner, queries.locate, {
      ...place,
      personId,
      ...(channel !== undefined && { channel }),
    })
    return isRefusal(found) ? found : found.asid
  }

  /**
   * Where people are written to at the phones that the request writes. Which of them becomes the recipient's phone is
   * decided later; the conversation of the identity that is sent to is asked anyway.
   */
  async function phonesIn(
    place: AgentPlace,
    { recipient, inputs, profile }: SendRequest,
    sentTo: string | undefined,
  ): Promise<readonly PersonIdentity[] | Refusal> {
    if (recipient.kind === 'persona') return []
    const identities = new Map<string, PersonIdentity>()
    for (const text of [inputs?.phone, profile?.phone]) {
      const identity = text ? atPhone(place, text) : undefined
      if (!identity || identity.asid === sentTo || identities.has(identity.asid)) continue
      const standing = await conversations.standing(identity.asid)
      if (isRefusal(standing)) return standing
      identities.set(identity.asid, asStanding(identity, standing.optedOutAt))
    }
    return [...identities.values()]
  }

  /** A rehearsal has been dispatched when its caller hears of it. */
  async function rehearsed(
    owner: string,
    which: AgentPlace & { readonly sendId: string },
    until: number,
  ): Promise<void> {
    while (clock.now() < until) {
      const found = await shards.read(owner, queries.rehearsal, which)
      if (isRefusal(found) || !found.isUnderWay) return
      await sleep(clock, limits.rehearsalLookMs)
    }
  }

  return {
    async create(place, request, by, how = {}) {
      const answer = await answerWithin(clock, how.answerMs ?? limits.answerMs, created(place, request, by, how))
      options.meters?.asked(answer, how.isDryRun ?? false)
      return answer
    },
    sendOf: (place, sendId) => shards.read(agentKeyOf(place), queries.record, { ...place, sendId }),
  }
}

/** What the conversation knows of an asid, if it is one of that agent's. */
function identityIn(standing: Standing | undefined, place: AgentPlace, asid: string): AskedSend['identity'] {
  const { agent, channel, address } = standing?.of ?? {}
  return agent && agentKeyOf(agent) === agentKeyOf(place) ? { asid, channel: channel!, address: address! } : undefined
}

/** Whatever keeps the agent from answering is told as one of two things, and nothing of it is the caller's fault. */
async function answerWithin<T>(clock: Clock, ms: number, work: Promise<T | Refusal>): Promise<T | Refusal> {
  try {
    const answer = await withTimeout(clock, ms, work, timeout)
    return isRefusal(answer) && answer.refused === 'service.unavailable' ? upstream : answer
  } catch (error) {
    if (error instanceof StoreFailed) return upstream
    throw error
  }
}
