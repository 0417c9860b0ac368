/** Asids: the name of one person's address on one channel, for one agent. Nobody reads the address from it. */
import { createHmac } from 'node:crypto'
import type { ChannelName } from '../../core/channelnames.js'
import { idFromBytes } from '../../core/ids.js'
import { conversation as limits } from '../../core/limits.js'
import { addressOn } from '../../core/people/address.js'

export type AsidOf = (agentKey: string, channel: ChannelName, address: string) => string

/**
 * The same on every node of an installation, since all have its root key, and the same for every way of writing a
 * number. What is no number there, such as a short code, is taken as it is.
 */
export function asids(key: Uint8Array): AsidOf {
  const lately = new Map<string, string>()

  function made(agentKey: string, channel: ChannelName, address: string): string {
    const named = JSON.stringify([agentKey, channel, addressOn(channel, address) ?? address])
    return idFromBytes('usr', createHmac('sha256', key).update(named).digest())
  }

  return (agentKey, channel, address) => {
    const asked = `${agentKey} ${channel} ${address}`
    const known = lately.get(asked)
    if (known !== undefined) return known
    const asid = made(agentKey, channel, address)
    if (lately.size >= limits.asidsAtHand) lately.delete(lately.keys().next().value!)
    lately.set(asked, asid)
    return asid
  }
}
