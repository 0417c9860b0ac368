/** Pending sign-ins: started once, consumed once, and removed when they expire. */
import { refuse } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits/index.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'
import type { PendingRef } from './state.js'
import { type Holder, keyOf, type PendingSignIn, pendingTable } from './store.js'

export type NewSignIn = Omit<PendingSignIn, 'expiresAt'> & { readonly stateHash: string }

const notFound = refuse('resource.not_found')
const timerName = (stateHash: string) => `connections.pending:${stateHash}`

/** A sign-in beyond the limit removes the oldest, which was most likely abandoned. */
const begin: Command<NewSignIn, true> = {
  name: 'connections.begin',
  decide(tx, { stateHash, ...signIn }, { at }) {
    const { orgId, agentId } = signIn
    if (agentId !== undefined && !findAgent(tx, { orgId, agentId })) return notFound
    const pendingHashes = stateHashesOf(tx, signIn)
    for (const oldest of pendingHashes.slice(0, Math.max(0, pendingHashes.length + 1 - limits.pendingPerOwner))) {
      removePending(tx, signIn, oldest)
    }
    const expiresAt = at + limits.stateMs
    tx.put(pendingTable, [...keyOf(signIn), stateHash], { ...signIn, expiresAt })
    const input: PendingRef = { orgId, ...(agentId !== undefined && { agentId }), stateHash }
    tx.schedule({ name: timerName(stateHash), dueAt: expiresAt, command: expire.name, input })
    return true
  },
}

/** Consumes a pending sign-in: only one caller ever gets it. An expired one is not found. */
const consume: Command<PendingRef, PendingSignIn> = {
  name: 'connections.consume',
  decide(tx, { stateHash, ...holder }, { at }) {
    const pending = tx.get(pendingTable, [...keyOf(holder), stateHash])
    if (!pending || pending.expiresAt <= at) return notFound
    removePending(tx, holder, stateHash)
    return pending
  },
}

const expire: Command<PendingRef, true> = {
  name: 'connections.expire',
  decide(tx, { stateHash, ...holder }) {
    tx.remove(pendingTable, [...keyOf(holder), stateHash])
    return true
  },
}

export const pendingCommands = { begin, consume, expire }

function removePending(tx: Tx, holder: Holder, stateHash: string): void {
  tx.remove(pendingTable, [...keyOf(holder), stateHash])
  tx.unschedule(timerName(stateHash))
}

/** Oldest first. */
function stateHashesOf(reader: Reader, holder: Holder): string[] {
  const rows = Array.from(reader.range(pendingTable, { prefix: keyOf(holder) }))
  return rows.sort((a, b) => a.value.expiresAt - b.value.expiresAt).map(({ key: [, , stateHash] }) => stateHash)
}

export function removeAllPending(tx: Tx, holder: Holder): void {
  for (const stateHash of stateHashesOf(tx, holder)) removePending(tx, holder, stateHash)
}
