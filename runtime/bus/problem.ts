/** Why servers could not be connected to, in a sentence without anything that opens a door, and whether waiting may help. */

export interface Problem {
  readonly sentence: string
  readonly lasting: boolean
}

export function problemOf(error: unknown, servers: readonly string[]): Problem {
  const where = servers.join(', ')
  const { name, message, code } = error as NodeJS.ErrnoException
  const reason = code ?? message
  if (name === 'AuthorizationError' && !/timeout/i.test(message)) {
    return { sentence: `The NATS server at ${where} refuses these credentials.`, lasting: true }
  }
  if (
    !code?.startsWith('ECONN') &&
    /\b(certificate|cert|tls|ssl)\b/i.test(`${message} ${code?.replaceAll('_', ' ')}`)
  ) {
    return { sentence: `No trusted TLS connection to NATS at ${where}: ${reason}.`, lasting: true }
  }
  return { sentence: `No NATS server can be reached at ${where}: ${reason}.`, lasting: false }
}
