/** The URL guard: which user-supplied URLs may be stored, and which addresses may be connected to. */
import { promises as dns, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { egress } from '../../core/limits/index.js'
import { parseUrl } from '../config/url.js'

export interface UrlPolicy {
  /** Allows private and loopback addresses, plain http and any port, for development and tests. */
  readonly allowPrivate: boolean
}

/** Resolves all addresses of a host name, of both families. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** The guard refused a connection, or closed it before a byte was sent. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/**
 * Refuses forms that URL parsers disagree on before one of them parses the URL: odd slashes, blanks, an `@` before the
 * path.
 */
const plainUrl = /^https?:\/\/[^/\\?#@\s\p{Cc}]+([/?][^\\#\s\p{Cc}]*)?$/iu
const hostName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/

/** Names the setting that a developer with a local webhook needs. */
const developmentHint = '; in development PARLEY_ALLOW_PRIVATE_URLS=true allows http and private addresses'

/** Undefined for a URL that may be stored, otherwise a sentence with the reason. Names are resolved only at use. */
export function checkUrl(text: string, policy: UrlPolicy): string | undefined {
  const url = parseCheckedUrl(text, policy)
  return typeof url === 'string' ? url : undefined
}

/** The URL, or the sentence of `checkUrl`. */
export function parseCheckedUrl(text: string, policy: UrlPolicy): URL | string {
  if (!/^https?:/i.test(text)) return 'must be an https URL'
  if (text.includes('#')) return 'must not have a fragment'
  if (/^https?:[^/?]*\/\/[^/?]*@/i.test(text)) return 'must not carry a user name or password'
  const url = plainUrl.test(text) ? parseUrl(text) : undefined
  if (!url) return 'must be a complete URL'
  if (url.port === '0') return 'must not name port 0'
  if (policy.allowPrivate) return url
  if (url.protocol !== 'https:') return `must be an https URL${developmentHint}`
  const port = url.port === '' ? 443 : Number(url.port)
  if (!(egress.publicPorts as readonly number[]).includes(port)) {
    return `must use one of the ports ${egress.publicPorts.join(', ')}`
  }
  return isPublicHost(stripBrackets(url.hostname)) ? url : `must name a public host${developmentHint}`
}

/** URL.hostname keeps the brackets of an IPv6 address, which address parsers do not accept. */
function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function isPublicHost(host: string): boolean {
  if (isIP(host)) return isPublicAddress(host)
  const name = host.replace(/\.$/, '').toLowerCase()
  return hostName.test(name) && !/(^|\.)(localhost|local|internal)$/.test(name)
}

const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Mapped, translated and tunnelled addresses are not public; outside of 2000::/3 no address is routed. */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast6)
}

/**
 * A connector that connects only to checked addresses. A name is resolved once and refused when any of its addresses is
 * not public; the socket connects to one of these addresses, so a later different answer (DNS rebinding) has no effect.
 * An IP address never reaches the lookup of a socket, so the connector checks it here.
 */
export function guardedConnector(
  policy: UrlPolicy & { readonly connectMs: number; readonly resolve?: Resolve; readonly ca?: string },
  build: (options: buildConnector.BuildOptions) => buildConnector.connector = buildConnector,
): buildConnector.connector {
  const { allowPrivate } = policy
  const resolve = policy.resolve ?? (allowPrivate ? resolveBySystem : resolveByDns(policy.connectMs))
  const lookup: LookupFunction = (host, options, done) => {
    resolve(host).then(
      (addresses) => {
        if (!allowPrivate && !addresses.every(isPublicAddress)) return fail(new AddressRefused())
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        if (found.length === 0) return fail(new NameUnknown())
        if (options.all) done(null, found)
        else done(null, found[0]!.address, found[0]!.family)
      },
      () => fail(new NameUnknown()),
    )
    function fail(error: Error): void {
      done(error, '', 0)
    }
  }
  const connect = build({ lookup, timeout: policy.connectMs, ca: policy.ca })
  return (options, callback) => {
    const host = stripBrackets(options.hostname)
    if (!allowPrivate && !isPublicHost(host)) return callback(new AddressRefused(), null)
    connect({ ...options, hostname: host }, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (!allowPrivate && !isPublicAddress(socket.remoteAddress ?? '')) {
        socket.destroy()
        return callback(new AddressRefused(), null)
      }
      callback(null, socket)
    })
  }
}

/** Resolves an allowed address of a host, for adapters that open sockets themselves. */
export function createAddressResolver(policy: UrlPolicy & { readonly connectMs: number; readonly resolve?: Resolve }) {
  const resolve = policy.resolve ?? (policy.allowPrivate ? resolveBySystem : resolveByDns(policy.connectMs))
  return async (host: string): Promise<string | undefined> => {
    if (isIP(host)) return policy.allowPrivate || isPublicAddress(host) ? host : undefined
    if (!policy.allowPrivate && !isPublicHost(host)) return undefined
    const addresses = await resolve(host).catch(() => [])
    const isAllowed = policy.allowPrivate || addresses.every(isPublicAddress)
    return isAllowed ? addresses[0] : undefined
  }
}

export class NameUnknown extends Error {
  override readonly name = 'NameUnknown'
}

/**
 * Queries name servers directly. The system lookup would occupy one of the few threads that also write to disk for as
 * long as a name server does not answer.
 */
export function resolveByDns(timeoutMs: number, servers?: readonly string[]): Resolve {
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

/** Development names such as `localhost` are in the hosts file, which only the system lookup reads. */
const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => {
      if (error) reject(error)
      else resolve(found.map(({ address }) => address))
    })
  })
