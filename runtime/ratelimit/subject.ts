/**
 * The subject of a limit by address: an IPv4 address, or the /64 of an IPv6 address, which is one customer's network.
 */
import ipaddr from 'ipaddr.js'

const prefixParts = 4

export function subjectOfAddress(address: string): string {
  if (!address.includes(':')) return address
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const prefix = parsed.parts.slice(0, prefixParts).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}
