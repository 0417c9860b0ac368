/** Keeps a person who was entered or changed together with the identity that their phone gives them. */
import type { AgentPlace } from '../../core/agentkey.js'
import { mergedPeople } from '../../core/people/merging.js'
import { isUnnamed, withoutFormerNumber } from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { People } from './door.js'
import { handOver } from './journal.js'
import { aliasTable, erase, personOfAsid, type Realm } from './store.js'

/**
 * An identity that another person holds stays theirs, unless nothing but identities is known of that person: then the two
 * are one, and the record that was entered stays. Answers the person as kept.
 */
export function keepReachable(
  door: Pick<People, 'keep'>,
  tx: Tx,
  { place, realm }: { readonly place: AgentPlace; readonly realm: Realm },
  before: Person | undefined,
  after: Person,
  identity: PersonIdentity | undefined,
  told: Told,
): Person {
  let person = withoutFormerNumber(before, after)
  if (identity && !person.identities.some(({ asid }) => asid === identity.asid)) {
    const holder = personOfAsid(tx, realm, identity.asid)
    if (!holder) person = { ...person, identities: [...person.identities, identity] }
    else if (holder.id !== person.id && isUnnamed(holder)) person = takeOver(tx, realm, person, holder, told.at)
  }
  if (person !== before) door.keep(tx, place, before, person, told)
  return person
}

/** One record goes and the other takes over what is told of it; its id leads to the one that stays. */
export function takeOver(tx: Tx, realm: Realm, stays: Person, goes: Person, at: number): Person {
  erase(tx, realm, goes)
  handOver(tx, realm, goes.id, stays.id)
  tx.put(aliasTable, [...realm, goes.id], stays.id)
  return mergedPeople(stays, goes, at)
}
