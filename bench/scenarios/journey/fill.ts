/** Writes people and their past sends to the disk of a stopped node, with the node's own functions. */
import type { AgentScope } from '../../../core/agent/scope.js'
import { type AgentRef, formatAgentKey } from '../../../core/agentref.js'
import { sendIdAt } from '../../../core/outreach/ids.js'
import { callerKey } from '../../../core/outreach/key.js'
import { newPerson } from '../../../core/people/change.js'
import { personIdAt } from '../../../core/people/ids.js'
import type { Person } from '../../../core/people/person.js'
import { withInputs, withProfile } from '../../../core/people/profile.js'
import { findAgent } from '../../../mgmt/agents/store.js'
import { capabilityTable, keyTable, type StoredSend, saveSend } from '../../../mgmt/outreach/store.js'
import { putPerson as writePerson } from '../../../mgmt/people/store.js'
import { createAsidOf } from '../../../runtime/conversation/asid.js'
import { checkRootKey } from '../../../runtime/secrets/rootsecrets.js'
import { deriveKey } from '../../../runtime/secrets/seal.js'
import type { Tx } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Space, Write } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { shards } from '../store/settings.js'
import { filledPhoneOf, outreachId, step } from './fixtures.js'
import type { NodeSetup } from './node.js'

const peoplePerCommit = 20_000
/** Consecutive times; the last of them is a day ago. */
const agoMs = 86_400_000

/** `write` writes the records of one person. */
export async function fillPeople(
  { dir, rootKey }: NodeSetup,
  agent: AgentRef,
  people: number,
  write: (tx: Tx, scope: AgentScope, person: Person, nth: number) => void,
): Promise<void> {
  const store = await openStore({ dir, shards, durability: 'synced' })
  try {
    const space = store.space(shardOf(formatAgentKey(agent), shards))
    const record = findAgent(space, agent)
    if (!record) throw new Error('the agent is not on this disk')
    const verdict = checkRootKey(store, shards, rootKey)
    if (typeof verdict === 'string') throw new Error(`the root key is ${verdict} on this disk`)
    const asidOf = createAsidOf(deriveKey(verdict.secrets.identity, 'asids'))
    const startAt = Date.now() - agoMs - people
    for (let first = 0; first < people; first += peoplePerCommit) {
      const { tx, rows } = createCollector()
      for (let nth = first; nth < Math.min(people, first + peoplePerCommit); nth++) {
        const phone = filledPhoneOf(nth)
        const person = personOf(nth, phone, asidOf(formatAgentKey(agent), 'rcs', phone), startAt + nth)
        write(tx, [agent.orgId, agent.agentId, record.incarnation], person, nth)
      }
      await space.commit(encodeSorted(space, rows))
    }
  } finally {
    await store.close()
  }
}

export function fill(setup: NodeSetup, agent: AgentRef, people: number): Promise<void> {
  return fillPeople(setup, agent, people, (tx, scope, person, nth) => {
    writePerson(tx, scope, undefined, person)
    const send = sendTo(person, nth)
    saveSend(tx, scope, send)
    tx.put(keyTable, [...scope, ...callerKey(send.key!)], send.id)
    tx.put(capabilityTable, [...scope, send.asid], { isCapable: true, until: send.sentAt! + agoMs * 7 })
  })
}

function personOf(nth: number, phone: string, asid: string, at: number): Person {
  const made = {
    ...newPerson(personIdAt(at, paddedId(nth)), 'journey', at),
    identities: [{ asid, channel: 'rcs', address: phone }],
  } as const
  const profile = { phone, firstName: 'Ada', lastName: `Lovelace ${nth}`, email: `ada.past.${nth}@example.com` }
  const profiled = withProfile(made, profile, 'fill', at)
  return {
    outreach: { received: [outreachId] },
    ...withInputs(profiled, { plan: 'Household 500', renewsOn: '1 November' }, at),
  }
}

function sendTo({ id: personId, identities, createdAt: at }: Person, nth: number): StoredSend {
  const [identity] = identities
  return {
    id: sendIdAt(at, paddedId(nth)),
    outreachId,
    origin: 'named',
    personId,
    state: 'sent',
    ...{ asid: identity!.asid, channel: identity!.channel, address: identity!.address },
    ...{ queuedAt: at, sentAt: at + 60_000, attempts: 1, messageId: `msg_${paddedId(nth)}` },
    receipts: { sentAt: at + 60_000, deliveredAt: at + 61_000 },
    consent: { claimed: 'yes', recorded: 'new', evidence: "The journey's consent.sms was y." },
    inputs: { plan: 'Household 500', renewsOn: '1 November' },
    key: ['journey', step.versionId, step.nodeId, `past-${String(nth).padStart(10, '0')}`, outreachId].join(':'),
  }
}

/** Sixteen characters, the length of a generated id. */
function paddedId(nth: number): string {
  return String(nth).padStart(16, '0')
}

function createCollector(): { tx: Tx; rows: Write[] } {
  const rows: Write[] = []
  const tx = {
    get: () => undefined,
    put: (table: Write['table'], key: Write['key'], value: unknown) => void rows.push({ table, key, value }),
  }
  return { tx: tx as unknown as Tx, rows }
}

/** In the order of their keys, so that each table of the file grows at one end. */
function encodeSorted(space: Space, rows: readonly Write[]) {
  return space.encode(rows).sort((a, b) => Buffer.compare(a.key, b.key))
}
