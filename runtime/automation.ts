/** Puts automation over people, sends and the agent's document. */
import { isRefusal } from '../core/errors.js'
import { usualSending } from '../core/outreach/settings.js'
import type { AgentDocuments } from '../mgmt/agents/documents.js'
import { findAgent } from '../mgmt/agents/store.js'
import { type Doors, sectionsOfAutomation } from '../mgmt/automation/needs.js'
import { type OpenAutomation, openAutomation } from '../mgmt/automation/open.js'
import type { OutreachParts } from '../mgmt/outreach/open.js'
import type { OpenPeople } from '../mgmt/people/commands.js'

export interface AutomatingOptions {
  /** Asked for when something is decided, since each of them listens to automation. */
  readonly people: () => OpenPeople
  readonly documents: () => AgentDocuments
  readonly outreach: () => OutreachParts
  readonly log: Doors['log']
  readonly timeScale: number
}

export function automating({ people, documents, outreach, log, timeScale }: AutomatingOptions): OpenAutomation {
  return openAutomation({
    agents: {
      serialOf: (reader, place) => findAgent(reader, place)?.serial,
      read: (reader, place) => documents().load(reader, place, sectionsOfAutomation),
    },
    people: {
      byId: (...which) => people().door.byId(...which),
      keepAppointment: (...kept) => people().door.keepAppointment(...kept),
    },
    sends: {
      accept: (tx, asked, told) => outreach().commands.accept.decide(tx, asked, told),
      sendingOf(reader, place) {
        const found = outreach().queries.sending.read(reader, place)
        return isRefusal(found) ? usualSending : found
      },
    },
    ...(log && { log }),
    timeScale,
  })
}
