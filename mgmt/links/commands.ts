/** Commands and queries of outreach links, and the changes of a link when its binding or its agent is deleted. */
import type { Section } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import type { ContentMessage } from '../../core/amf/index.js'
import type { ChannelName } from '../../core/channelnames.js'
import { invalid, isRefusal, refuse } from '../../core/errors.js'
import { outreachLink as limits } from '../../core/limits/index.js'
import { buildGreeting, type GreetingMessage } from '../../core/links/greeting.js'
import {
  closedReason,
  createLink,
  disableDeletedBinding,
  type Link,
  type LinkRequest,
  setDisabled,
} from '../../core/links/link.js'
import { newPerson } from '../../core/people/change.js'
import type { Person } from '../../core/people/person.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import { findAgent } from '../agents/store.js'
import { getBinding } from '../channels/store.js'
import { sendSections } from '../outreach/admission.js'
import type { Personas } from '../sandbox/commands.js'
import type { AgentBranding } from './page.js'
import { type LinkRef, linkAt, linkCodes, linksOf, linkTable, ownerOfCode, redemptionTable } from './store.js'

/** Links exist for rcs only: on rcs a person cannot write first. */
export const linkChannel = 'rcs' as const satisfies ChannelName
export const startEffect = 'linkStart'

/** A phone number entered on the page of a link. */
export interface RedeemInput extends LinkRef {
  readonly asid: string
  readonly address: string
}

/** Input of the effect of a redemption. */
export interface LinkStart extends RedeemInput {
  readonly openingId: string
}

/** The identity and the first message of a persona's conversation. */
export interface PersonaOpener {
  readonly identity: { readonly asid: string; readonly channel: ChannelName; readonly address: string }
  readonly message: ContentMessage
}

const notFound = refuse('resource.not_found')
const unavailable = (detail: string) => refuse('agent.outreach_link.unavailable', { detail })
const badRequest = { status: 400 } as const

/** The sections of the agent's document that a greeting needs. */
const sections: readonly Section[] = [...sendSections, 'playbooks']

export interface LinksDeps {
  readonly documents: Pick<AgentDocuments, 'load'>
  readonly personas: Pick<Personas, 'personOf' | 'identityOf'>
}

export function createLinkCommands({ documents, personas }: LinksDeps) {
  function closed(reader: Reader, agent: AgentRef, link: Link, at: number): string | undefined {
    return closedReason(link, at, getBinding(reader, { ...agent, bindingId: link.bindingId })?.status === 'Active')
  }

  function greetingFor(reader: Reader, agent: AgentRef, person: Person): GreetingMessage | undefined {
    const snapshot = documents.load(reader, agent, sections)
    return snapshot && buildGreeting({ ...snapshot, person })
  }

  const create: Command<LinkRef & { readonly code: string; readonly request: LinkRequest }, Link> = {
    name: 'links.create',
    decide(tx, { orgId, agentId, linkId, code, request }, { at }) {
      const agent = { orgId, agentId }
      if (!findAgent(tx, agent)) return notFound
      if (getBinding(tx, { ...agent, bindingId: request.bindingId })?.channel !== linkChannel) {
        return invalid('bindingId', `must be an ${linkChannel} binding of this agent`, badRequest)
      }
      if (linksOf(tx, agent).length >= limits.perAgent) {
        return invalid('bindingId', `the agent has ${limits.perAgent} links already: delete some first`, badRequest)
      }
      const link = createLink(request, { id: linkId, code, at })
      if (!isRefusal(link)) tx.put(linkTable, [orgId, agentId, linkId], link)
      return link
    },
  }

  const change: Command<LinkRef & { readonly disabled: boolean }, Link> = {
    name: 'links.change',
    decide(tx, { disabled, ...linkRef }) {
      const before = linkAt(tx, linkRef)
      if (!before) return notFound
      const after = setDisabled(before, disabled)
      tx.put(linkTable, [linkRef.orgId, linkRef.agentId, linkRef.linkId], after)
      return after
    },
  }

  function removeLink(tx: Tx, { orgId, agentId }: AgentRef, { id, code }: Link): void {
    tx.remove(linkTable, [orgId, agentId, id])
    tx.remove(redemptionTable, [orgId, agentId, id])
    tx.send(ownerOfCode(code), linkCodes.remove, { code })
  }

  const remove: Command<LinkRef, true> = {
    name: 'links.remove',
    decide(tx, agent) {
      const link = linkAt(tx, agent)
      if (!link) return notFound
      removeLink(tx, agent, link)
      return true
    },
  }

  /**
   * Counts a use for a number that is new to the link, and has the agent write to that number. The command does not
   * check that the number belongs to the caller.
   */
  const redeem: Command<RedeemInput, true> = {
    name: 'links.redeem',
    decide(tx, { orgId, agentId, linkId, asid, address }, { at, mint }) {
      const agent = { orgId, agentId }
      const link = linkAt(tx, { ...agent, linkId })
      if (!link) return notFound
      const why = closed(tx, agent, link, at)
      if (why) return unavailable(why)
      const { redeemed } = tx.get(redemptionTable, [orgId, agentId, linkId]) ?? { redeemed: [] }
      if (!redeemed.some((each) => each.asid === asid)) {
        tx.put(redemptionTable, [orgId, agentId, linkId], { redeemed: [...redeemed, { asid, at }] })
        tx.put(linkTable, [orgId, agentId, linkId], { ...link, uses: link.uses + 1 })
      }
      const payload: LinkStart = { ...agent, linkId, asid, address, openingId: mint('lnk') }
      tx.emit({ kind: startEffect, payload, destination: asid })
      return true
    },
  }

  const list: Query<AgentRef, readonly Link[]> = {
    name: 'links.list',
    read: (reader, agent) => (findAgent(reader, agent) ? linksOf(reader, agent) : notFound),
  }

  /** The agent's branding for the page; a refusal while the link is closed. */
  const linkBranding: Query<LinkRef & { readonly at: number }, AgentBranding> = {
    name: 'links.entry',
    read(reader, { orgId, agentId, linkId, at }) {
      const agent = { orgId, agentId }
      const link = linkAt(reader, { ...agent, linkId })
      const snapshot = documents.load(reader, agent, sections)
      if (!link || !snapshot) return notFound
      const why = closed(reader, agent, link, at)
      if (why) return unavailable(why)
      const { brandColor, smallLogoUrl: logoUrl } = snapshot.document.identity ?? {}
      return {
        name: snapshot.agent.name,
        ...(brandColor !== undefined && { brandColor }),
        ...(logoUrl !== undefined && { logoUrl }),
      }
    },
  }

  const personaOpener: Query<LinkRef & { readonly personaId: string; readonly at: number }, PersonaOpener> = {
    name: 'links.personaOpening',
    read(reader, { orgId, agentId, linkId, personaId, at }) {
      const agent = { orgId, agentId }
      const link = linkAt(reader, { ...agent, linkId })
      if (!link) return notFound
      const identity = personas.identityOf(reader, agent, personaId)
      if (isRefusal(identity)) return identity
      const why = closed(reader, agent, link, at)
      if (why) return unavailable(why)
      const greeting = greetingFor(reader, agent, personas.personOf(reader, agent, personaId)!)
      return greeting ? { identity, message: greeting.message } : notFound
    },
  }

  /** Called in the commit that deletes a binding. */
  function onBindingRemoved(tx: Tx, agent: AgentRef, bindingId: string): void {
    for (const link of linksOf(tx, agent)) {
      if (link.bindingId === bindingId)
        tx.put(linkTable, [agent.orgId, agent.agentId, link.id], disableDeletedBinding(link))
    }
  }

  /** Called in the commit that deletes an agent. */
  function onAgentRemoved(tx: Tx, agent: AgentRef): void {
    for (const link of linksOf(tx, agent)) removeLink(tx, agent, link)
  }

  /** The greeting for a person without a record; undefined if the link or the agent no longer exists. */
  function startGreeting(reader: Reader, { orgId, agentId, linkId }: LinkRef): GreetingMessage | undefined {
    const agent = { orgId, agentId }
    return linkAt(reader, { ...agent, linkId }) && greetingFor(reader, agent, unknownPerson)
  }

  const commands = { create, change, remove, redeem }
  const queries = { list, linkBranding, personaOpener }
  return { commands, queries, onBindingRemoved, onAgentRemoved, startGreeting }
}
export type LinkCommands = ReturnType<typeof createLinkCommands>

const unknownPerson = newPerson('', 'link', 0)
