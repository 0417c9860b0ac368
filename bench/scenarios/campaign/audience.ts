/** Puts an audience on the disk of a node that is not running: people on rcs who agreed to be written to. */
import type { AgentRef } from '../../../core/agentref.js'
import type { Person } from '../../../core/people/person.js'
import { putPerson as writePerson } from '../../../mgmt/people/store.js'
import { fillPeople } from '../journey/fill.js'
import type { NodeSetup } from '../journey/node.js'

export function fillAudience(setup: NodeSetup, agent: AgentRef, people: number): Promise<void> {
  return fillPeople(setup, agent, people, (tx, scope, person) => writePerson(tx, scope, undefined, withConsent(person)))
}

/** Nothing was ever sent to them. */
function withConsent({ outreach: _past, ...person }: Person): Person {
  return { ...person, consent: { status: 'granted', updatedAt: person.createdAt } }
}
