/** Types of environment variables: how a value is parsed, what it must look like, and what errors may show of it. */
import { isIP } from 'node:net'
import { apiKeyPrefix, slugPattern } from '../../core/ids.js'
import { bootstrapKey as givenKey } from '../../core/limits/access.js'
import { http, settings } from '../../core/limits/index.js'
import { type Network, networkOf } from '../http/proxies.js'
import { parseUrl } from './url.js'

/** `expected` ends the sentence "It wants …". `read` returns undefined for an invalid text. */
export interface EnvType<T> {
  readonly expected: string
  /**
   * The part of a rejected text that an error may show; without it the text is a secret and the error shows none of it.
   */
  readonly redact?: (text: string) => string
  read(text: string): T | undefined
}

export const nodeRoles = ['gateway', 'mgmt', 'shards'] as const
export type NodeRole = (typeof nodeRoles)[number]

const verbatim = (text: string) => text

/** A URL may contain a password before its last @, and a key in its query. */
function withoutCredentials(text: string): string {
  return text.replace(/^.*@/s, '…@').replace(/\?.*$/s, '?…')
}

function textMatching(pattern: RegExp, expected: string): EnvType<string> {
  return { expected, redact: verbatim, read: (text) => (pattern.test(text) ? text : undefined) }
}

export const path: EnvType<string> = textMatching(/\S/, 'the path of a file or folder')

export const slug: EnvType<string> = {
  expected: 'a slug: lower-case letters, digits and dashes, at most 63, not beginning with a dash',
  redact: verbatim,
  read: (text) => (text.match(slugPattern) ? text : undefined),
}

export const host: EnvType<string> = {
  expected: 'a host name or an IP address without brackets or port',
  redact: verbatim,
  read: (text) => (isHost(text) ? text : undefined),
}

/** Host names as URLs spell them: lower case, an IPv6 address in brackets, a port only where it is not the default. */
export const hostList: EnvType<readonly string[]> = {
  expected: 'host names separated by commas, each with its port where that is not the usual one',
  redact: verbatim,
  read(text) {
    const hosts = splitList(text).map((each) =>
      /^[^\s/?#@\\]+$/.test(each) ? parseUrl(`https://${each}/`)?.host : undefined,
    )
    return hosts.length > 0 && hosts.every((each) => each !== undefined) ? (hosts as string[]) : undefined
  },
}

export const networkList: EnvType<readonly Network[]> = {
  expected: 'addresses or networks such as 10.0.0.0/8, separated by commas',
  redact: verbatim,
  read(text) {
    const networks = splitList(text).map(networkOf)
    return networks.length > 0 && networks.every((each) => each !== undefined) ? (networks as Network[]) : undefined
  },
}

export const port: EnvType<number> = wholeNumber(0, settings.portMax)
export const shardCount: EnvType<number> = wholeNumber(1, settings.shardsMax)

export const scale: EnvType<number> = {
  expected: 'a number above 0, such as 60 or 0.5',
  redact: verbatim,
  read(text) {
    const value = /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : 0
    return value > 0 ? value : undefined
  },
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false }
export const flag: EnvType<boolean> = {
  expected: 'true or false',
  redact: verbatim,
  read: (text) => (Object.hasOwn(booleans, text) ? booleans[text] : undefined),
}

export const roleList: EnvType<readonly NodeRole[]> = {
  expected: `some of ${nodeRoles.join(', ')}, separated by commas`,
  redact: verbatim,
  read(text) {
    const named = splitList(text)
    const areKnown = named.every((name) => (nodeRoles as readonly string[]).includes(name))
    return areKnown && named.length > 0 ? nodeRoles.filter((role) => named.includes(role)) : undefined
  },
}

export const moduleList: EnvType<readonly string[]> = {
  expected: 'module specifiers separated by commas',
  redact: verbatim,
  read(text) {
    const modules = splitList(text)
    return modules.length > 0 && modules.every((name) => /^\S+$/.test(name)) ? modules : undefined
  },
}

/** The public base URL of a plane. Its trailing slash is removed, because links append a path to it. */
export const publicUrl: EnvType<string> = {
  expected: 'an http:// or https:// URL without user, query or fragment',
  redact: withoutCredentials,
  read(text) {
    const url = urlOf(text, ['http:', 'https:'])
    return url && !url.username && !url.password && !/[?#]/.test(text) ? text.replace(/\/+$/, '') : undefined
  },
}

export const endpointUrl: EnvType<string> = {
  expected: 'an http:// or https:// URL without user name or password',
  redact: withoutCredentials,
  read(text) {
    const url = urlOf(text, ['http:', 'https:'])
    return url && !url.username && !url.password ? text : undefined
  },
}

export const redisUrl: EnvType<string> = {
  expected: 'a redis:// or rediss:// URL',
  redact: withoutCredentials,
  read: (text) => (urlOf(text, ['redis:', 'rediss:']) ? text : undefined),
}

export const natsServers: EnvType<readonly string[]> = {
  expected: 'NATS servers separated by commas, each nats://host:port, tls://host:port or host:port',
  redact: withoutCredentials,
  read(text) {
    const servers = splitList(text)
    const areValid = servers.every((server) =>
      urlOf(server.includes('://') ? server : `nats://${server}`, ['nats:', 'tls:']),
    )
    return areValid && servers.length > 0 ? servers : undefined
  },
}

export const word: EnvType<string> = textMatching(/^[^\s\p{Cc}]+$/u, 'a name without spaces')

export const secretText: EnvType<string> = {
  expected: 'visible characters without spaces',
  read: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
}

export const bootstrapKey: EnvType<string> = {
  expected:
    `${apiKeyPrefix} and then at least ${settings.bootstrapKeyMinChars} letters, digits, dashes or underscores, ` +
    `${givenKey.minDifferentChars} of them different`,
  read(text) {
    const rest = text.startsWith(apiKeyPrefix) ? text.slice(apiKeyPrefix.length) : ''
    const isLongEnough = rest.length >= settings.bootstrapKeyMinChars && text.length <= http.tokenChars
    const isGuessable = new Set(rest).size < givenKey.minDifferentChars
    return isLongEnough && !isGuessable && /^[\w-]+$/.test(rest) ? text : undefined
  },
}

/** Always returned as hex, whichever way it was written: text can be frozen, bytes cannot. */
export const secretKeyHex: EnvType<string> = {
  expected: `${settings.secretKeyBytes} bytes written as hex, base64 or base64url`,
  read(text) {
    if (/^[\da-f]+$/i.test(text) && text.length === settings.secretKeyBytes * 2) return text.toLowerCase()
    if (!/^(?:[\w-]+|[A-Za-z\d+/]+)={0,2}$/.test(text)) return undefined
    const bytes = Buffer.from(text, 'base64url')
    return bytes.length === settings.secretKeyBytes ? bytes.toString('hex') : undefined
  },
}

function wholeNumber(min: number, max: number): EnvType<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    redact: verbatim,
    read(text) {
      const value = /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : -1
      return value >= min && value <= max ? value : undefined
    },
  }
}

function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.includes('') ? [] : items
}

function isHost(text: string): boolean {
  const label = /^[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?$/
  const isName = text.length <= 253 && text.split('.').every((part) => label.test(part))
  return isIP(text) > 0 || (isName && !/^[\d.]+$/.test(text))
}

function urlOf(text: string, protocols: readonly string[]): URL | undefined {
  const url = /^[\x21-\x7e]+$/.test(text) ? parseUrl(text) : undefined
  return url && protocols.includes(url.protocol) && url.hostname !== '' ? url : undefined
}
