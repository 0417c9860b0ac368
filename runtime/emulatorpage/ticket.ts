/** Tickets to the emulator page: signed words that name an end. They open the page's own routes and nothing else. */
import { emulatorPage as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import { createSignedWords } from '../http/signed.js'

export interface Tickets {
  mint(): string
  /** False for anything this installation did not write, or that has run out. */
  isGood(ticket: string): boolean
}

const textPattern = /^ep1\.(\d{1,15})$/

export function openTickets(key: Uint8Array, clock: Pick<Clock, 'now'>): Tickets {
  const words = createSignedWords(key)
  return {
    mint() {
      return words.sign(`ep1.${Math.floor(clock.now()) + limits.ticketMs}`)
    },
    isGood(ticket) {
      const [, until] = textPattern.exec(words.read(ticket) ?? '') ?? []
      return until !== undefined && Number(until) > clock.now()
    },
  }
}
