/** Puts an audience on the disk of a node that is not running: people on rcs who agreed to be written to. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { Person } from '../../core/people/person.js'
import { findAgent } from '../../mgmt/agents/store.js'
import { write as writePerson } from '../../mgmt/people/store.js'
import { asids } from '../../runtime/gateway/asid.js'
import { shardOf } from '../../runtime/shard/place.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { deriveKey } from '../../runtime/store/seal.js'
import { collecting, inOrder, personOf } from '../journey/fill.js'
import type { NodePlace } from '../journey/node.js'
import { filledPhoneOf } from '../journey/setting.js'
import { shards } from './setting.js'

const peoplePerCommit = 10_000
/** One after the other, the last of them a day ago. */
const agoMs = 86_400_000

export async function fillAudience({ dir, rootKey }: NodePlace, agent: AgentPlace, people: number): Promise<void> {
  const store = await openStore({ dir, shards, durability: 'synced' })
  try {
    const space = store.space(shardOf(agentKeyOf(agent), shards))
    const found = findAgent(space, agent)
    if (!found) throw new Error('the agent is not on this disk')
    const asidOf = asids(deriveKey(rootKey, 'asids'))
    const began = Date.now() - agoMs - people
    for (let first = 0; first < people; first += peoplePerCommit) {
      const { tx, rows } = collecting()
      for (let nth = first; nth < Math.min(people, first + peoplePerCommit); nth++) {
        const phone = filledPhoneOf(nth)
        const person = agreed(personOf(nth, phone, asidOf(agentKeyOf(agent), 'rcs', phone), began + nth))
        writePerson(tx, [agent.orgId, agent.agentId, found.serial], undefined, person)
      }
      await space.commit(inOrder(space, rows))
    }
  } finally {
    await store.close()
  }
}

/** Nothing was ever sent to them. */
function agreed({ outreach: _past, ...person }: Person): Person {
  return { ...person, consent: { status: 'granted', updatedAt: person.createdAt } }
}
