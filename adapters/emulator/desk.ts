/** What the wires work with: who stands how, what was kept, and receipts that come by themselves. */
import { providerEmulator as limits } from '../../core/limits.js'
import type { Accounts } from './accounts.js'
import type { Accept, Account, Desk, Kept, PersonCall, Wire, WireName } from './contract.js'
import { type Drawn, type Faults, standings } from './faults.js'
import type { Ledger } from './ledger.js'
import type { Postman, Timing } from './postman.js'
import { openWaiting, plannedSteps, type Step, waitsForPhone } from './receipts.js'

export interface DeskParts {
  readonly accounts: Accounts
  readonly faults: Faults
  readonly ledger: Ledger
  readonly postman: Postman
  readonly timing: Timing
  readonly wires: ReadonlyMap<WireName, Wire>
  readonly now: () => number
  readonly newId: (bytes: number) => string
}

export interface OpenDesk {
  readonly desk: Desk
  accept(call: Pick<PersonCall, 'account' | 'address'>, drawn: Drawn): Accept
  setOffline(account: Account, address: string, offline: boolean): void
  setAbilities(account: Account, address: string, abilities: readonly string[]): void
}

export function openDesk({ accounts, faults, ledger, postman, timing, wires, now, newId }: DeskParts): OpenDesk {
  const waiting = openWaiting(limits.messagesKept)
  /** How each message was sent decides how its receipts look; for as long as the message is kept. */
  const drawnOf = new WeakMap<Kept, Drawn>()

  const desk: Desk = {
    now,
    newId,
    accounts: (wire) => accounts.all().filter((account) => account.wire === wire),
    standing(account, address) {
      const drawn = faults.draw({ account: account.id, address, isMessage: true }, standings)
      const found = standings.find((kind) => drawn[kind])
      return found ?? (ledger.person(account.id, address).optedOut ? 'optedOut' : 'well')
    },
    abilities: (account, address) =>
      ledger.person(account.id, address).abilities ?? wires.get(account.wire)?.abilities ?? [],
    heardAt: (account, address) => ledger.person(account.id, address).heardAt,
    said: (account, id) => ledger.said(account.id, id),
    saidBy: (account, id) => ledger.wasSaid(account.id, id),
    keepFile: (account, name, file) => ledger.keepFile(account.id, name, file),
    fileOf: (account, name) => ledger.fileOf(account.id, name),
    setOptedOut(account, address, optedOut) {
      ledger.person(account.id, address).optedOut = optedOut
    },
    keptFor: (account, address) => ledger.keptFor(account.id, address),
    find: (account, providerId) => ledger.find(account.id, providerId),
    takeBack: (account, providerId) => waiting.drop(account.id, providerId),
    drawnFor: (kept) => drawnOf.get(kept) ?? {},
  }

  async function tell(id: string, kept: Kept, { receipt }: Step): Promise<void> {
    const account = accounts.get(id)
    if (!account) return
    const wire = wires.get(account.wire)!
    const call = wire.tell(account, kept, receipt, desk)
    if (call) await postman.carry(account, wire, call)
  }

  function tellInTime(account: Account, kept: Kept, step: Step): void {
    const isOff = () => waitsForPhone(step.receipt.state) && ledger.person(account.id, kept.address).offline
    if (isOff()) return waiting.hold(kept, account, step)
    timing.after(step.afterMs, () => {
      if (isOff()) waiting.hold(kept, account, step)
      else void tell(account.id, kept, step)
    })
  }

  return {
    desk,
    accept: ({ account, address }, drawn) =>
      async function accept(providerId, body, receipts) {
        const kept = ledger.keep({ account: account.id, wire: account.wire, address, providerId, body, at: now() })
        drawnOf.set(kept, drawn)
        const due = receipts.filter(({ state }) => state !== 'read' || account.reads)
        const steps = plannedSteps(due, drawn, limits.receiptMs)
        if (!drawn.receiptFirst) for (const step of steps) tellInTime(account, kept, step)
        else for (const step of steps) await tell(account.id, kept, step)
      },
    setAbilities(account, address, abilities) {
      ledger.person(account.id, address).abilities = abilities
    },
    setOffline(account, address, offline) {
      ledger.person(account.id, address).offline = offline
      if (offline) return
      for (const { kept, step } of waiting.release(account.id, address)) tellInTime(account, kept, step)
    },
  }
}
