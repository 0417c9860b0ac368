/**
 * Whom a request is from where proxies stand before a node. They add the address that they were called from to
 * `X-Forwarded-For`, behind whatever a caller wrote there: so it is read from its end, and believed as far as those go
 * who are named.
 */
import { BlockList, isIP } from 'node:net'

export interface Proxies {
  isTrusted(address: string): boolean
  /** `peer` is who connected, `forwardedFor` every header of that name in the order of their coming. */
  clientOf(peer: string, forwardedFor: readonly string[]): string
}

/** An address, or a network as `10.0.0.0/8`. */
export interface Network {
  readonly address: string
  readonly bits?: number
}

/** Undefined for what is neither. */
export function networkOf(text: string): Network | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0 || Number(bits ?? 0) > (version === 4 ? 32 : 128)) return undefined
  return { address, ...(bits !== undefined && { bits: Number(bits) }) }
}

export function trustedProxies(networks: readonly Network[]): Proxies {
  const trusted = new BlockList()
  for (const { address, bits } of networks) {
    if (bits === undefined) trusted.addAddress(address, familyOf(address))
    else trusted.addSubnet(address, bits, familyOf(address))
  }
  const isTrusted = (address: string) => trusted.check(address, familyOf(address))
  return {
    isTrusted,
    clientOf(peer, forwardedFor) {
      let client = peer
      const said = forwardedFor.join(',').split(',')
      while (isTrusted(client) && said.length > 0) {
        const before = addressIn(said.pop()!)
        // What is no address was not written by a proxy that is to be believed: the last one that was is the client.
        if (before === undefined) break
        client = before
      }
      return client
    },
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** Some write the port too, and IPv6 in brackets. */
function addressIn(written: string): string | undefined {
  const text = written.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(bare) === 0 ? undefined : bare
}
