/** Dependencies of automation. */
import type { Section } from '../../core/agent/index.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import type { Outreach } from '../outreach/index.js'
import type { AgentLog } from '../outreach/transitions.js'
import type { People } from '../people/people.js'

/** The sections of an agent's document that runs and reminders read. */
export const automationSections = [
  'outreach',
  'peopleFields',
  'scheduling',
  'identity',
] as const satisfies readonly Section[]

export interface AutomationDeps {
  readonly documents: Pick<AgentDocuments, 'load'>
  readonly people: Pick<People, 'byId' | 'saveAppointment'>
  readonly outreach: Pick<Outreach, 'commands'>
  readonly conversations: Pick<OutreachConversations, 'consentOf' | 'open'>
  readonly log?: AgentLog
  readonly clock: { now(): number }
  readonly timeScale: number
}
