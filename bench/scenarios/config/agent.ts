/** The agent of the config scenario: 200 playbooks with flows, 1,000 things and 2,000 facts, or a fraction of them. */
import { type AgentDocument, emptyDocument, importDocument } from '../../../core/agent/index.js'
import { isRefusal } from '../../../core/errors.js'
import { parsePhone } from '../../../mgmt/agents/phone.js'

const prose =
  'Say hello and find out what they want. Then show [[things: thing-1, thing-2]] or say [[template: welcome]]. '

function times<T>(count: number, make: (nth: number) => T): T[] {
  return Array.from({ length: count }, (_, nth) => make(nth))
}

/** The agent in the form of an import. `share` 1 is the large one; the references to `traced` do not depend on it. */
export function exportOf(share = 1) {
  const counts = { playbooks: 200 * share, things: 1_000 * share, facts: 2_000 * share }
  return {
    goals: [{ id: 'booked', name: 'A visit is booked', definition: { kind: 'event', event: 'appointment.booked' } }],
    playbooks: times(counts.playbooks, (nth) => ({
      id: `playbook-${nth}`,
      name: `Playbook ${nth}`,
      whenToUse: 'Somebody wants to come by.',
      body: prose.repeat(20),
      goal: { goalId: 'booked' },
      isDefault: nth === 0,
      flow: {
        slots: [{ name: 'mail', type: 'email', bind: 'person.email', validate: 'email' }],
        steps: [
          { say: 'template:welcome' },
          { id: 'ask', collect: ['mail'] },
          { say: { text: 'Done, {person.firstName}!', suggestions: ['Thanks', 'Another time'] } },
          { handoff: `playbook:playbook-${(nth + 1) % counts.playbooks}` },
        ],
      },
    })),
    messageTemplates: [{ id: 'welcome', name: 'Welcome', body: 'Hello {person.firstName|there}!' }],
    capabilities: {
      knowledge: {
        collections: [{ id: 'rooms', name: 'Rooms' }],
        things: times(counts.things, (nth) => ({
          id: `thing-${nth}`,
          name: `Room ${nth}`,
          description: 'Two beds, a view of the harbor, and breakfast until eleven. '.repeat(2),
          collections: ['rooms'],
        })),
        facts: times(counts.facts, (nth) => ({
          id: `fact-${nth}`,
          question: `Is room ${nth} free on Sundays?`,
          answer:
            nth < referringFacts
              ? `Only with [[things: ${traced}]].`
              : 'It is, from noon on. See [[template: welcome]].',
        })),
      },
    },
  }
}

/** A thing and the number of facts that reference it, the same in an agent of any size. */
export const traced = 'thing-7'
const referringFacts = 5

/** The items that are read and changed; an agent a tenth as large has the same. */
export const targets = { playbook: 'playbook-10', fact: 'fact-100' }

export function documentOf(share = 1): AgentDocument {
  const document = importDocument(emptyDocument, exportOf(share), { phone: parsePhone })
  if (isRefusal(document)) throw new Error(JSON.stringify(document))
  return document
}
