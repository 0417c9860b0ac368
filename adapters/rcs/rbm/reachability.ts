/** Which phones RCS reaches, checked one by one or in batches; and revocation of undelivered messages. */
import type { ProbeResult, ProviderContext, SendContext } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { rbm as limits } from '../../../core/limits/index.js'
import { readJson } from '../../kit/http.js'
import { fetchCapabilities } from './capabilities.js'
import { batchUrl, phoneUrl, type RbmAuth } from './descriptor.js'
import { callWithToken } from './token.js'

export async function probe(addresses: readonly string[], context: ProviderContext<RbmAuth>): Promise<ProbeResult> {
  const [only] = addresses
  if (only === undefined) return { reachable: [], unreachable: [] }
  if (addresses.length === 1) return probeOne(only, context)
  const result: { reachable: string[]; unreachable: string[] } = { reachable: [], unreachable: [] }
  for (let from = 0; from < addresses.length; from += limits.numbersPerBatch) {
    if (context.signal.aborted) break
    const { reachable, unreachable } = await probeBatch(addresses.slice(from, from + limits.numbersPerBatch), context)
    result.reachable.push(...reachable)
    result.unreachable.push(...unreachable)
  }
  return result
}

async function probeOne(address: string, context: ProviderContext<RbmAuth>): Promise<ProbeResult> {
  const answer = await fetchCapabilities(address, context)
  const status = answer.kind === 'answer' ? answer.status : undefined
  return { reachable: status === 200 ? [address] : [], unreachable: status === 404 ? [address] : [] }
}

/** The answer lists numbers on launched networks. All numbers stay unknown after an unreadable answer. */
async function probeBatch(addresses: readonly string[], context: ProviderContext<RbmAuth>): Promise<ProbeResult> {
  const answer = await callWithToken(context, {
    method: 'POST',
    url: batchUrl(context.auth),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ users: addresses, agentId: context.auth.agentId }),
  })
  const body = answer.kind === 'answer' && answer.status === 200 ? readJson(Buffer.from(answer.body)) : undefined
  if (!isRecord(body)) return { reachable: [], unreachable: [] }
  // The platform omits empty lists from its answers.
  const { reachableUsers = [] } = body
  if (!Array.isArray(reachableUsers)) return { reachable: [], unreachable: [] }
  const reachableAddresses = new Set<unknown>(reachableUsers)
  return {
    reachable: addresses.filter((address) => reachableAddresses.has(address)),
    unreachable: addresses.filter((address) => !reachableAddresses.has(address)),
  }
}

/** A message that the platform could not revoke is delivered, or will be. */
export async function revoke(
  providerId: string,
  context: SendContext<RbmAuth>,
): Promise<'revoked' | 'tooLate' | 'unknown'> {
  const { auth, address } = context
  const url = phoneUrl(auth, address, `agentMessages/${encodeURIComponent(providerId)}`, {})
  const answer = await callWithToken(context, { method: 'DELETE', url })
  if (answer.kind !== 'answer') return 'unknown'
  if (answer.status >= 200 && answer.status < 300) return 'revoked'
  return answer.status === 404 ? 'tooLate' : 'unknown'
}
