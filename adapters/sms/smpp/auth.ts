/** The credentials of an SMPP binding, and the checks beyond their form. */
import type { AuthProblem } from '../../../core/channel/adapter.js'
import { senderOf } from './address.js'

export interface SmppAuth {
  readonly host: string
  readonly port: number
  readonly systemId: string
  readonly password: string
  readonly systemType?: string
  /** Number, short code or sender name. */
  readonly from: string
  readonly tls?: boolean
  readonly windowSize?: number
  readonly ratePerSecond?: number
}

/** A host name or an IP address. Refuses the scheme, port or path that users paste along. */
const hostOnly = /^[A-Za-z0-9._-]+$|^[0-9A-Fa-f:.]+$/
const printable = /^[\x20-\x7e]*$/

export function validateAuth({ host, systemId, password, systemType = '', from }: SmppAuth): AuthProblem | undefined {
  if (!hostOnly.test(host)) return { field: 'host', message: 'must be a host name or an address, and nothing else' }
  for (const [field, value] of Object.entries({ systemId, password, systemType })) {
    if (!printable.test(value)) return { field, message: 'must be in plain letters, digits and signs' }
  }
  if (senderOf(from)) return undefined
  return { field: 'from', message: 'must be a phone number, a short code, or a name of at most 11 letters and digits' }
}
