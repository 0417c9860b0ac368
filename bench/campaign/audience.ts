/** Puts an audience on the disk of a node that is not running: people on rcs who agreed to be written to. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Person } from '../../core/people/person.js'
import { write as writePerson } from '../../mgmt/people/store.js'
import { fillPeople } from '../journey/fill.js'
import type { NodePlace } from '../journey/node.js'

export function fillAudience(place: NodePlace, agent: AgentPlace, people: number): Promise<void> {
  return fillPeople(place, agent, people, (tx, home, person) => writePerson(tx, home, undefined, agreed(person)))
}

/** Nothing was ever sent to them. */
function agreed({ outreach: _past, ...person }: Person): Person {
  return { ...person, consent: { status: 'granted', updatedAt: person.createdAt } }
}
