/** Sign-ins between their start and their end: begun once, taken once, and forgotten when their time is over. */
import { refuse } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'
import type { Marked } from './state.js'
import { type Holder, keyOf, type Pending, pendingTable } from './store.js'

export type BeginSignIn = Omit<Pending, 'expiresAt'> & { readonly mark: string }

const notFound = refuse('resource.not_found')
const timerOf = (mark: string) => `connections.pending:${mark}`

/** One more than may wait ends the oldest, whose person has most likely gone away. */
const begin: Command<BeginSignIn, true> = {
  name: 'connections.begin',
  decide(tx, { mark, ...about }, { at }) {
    const { orgId, agentId } = about
    if (agentId !== undefined && !findAgent(tx, { orgId, agentId })) return notFound
    const waiting = marksOf(tx, about)
    for (const oldest of waiting.slice(0, Math.max(0, waiting.length + 1 - limits.pendingPerOwner))) {
      forget(tx, about, oldest)
    }
    const expiresAt = at + limits.stateMs
    tx.put(pendingTable, [...keyOf(about), mark], { ...about, expiresAt })
    const input: Marked = { orgId, ...(agentId !== undefined && { agentId }), mark }
    tx.schedule({ name: timerOf(mark), dueAt: expiresAt, command: lapse.name, input })
    return true
  },
}

/** Whoever takes it is the only one who ever does; one whose time is over is nobody's any more. */
const take: Command<Marked, Pending> = {
  name: 'connections.take',
  decide(tx, { mark, ...holder }, { at }) {
    const pending = tx.get(pendingTable, [...keyOf(holder), mark])
    if (!pending || pending.expiresAt <= at) return notFound
    forget(tx, holder, mark)
    return pending
  },
}

const lapse: Command<Marked, true> = {
  name: 'connections.lapse',
  decide(tx, { mark, ...holder }) {
    tx.remove(pendingTable, [...keyOf(holder), mark])
    return true
  },
}

export const pendingCommands = { begin, take, lapse }

function forget(tx: Tx, holder: Holder, mark: string): void {
  tx.remove(pendingTable, [...keyOf(holder), mark])
  tx.unschedule(timerOf(mark))
}

/** Oldest first. */
function marksOf(reader: Reader, holder: Holder): string[] {
  const rows = Array.from(reader.range(pendingTable, { prefix: keyOf(holder) }))
  return rows.sort((a, b) => a.value.expiresAt - b.value.expiresAt).map(({ key: [, , mark] }) => mark)
}

export function forgetAllPending(tx: Tx, holder: Holder): void {
  for (const mark of marksOf(tx, holder)) forget(tx, holder, mark)
}
