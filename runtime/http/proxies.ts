/**
 * The client of a request that came through proxies. Each proxy appends its peer's address to `X-Forwarded-For`, behind
 * what the client itself may have written there. The header is therefore read from its end, as far as the addresses are
 * those of trusted proxies.
 */
import { BlockList, isIP } from 'node:net'

export interface Proxies {
  isTrusted(address: string): boolean
  /** `peer` is the address of the connection, `forwardedFor` every `X-Forwarded-For` header in its order. */
  clientOf(peer: string, forwardedFor: readonly string[]): string
}

/** An address, or a network such as `10.0.0.0/8`. */
export interface Network {
  readonly address: string
  readonly bits?: number
}

/** Undefined for text that is neither. */
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
      const chain = forwardedFor.join(',').split(',')
      while (isTrusted(client) && chain.length > 0) {
        const previous = addressIn(chain.pop()!)
        // No trusted proxy writes anything but an address, so the address read last is the client's.
        if (previous === undefined) break
        client = previous
      }
      return client
    },
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** Some proxies append the port, and put IPv6 in brackets. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(bare) === 0 ? undefined : bare
}
