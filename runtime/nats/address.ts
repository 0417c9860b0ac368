/** Parses the addresses of servers from the configuration, and prints them without credentials. */

export interface Addresses {
  /** Each host and port, without credentials. */
  readonly servers: readonly string[]
  readonly hosts: readonly string[]
  /** An address begins with tls://, so an unencrypted connection is refused. */
  readonly tls: boolean
  readonly user?: string
  readonly password?: string
  /** A name before the @ without a password is a token. */
  readonly token?: string
}

const defaultPort = '4222'

export function readAddresses(texts: readonly string[]): Addresses {
  const urls = texts.map((text) => new URL(text.includes('://') ? text : `nats://${text}`))
  const withUser = urls.find((url) => url.username !== '')
  const user = decodeURIComponent(withUser?.username ?? '')
  const password = decodeURIComponent(withUser?.password ?? '')
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || defaultPort}`),
    hosts: urls.map((url) => url.hostname.replace(/^\[|\]$/g, '')),
    tls: urls.some((url) => url.protocol === 'tls:'),
    ...(user && password ? { user, password } : user ? { token: user } : {}),
  }
}
