/** Admission of sends: the decision by the state of the agent's shard alone, for real sends and for dry runs. */

import type { AgentDocument, Section } from '../../core/agent/index.js'
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { refuse } from '../../core/errors.js'
import { type AdmissionResult, admitSend, chooseIdentity } from '../../core/outreach/admission.js'
import type { Hours } from '../../core/outreach/hours.js'
import type { SendRequest } from '../../core/outreach/request.js'
import type { SendOrigin } from '../../core/outreach/send.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import type { AgentRecord } from '../agents/store.js'
import type { People } from '../people/people.js'
import type { Personas } from '../sandbox/commands.js'
import { isMarketingUnderWay } from './marketing.js'
import { sendingOf } from './store.js'

/** Where a send comes from besides its caller, and the settings that come with it. */
export interface SendOptions {
  readonly origin?: SendOrigin
  readonly campaignId?: string
  readonly automatedOutreachId?: string
  readonly sendWindow?: Hours
  readonly ignoresSafeHours?: boolean
}

/** A send as the agent's shard receives it. */
export interface SendInput extends AgentRef, SendOptions {
  readonly request: SendRequest
  /** The identity of an address, or of an asid that its conversation knows. */
  readonly identity?: { readonly asid: string; readonly channel: ChannelName; readonly address: string }
  /** Identities at the phones that the request writes, with the consent state of their conversations. */
  readonly phones?: readonly PersonIdentity[]
  /** The consent state that the conversation answered; absent for a persona. */
  readonly consentState?: { readonly asid: string; readonly isOptedOut: boolean; readonly lastInboundAt?: number }
}

/** The sections of an agent's document that admission and openers read. */
export const sendSections = [
  'outreach',
  'messageTemplates',
  'peopleFields',
  'things',
  'collections',
  'media',
  'identity',
] as const satisfies readonly Section[]

export interface AdmissionDeps {
  readonly documents: Pick<AgentDocuments, 'load'>
  readonly people: People
  readonly personas: Pick<Personas, 'personOf'>
  readonly timeScale: number
}

/** The agent's records as sends read them. */
export interface AgentSnapshot {
  readonly agentRef: AgentIncarnation
  readonly document: AgentDocument
  readonly agent: AgentRecord
}

export const agentNotFound = refuse('agent.not_found')

export function loadAgent(
  { documents }: Pick<AdmissionDeps, 'documents'>,
  reader: Reader,
  agentRef: AgentRef,
): AgentSnapshot | undefined {
  const loaded = documents.load(reader, agentRef, sendSections)
  if (!loaded) return undefined
  const { orgId, agentId } = agentRef
  return {
    document: loaded.document,
    agent: loaded.agent,
    agentRef: { orgId, agentId, incarnation: loaded.agent.incarnation },
  }
}

/** The agent of this incarnation; undefined for a later agent of the same id. */
export function loadIncarnation(
  deps: Pick<AdmissionDeps, 'documents'>,
  reader: Reader,
  agentRef: AgentIncarnation,
): AgentSnapshot | undefined {
  const snapshot = loadAgent(deps, reader, agentRef)
  return snapshot?.agentRef.incarnation === agentRef.incarnation ? snapshot : undefined
}

export function findRecipient(
  deps: AdmissionDeps,
  reader: Reader,
  { agentRef }: Pick<AgentSnapshot, 'agentRef'>,
  { request: { recipient }, identity }: SendInput,
): Person | undefined {
  switch (recipient.kind) {
    case 'address':
      return (
        identity &&
        (deps.people.byAsid(reader, agentRef, identity.asid) ?? deps.people.byNumber(reader, agentRef, identity))
      )
    case 'asid':
      return (
        deps.people.byAsid(reader, agentRef, recipient.asid) ??
        (identity && deps.people.byNumber(reader, agentRef, identity))
      )
    case 'person':
      return deps.people.byId(reader, agentRef, recipient.personId)
    case 'persona':
      return deps.personas.personOf(reader, agentRef, recipient.personaId)
  }
}

export function evaluate(
  { timeScale }: AdmissionDeps,
  reader: Reader,
  { agentRef, document }: AgentSnapshot,
  input: SendInput,
  person: Person | undefined,
  { at, personId }: { readonly at: number; readonly personId: string },
): AdmissionResult {
  const { request, origin = 'named', identity, sendWindow, ignoresSafeHours } = input
  const own = person?.sandbox ? person.identities[0] : undefined
  const consentState = input.consentState ?? { asid: own?.asid ?? '', isOptedOut: false }
  return admitSend({
    request,
    origin,
    document,
    sending: sendingOf(reader, scopeOf(agentRef)),
    at,
    timeScale,
    ...(person && { person }),
    ...(identity && { identity }),
    personId,
    consentState,
    ...(sendWindow && { sendWindow }),
    ...(ignoresSafeHours !== undefined && { ignoresSafeHours }),
    ...(person && isMarketingUnderWay(reader, scopeOf(agentRef), person) && { isMarketingUnderWay: true }),
  })
}

/**
 * The identity at which the send reaches a person, so that the caller can query its conversation before the decision.
 */
export function locateQuery({
  people,
}: AdmissionDeps): Query<
  AgentRef & { readonly personId: string; readonly channel?: string },
  { readonly asid?: string }
> {
  return {
    name: 'outreach.locate',
    read(reader, { orgId, agentId, personId, channel }) {
      const person = people.byId(reader, { orgId, agentId }, personId)
      const chosen = person && !person.sandbox && chooseIdentity(person, channel)
      return chosen ? { asid: chosen.asid } : {}
    },
  }
}
