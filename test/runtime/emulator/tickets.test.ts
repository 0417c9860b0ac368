/** Tickets to the emulator page. */
import fc from 'fast-check'
import t from 'tap'
import { emulatorPage } from '../../../core/limits/index.js'
import { createTickets } from '../../../runtime/emulator/tickets.js'

let now = 1_790_000_000_000
const clock = { now: () => now }
const tickets = createTickets(Buffer.alloc(32, 1), clock)

t.test('A ticket is valid for a day, and only at the emulator that issued it', async (t) => {
  const ticket = tickets.mint()
  const elsewhere = createTickets(Buffer.alloc(32, 2), clock)
  t.ok(tickets.isValid(ticket))
  t.notOk(elsewhere.isValid(ticket))
  now += emulatorPage.tokenMs - 1
  t.ok(tickets.isValid(ticket))
  now += 1
  t.notOk(tickets.isValid(ticket))
})

t.test('A changed ticket is invalid', async (t) => {
  const ticket = tickets.mint()
  const changed = fc
    .tuple(fc.nat(ticket.length - 1), fc.constantFrom(...'0123456789abcXYZ.-_'))
    .map(([at, character]) => `${ticket.slice(0, at)}${character}${ticket.slice(at + 1)}`)
    // The last character of a signature carries two bits that mean nothing.
    .filter((other) => other.slice(0, -1) !== ticket.slice(0, -1))
  fc.assert(fc.property(changed, (other) => !tickets.isValid(other)))
  fc.assert(fc.property(fc.string(), (other) => !tickets.isValid(other)))
  t.pass('none was taken')
})
