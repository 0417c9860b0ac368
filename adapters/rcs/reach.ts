/** Whom RCS reaches, one phone or many at a time, and taking back what has not arrived. */
import type { Probed, Reaching, Sending } from '../../core/channel/adapter.js'
import { isRecord } from '../../core/json.js'
import { rbm as limits } from '../../core/limits.js'
import { readJson } from '../kit/wire.js'
import { askCapabilities } from './abilities.js'
import { batchUrl, phoneUrl, type RbmAuth } from './descriptor.js'
import { callWithToken } from './token.js'

export async function probe(addresses: readonly string[], reaching: Reaching<RbmAuth>): Promise<Probed> {
  const [only] = addresses
  if (only === undefined) return { reachable: [], unreachable: [] }
  if (addresses.length === 1) return probeOne(only, reaching)
  const found: { reachable: string[]; unreachable: string[] } = { reachable: [], unreachable: [] }
  for (let from = 0; from < addresses.length; from += limits.numbersPerBatch) {
    if (reaching.signal.aborted) break
    const { reachable, unreachable } = await probeBatch(addresses.slice(from, from + limits.numbersPerBatch), reaching)
    found.reachable.push(...reachable)
    found.unreachable.push(...unreachable)
  }
  return found
}

async function probeOne(address: string, reaching: Reaching<RbmAuth>): Promise<Probed> {
  const answer = await askCapabilities(address, reaching)
  const status = answer.kind === 'answer' ? answer.status : undefined
  return { reachable: status === 200 ? [address] : [], unreachable: status === 404 ? [address] : [] }
}

/** The answer names who is reached over launched networks; of an answer that cannot be read nothing is known. */
async function probeBatch(addresses: readonly string[], reaching: Reaching<RbmAuth>): Promise<Probed> {
  const answer = await callWithToken(reaching, {
    method: 'POST',
    url: batchUrl(reaching.auth),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ users: addresses, agentId: reaching.auth.agentId }),
  })
  const body = answer.kind === 'answer' && answer.status === 200 ? readJson(Buffer.from(answer.body)) : undefined
  if (!isRecord(body)) return { reachable: [], unreachable: [] }
  // A list without entries is left out of an answer.
  const { reachableUsers = [] } = body
  if (!Array.isArray(reachableUsers)) return { reachable: [], unreachable: [] }
  const reached = new Set<unknown>(reachableUsers)
  return {
    reachable: addresses.filter((address) => reached.has(address)),
    unreachable: addresses.filter((address) => !reached.has(address)),
  }
}

/** What the platform says it could not take back has arrived, or will. */
export async function revoke(
  providerId: string,
  sending: Sending<RbmAuth>,
): Promise<'revoked' | 'tooLate' | 'unknown'> {
  const { auth, address } = sending
  const url = phoneUrl(auth, address, `agentMessages/${encodeURIComponent(providerId)}`, {})
  const answer = await callWithToken(sending, { method: 'DELETE', url })
  if (answer.kind !== 'answer') return 'unknown'
  if (answer.status >= 200 && answer.status < 300) return 'revoked'
  return answer.status === 404 ? 'tooLate' : 'unknown'
}
