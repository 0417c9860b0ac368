/** What campaigns work with. */
import type { Section } from '../../core/agent/index.js'
import type { Window } from '../../core/campaign/pace.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from '../agents/documents.js'
import type { Channels } from '../channels/index.js'
import type { BulkSends } from '../outreach/bulksends.js'
import type { People } from '../people/people.js'
import type { Personas } from '../sandbox/commands.js'

/** The sections of an agent's document that campaigns are judged and screened by. */
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
  readonly channels: Pick<Channels, 'pacesOf' | 'boundTo' | 'drawTimes'>
  readonly people: Pick<People, 'byId' | 'look'>
  readonly personas: Pick<Personas, 'personOf'>
  readonly bulkSends: BulkSends
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly timeScale: number
  /** How much of a campaign may be on its way just now. */
  readonly window: () => Window
}
