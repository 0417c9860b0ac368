/** Tickets to the emulator page: signed words that name an end. They open the page's own routes and nothing else. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { emulatorPage as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'

export interface Tickets {
  mint(): string
  /** False for anything this installation did not write, or that has run out. */
  isGood(ticket: string): boolean
}

const ticketPattern = /^ep1\.(\d{1,15})\.([\w-]{43})$/

export function openTickets(key: Uint8Array, clock: Pick<Clock, 'now'>): Tickets {
  const signature = (until: string) => createHmac('sha256', key).update(`ep1.${until}`).digest()
  return {
    mint() {
      const until = String(Math.floor(clock.now()) + limits.ticketMs)
      return `ep1.${until}.${signature(until).toString('base64url')}`
    },
    isGood(ticket) {
      const [, until, signed] = ticketPattern.exec(ticket) ?? []
      if (until === undefined || signed === undefined) return false
      return timingSafeEqual(Buffer.from(signed, 'base64url'), signature(until)) && Number(until) > clock.now()
    },
  }
}
