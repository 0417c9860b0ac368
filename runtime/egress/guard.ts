/** The one guard of every outgoing URL that a user supplied: what may be written down, and what may be connected to. */
import { promises as dns, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { egress } from '../../core/limits/index.js'
import { parseUrl } from '../config/url.js'

export interface UrlPolicy {
  /** Lets URLs name private and loopback addresses, plain http and any port: for development and tests. */
  readonly allowPrivate: boolean
}

/** All addresses of a host name, of both families. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** A connection that the guard did not let happen, or cut before a byte was sent. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** What URL parsers disagree on is refused before one of them sees it: odd slashes, blanks, an `@` before the path. */
const plainUrl = /^https?:\/\/[^/\\?#@\s\p{Cc}]+([/?][^\\#\s\p{Cc}]*)?$/iu
const hostName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/

/** The setting that a developer with a webhook on this machine needs. */
const developmentHint = '; in development PARLEY_ALLOW_PRIVATE_URLS=true allows http and private addresses'

/** Undefined for a URL that may be kept, otherwise a sentence saying why not. Names are looked up only at use. */
export function checkUrl(text: string, policy: UrlPolicy): string | undefined {
  if (!/^https?:/i.test(text)) return 'must be an https URL'
  if (text.includes('#')) return 'must not have a fragment'
  if (/^https?:[^/?]*\/\/[^/?]*@/i.test(text)) return 'must not carry a user name or password'
  const url = plainUrl.test(text) ? parseUrl(text) : undefined
  if (!url) return 'must be a complete URL'
  if (url.port === '0') return 'must not name port 0'
  if (policy.allowPrivate) return undefined
  if (url.protocol !== 'https:') return `must be an https URL${developmentHint}`
  const port = url.port === '' ? 443 : Number(url.port)
  if (!(egress.publicPorts as readonly number[]).includes(port)) {
    return `must use one of the ports ${egress.publicPorts.join(', ')}`
  }
  return isPublicHost(stripBrackets(url.hostname)) ? undefined : `must name a public host${developmentHint}`
}

/** URL.hostname keeps the brackets of an IPv6 address, and then no parser takes it for one. */
function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function isPublicHost(host: string): boolean {
  if (isIP(host)) return isPublicAddress(host)
  const name = host.replace(/\.$/, '').toLowerCase()
  return hostName.test(name) && !/(^|\.)(localhost|local|internal)$/.test(name)
}

const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Mapped, translated and tunnelled forms are not public whatever they carry; outside 2000::/3 nothing is routed. */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast6)
}

/**
 * Connects only to addresses it has checked. A name is resolved once, refused when any of its addresses is not public,
 * and the socket goes to one of those very addresses, so a name that answers differently a moment later gains nothing.
 * An address in place of a name never reaches the lookup of a socket, so it is checked here.
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

/** An address of that host that may be connected to, for those who open their sockets themselves. */
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
 * Asks the name servers directly. The system's own lookup would hold one of the few threads that also write to disk for
 * as long as a stranger's name server cares to be silent.
 */
export function resolveByDns(timeoutMs: number, servers?: readonly string[]): Resolve {
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

/** Development names such as `localhost` live in the hosts file, which only the system reads. */
const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => {
      if (error) reject(error)
      else resolve(found.map(({ address }) => address))
    })
  })
