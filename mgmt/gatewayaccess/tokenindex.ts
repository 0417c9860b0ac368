/**
 * Index of access tokens: token hash to agent. A node that does not know a token finds the agent's shard through it.
 * Each row has an owner of its own and never changes; the agent's shard says whether the token is valid.
 */
import type { AgentRef } from '../../core/agentref.js'
import type { Command, Query } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'

const indexTable = table<[hashHex: string], AgentRef>('gateway.tokens')

interface TokenHash {
  readonly hash: Uint8Array
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

export function ownerOfToken(hash: Uint8Array): string {
  return `accesstoken:${hex(hash)}`
}

const put: Command<TokenHash & AgentRef, true> = {
  name: 'gateway.tokens.put',
  decide(tx, { hash, orgId, agentId }) {
    tx.put(indexTable, [hex(hash)], { orgId, agentId })
    return true
  },
}

const remove: Command<TokenHash, true> = {
  name: 'gateway.tokens.remove',
  decide(tx, { hash }) {
    tx.remove(indexTable, [hex(hash)])
    return true
  },
}

const find: Query<TokenHash, AgentRef | null> = {
  name: 'gateway.tokens.find',
  read: (reader, { hash }) => reader.get(indexTable, [hex(hash)]) ?? null,
}

export const tokenIndex = { put, remove, find }
