/** Asids: one person's address on one channel of one agent as a keyed hash; the address cannot be derived from it. */
import { createHmac } from 'node:crypto'
import type { ChannelName } from '../../core/channelnames.js'
import { idFromBytes } from '../../core/ids.js'
import { conversation as limits } from '../../core/limits/index.js'
import { normalizeAddress } from '../../core/people/address.js'

export type AsidOf = (agentKey: string, channel: ChannelName, address: string) => string

/**
 * The asid is the same on every node, since all nodes have the root key, and the same for every spelling of a number.
 * An address that is not a number, such as a short code, is hashed as it is.
 */
export function createAsidOf(key: Uint8Array): AsidOf {
  const cache = new Map<string, string>()

  function derive(agentKey: string, channel: ChannelName, address: string): string {
    const subject = JSON.stringify([agentKey, channel, normalizeAddress(channel, address) ?? address])
    return idFromBytes('usr', createHmac('sha256', key).update(subject).digest())
  }

  return (agentKey, channel, address) => {
    const cacheKey = `${agentKey} ${channel} ${address}`
    const cached = cache.get(cacheKey)
    if (cached !== undefined) return cached
    const asid = derive(agentKey, channel, address)
    if (cache.size >= limits.cachedAsids) cache.delete(cache.keys().next().value!)
    cache.set(cacheKey, asid)
    return asid
  }
}
