/** Writes an audience to the disk of a stopped node: people on rcs who granted consent. */
import type { AgentRef } from '../../../core/agentref.js'
import type { Person } from '../../../core/people/person.js'
import { putPerson as writePerson } from '../../../mgmt/people/store.js'
import { fillPeople } from '../journey/fill.js'
import type { NodeSetup } from '../journey/node.js'

export function fillAudience(setup: NodeSetup, agent: AgentRef, people: number): Promise<void> {
  return fillPeople(setup, agent, people, (tx, scope, person) => writePerson(tx, scope, undefined, withConsent(person)))
}

/** No send to them is on record. */
function withConsent({ outreach: _past, ...person }: Person): Person {
  return { ...person, consent: { status: 'granted', updatedAt: person.createdAt } }
}
