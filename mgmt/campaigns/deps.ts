/** Dependencies of campaigns. */
import type { Section } from '../../core/agent/index.js'
import type { DispatchWindow } from '../../core/campaign/throughput.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import type { Channels } from '../channels/index.js'
import type { BulkSends } from '../outreach/campaignsends.js'
import type { People } from '../people/people.js'
import type { Personas } from '../sandbox/commands.js'

/** The sections of an agent's document that validation and eligibility checks read. */
export const campaignSections = [
  'outreach',
  'messageTemplates',
  'peopleFields',
  'segments',
  'things',
  'collections',
  'media',
  'identity',
] as const satisfies readonly Section[]

export interface CampaignDeps {
  readonly documents: Pick<AgentDocuments, 'load'>
  readonly channels: Pick<Channels, 'throughputOf' | 'boundChannels' | 'drawTimes'>
  readonly people: Pick<People, 'byId' | 'scan'>
  readonly personas: Pick<Personas, 'personOf'>
  readonly bulkSends: BulkSends
  /** The command that sends an event to the org's webhooks. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly timeScale: number
  /** How many recipients of a campaign may be in flight at the moment. */
  readonly dispatchWindow: () => DispatchWindow
}
