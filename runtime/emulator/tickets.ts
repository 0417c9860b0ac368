/** Tickets to the emulator page: signed words that name an end. They open the page's own routes and nothing else. */
import { emulatorPage as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import { createSignedTokens } from '../http/signedtokens.js'

export interface Tickets {
  mint(): string
  /** False for anything this installation did not write, or that has run out. */
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
