/** Why a connection to servers failed, in a sentence without credentials, and whether waiting may help. */

export interface ConnectError {
  readonly sentence: string
  readonly isPermanent: boolean
}

export function connectErrorOf(error: unknown, servers: readonly string[]): ConnectError {
  const where = servers.join(', ')
  const { name, message, code } = error as NodeJS.ErrnoException
  const reason = code ?? message
  if (name === 'AuthorizationError' && !/timeout/i.test(message)) {
    return { sentence: `The NATS server at ${where} refuses these credentials.`, isPermanent: true }
  }
  if (
    !code?.startsWith('ECONN') &&
    /\b(certificate|cert|tls|ssl)\b/i.test(`${message} ${code?.replaceAll('_', ' ')}`)
  ) {
    return { sentence: `No trusted TLS connection to NATS at ${where}: ${reason}.`, isPermanent: true }
  }
  return { sentence: `No NATS server can be reached at ${where}: ${reason}.`, isPermanent: false }
}
