/** Puts campaigns over people, sends, personas, bindings and the agent's document. */
import { windowBeside } from '../core/campaign/pace.js'
import { bulkPace } from '../core/channel/throttle.js'
import type { OrgEventPayload } from '../core/orgevents.js'
import type { AgentDocuments } from '../mgmt/agents/documents.js'
import { findAgent } from '../mgmt/agents/store.js'
import { sectionsOfCampaigns } from '../mgmt/campaigns/needs.js'
import { type CampaignArea, openCampaignArea } from '../mgmt/campaigns/open.js'
import { bindingsOf, channelRoutesOf } from '../mgmt/channels/store.js'
import type { PersonaDoor } from '../mgmt/outreach/needs.js'
import type { OutreachParts } from '../mgmt/outreach/open.js'
import type { OpenPeople } from '../mgmt/people/commands.js'
import type { Adapters } from './conversation/context.js'
import type { RouteMeters } from './http/metrics.js'
import type { Command } from './shard/contract.js'

export interface CampaigningOptions {
  /** Asked for when something is decided, since each of them listens to campaigns. */
  readonly people: () => OpenPeople
  readonly documents: () => AgentDocuments
  readonly outreach: () => OutreachParts
  readonly personas: () => PersonaDoor
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly adapters: () => Adapters
  readonly timeScale: number
  readonly requestMeters: Pick<RouteMeters, 'callsPerSecond'>
}

export function campaigns({
  people,
  documents,
  outreach,
  personas,
  adapters,
  requestMeters,
  ...rest
}: CampaigningOptions): CampaignArea {
  const sends = () => outreach().campaigning
  return openCampaignArea({
    ...rest,
    window: () => windowBeside(requestMeters.callsPerSecond('mgmt')),
    agents: {
      serialOf: (reader, place) => findAgent(reader, place)?.serial,
      read: (reader, place) => documents().load(reader, place, sectionsOfCampaigns),
      pacesOf: (reader, place) =>
        channelRoutesOf(reader, place).channels.map(({ channel, provider }) => {
          const perSecond = bulkPace(adapters()(channel, provider)?.descriptor ?? {})
          return { channel, provider, ...(perSecond !== undefined && { perSecond }) }
        }),
      boundTo: (reader, place) => bindingsOf(reader, place).map(({ channel }) => channel),
    },
    people: {
      byId: (...which) => people().door.byId(...which),
      look: (...which) => people().door.look(...which),
    },
    personas: { personOf: (...which) => personas().personOf(...which) },
    sends: {
      launch: (...made) => sends().launch(...made),
      report: (...made) => sends().report(...made),
      resume: (...which) => sends().resume(...which),
      cancel: (...which) => sends().cancel(...which),
      mayBeHandedOver: (...which) => sends().mayBeHandedOver(...which),
      sendAt: (...which) => sends().sendAt(...which),
      sendingOf: (...which) => sends().sendingOf(...which),
      isMarketingUnderWay: (...which) => sends().isMarketingUnderWay(...which),
    },
  })
}
