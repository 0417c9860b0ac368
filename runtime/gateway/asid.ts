/** Asids: the name of one person's address on one channel, for one agent. Nobody reads the address from it. */
import { createHmac } from 'node:crypto'
import type { ChannelName } from '../../core/channel/names.js'
import { idFromBytes } from '../../core/ids.js'

export type AsidOf = (agentKey: string, channel: ChannelName, address: string) => string

/** The same on every node of an installation, since all have its root key. */
export function asids(key: Uint8Array): AsidOf {
  return (agentKey, channel, address) => {
    const named = JSON.stringify([agentKey, channel, address])
    return idFromBytes('usr', createHmac('sha256', key).update(named).digest())
  }
}
