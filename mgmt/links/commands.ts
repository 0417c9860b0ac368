/** The commands and queries of outreach links, and what happens to a link when its binding or its agent is deleted. */
import type { Section } from '../../core/agent/index.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { ContentMessage } from '../../core/amf/index.js'
import type { ChannelName } from '../../core/channelnames.js'
import { invalid, isRefusal, refuse } from '../../core/errors.js'
import { outreachLink as limits } from '../../core/limits.js'
import { type Greeted, greetingOf } from '../../core/links/greeting.js'
import { closedBecause, type Link, type LinkWish, linkFrom, switched, withoutBinding } from '../../core/links/link.js'
import { newPerson } from '../../core/people/change.js'
import type { Person } from '../../core/people/person.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documents.js'
import { findAgent } from '../agents/store.js'
import { bindingAt } from '../channels/store.js'
import { sendSections } from '../outreach/admission.js'
import type { Personas } from '../sandbox/commands.js'
import type { AgentLook } from './page.js'
import { linkAt, linkCodes, linksOf, linkTable, type OneLink, ownerOfCode, redemptionTable } from './store.js'

/** Only rcs keeps people from writing first, so links are for it alone. */
export const linkChannel = 'rcs' as const satisfies ChannelName
export const startEffect = 'linkStart'

/** Somebody who entered their number. */
export interface Redeeming extends OneLink {
  readonly asid: string
  readonly address: string
}

/** What the effect of a redemption works with. */
export interface LinkStart extends Redeeming {
  readonly openingId: string
}

/** What a persona is opened with. */
export interface Rehearsal {
  readonly speaker: { readonly asid: string; readonly channel: ChannelName; readonly address: string }
  readonly message: ContentMessage
}

const notFound = refuse('resource.not_found')
const unavailable = (detail: string) => refuse('agent.outreach_link.unavailable', { detail })
const asked = { status: 400 } as const

/** All that a greeting is written by. */
const sections: readonly Section[] = [...sendSections, 'playbooks']

export interface LinksDeps {
  readonly documents: Pick<AgentDocuments, 'load'>
  readonly personas: Pick<Personas, 'personOf' | 'speakerOf'>
}

export function createLinkCommands({ documents, personas }: LinksDeps) {
  function closed(reader: Reader, place: AgentPlace, link: Link, at: number): string | undefined {
    return closedBecause(link, at, bindingAt(reader, { ...place, bindingId: link.bindingId })?.status === 'Active')
  }

  function greeting(reader: Reader, place: AgentPlace, person: Person): Greeted | undefined {
    const known = documents.load(reader, place, sections)
    return known && greetingOf({ ...known, person })
  }

  const create: Command<OneLink & { readonly code: string; readonly wish: LinkWish }, Link> = {
    name: 'links.create',
    decide(tx, { orgId, agentId, linkId, code, wish }, { at }) {
      const place = { orgId, agentId }
      if (!findAgent(tx, place)) return notFound
      if (bindingAt(tx, { ...place, bindingId: wish.bindingId })?.channel !== linkChannel) {
        return invalid('bindingId', `must be an ${linkChannel} binding of this agent`, asked)
      }
      if (linksOf(tx, place).length >= limits.perAgent) {
        return invalid('bindingId', `the agent has ${limits.perAgent} links already: delete some first`, asked)
      }
      const link = linkFrom(wish, { id: linkId, code, at })
      if (!isRefusal(link)) tx.put(linkTable, [orgId, agentId, linkId], link)
      return link
    },
  }

  const change: Command<OneLink & { readonly disabled: boolean }, Link> = {
    name: 'links.change',
    decide(tx, { disabled, ...place }) {
      const before = linkAt(tx, place)
      if (!before) return notFound
      const after = switched(before, disabled)
      tx.put(linkTable, [place.orgId, place.agentId, place.linkId], after)
      return after
    },
  }

  function dropped(tx: Tx, { orgId, agentId }: AgentPlace, { id, code }: Link): void {
    tx.remove(linkTable, [orgId, agentId, id])
    tx.remove(redemptionTable, [orgId, agentId, id])
    tx.tell(ownerOfCode(code), linkCodes.remove, { code })
  }

  const remove: Command<OneLink, true> = {
    name: 'links.remove',
    decide(tx, place) {
      const link = linkAt(tx, place)
      if (!link) return notFound
      dropped(tx, place, link)
      return true
    },
  }

  /** Takes a use for a number that is new to the link, and has the agent write to it, whoever it belongs to. */
  const redeem: Command<Redeeming, true> = {
    name: 'links.redeem',
    decide(tx, { orgId, agentId, linkId, asid, address }, { at, mint }) {
      const place = { orgId, agentId }
      const link = linkAt(tx, { ...place, linkId })
      if (!link) return notFound
      const why = closed(tx, place, link, at)
      if (why) return unavailable(why)
      const { redeemed } = tx.get(redemptionTable, [orgId, agentId, linkId]) ?? { redeemed: [] }
      if (!redeemed.some((each) => each.asid === asid)) {
        tx.put(redemptionTable, [orgId, agentId, linkId], { redeemed: [...redeemed, { asid, at }] })
        tx.put(linkTable, [orgId, agentId, linkId], { ...link, uses: link.uses + 1 })
      }
      const payload: LinkStart = { ...place, linkId, asid, address, openingId: mint('lnk') }
      tx.effect({ kind: startEffect, payload, destination: asid })
      return true
    },
  }

  const list: Query<AgentPlace, readonly Link[]> = {
    name: 'links.list',
    read: (reader, place) => (findAgent(reader, place) ? linksOf(reader, place) : notFound),
  }

  /** What the page shows of the agent; a refusal while the link is closed. */
  const entry: Query<OneLink & { readonly at: number }, AgentLook> = {
    name: 'links.entry',
    read(reader, { orgId, agentId, linkId, at }) {
      const place = { orgId, agentId }
      const link = linkAt(reader, { ...place, linkId })
      const known = documents.load(reader, place, sections)
      if (!link || !known) return notFound
      const why = closed(reader, place, link, at)
      if (why) return unavailable(why)
      const { brandColor, smallLogoUrl: logoUrl } = known.document.identity ?? {}
      return {
        name: known.agent.name,
        ...(brandColor !== undefined && { brandColor }),
        ...(logoUrl !== undefined && { logoUrl }),
      }
    },
  }

  const rehearsal: Query<OneLink & { readonly personaId: string; readonly at: number }, Rehearsal> = {
    name: 'links.rehearsal',
    read(reader, { orgId, agentId, linkId, personaId, at }) {
      const place = { orgId, agentId }
      const link = linkAt(reader, { ...place, linkId })
      if (!link) return notFound
      const speaker = personas.speakerOf(reader, place, personaId)
      if (isRefusal(speaker)) return speaker
      const why = closed(reader, place, link, at)
      if (why) return unavailable(why)
      const greeted = greeting(reader, place, personas.personOf(reader, place, personaId)!)
      return greeted ? { speaker, message: greeted.message } : notFound
    },
  }

  /** Called in the commit that deletes a binding. */
  function onBindingRemoved(tx: Tx, place: AgentPlace, bindingId: string): void {
    for (const link of linksOf(tx, place)) {
      if (link.bindingId === bindingId) tx.put(linkTable, [place.orgId, place.agentId, link.id], withoutBinding(link))
    }
  }

  /** Called in the commit that deletes an agent. */
  function removed(tx: Tx, place: AgentPlace): void {
    for (const link of linksOf(tx, place)) dropped(tx, place, link)
  }

  /** What somebody is greeted with whom the agent knows nothing of; undefined once link or agent is gone. */
  function startOf(reader: Reader, { orgId, agentId, linkId }: OneLink): Greeted | undefined {
    const place = { orgId, agentId }
    return linkAt(reader, { ...place, linkId }) && greeting(reader, place, stranger)
  }

  const commands = { create, change, remove, redeem }
  const queries = { list, entry, rehearsal }
  return { commands, queries, onBindingRemoved, removed, startOf }
}
export type LinkCommands = ReturnType<typeof createLinkCommands>

const stranger = newPerson('', 'link', 0)
