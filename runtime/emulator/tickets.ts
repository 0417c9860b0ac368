/** Signed tickets to the emulator page, with an expiry. They authorize the page's own routes and nothing else. */
import { emulatorPage as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import { createSignedTokens } from '../http/signedtokens.js'

export interface Tickets {
  mint(): string
  /** False for a ticket that this installation did not sign, or that has expired. */
  isValid(ticket: string): boolean
}

const textPattern = /^ep1\.(\d{1,15})$/

export function createTickets(key: Uint8Array, clock: Pick<Clock, 'now'>): Tickets {
  const signer = createSignedTokens(key)
  return {
    mint() {
      return signer.sign(`ep1.${Math.floor(clock.now()) + limits.tokenMs}`)
    },
    isValid(ticket) {
      const [, until] = textPattern.exec(signer.read(ticket) ?? '') ?? []
      return until !== undefined && Number(until) > clock.now()
    },
  }
}
