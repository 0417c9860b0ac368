/** What providers share while they handle a call: recipient status, stored messages and files, automatic receipts. */
import { providerEmulator as limits } from '../../core/limits/index.js'
import type { Accounts } from './accounts.js'
import type { CallbackSender, Timers } from './callbacks.js'
import type {
  Accept,
  AcceptedMessage,
  Account,
  EmulatedProvider,
  EmulatorContext,
  PersonCall,
  ProviderName,
} from './contract.js'
import { type ActiveFaults, type Faults, recipientFaults } from './faults.js'
import { createDeferredReceipts, planReceipts, type ReceiptStep, waitsForPhone } from './receipts.js'
import type { ProviderStore } from './store.js'

export interface ContextDeps {
  readonly accounts: Accounts
  readonly faults: Faults
  readonly store: ProviderStore
  readonly callbackSender: CallbackSender
  readonly timers: Timers
  readonly providers: ReadonlyMap<ProviderName, EmulatedProvider>
  readonly now: () => number
  readonly newId: (bytes: number) => string
}

export interface ContextHandle {
  readonly context: EmulatorContext
  accept(call: Pick<PersonCall, 'account' | 'address'>, activeFaults: ActiveFaults): Accept
  setOffline(account: Account, address: string, offline: boolean): void
  setDeviceCapabilities(account: Account, address: string, deviceCapabilities: readonly string[]): void
}

export function createContext({
  accounts,
  faults,
  store,
  callbackSender,
  timers,
  providers,
  now,
  newId,
}: ContextDeps): ContextHandle {
  const deferredReceipts = createDeferredReceipts(limits.retainedMessages)
  /** The faults drawn when a message was sent also shape its receipts; an entry lives as long as its message. */
  const faultsByMessage = new WeakMap<AcceptedMessage, ActiveFaults>()

  const context: EmulatorContext = {
    now,
    newId,
    accounts: (provider) => accounts.all().filter((account) => account.wire === provider),
    recipientStatus(account, address) {
      const activeFaults = faults.selectFaults({ account: account.id, address, isMessage: true }, recipientFaults)
      const recipientFault = recipientFaults.find((kind) => activeFaults[kind])
      return recipientFault ?? (store.person(account.id, address).optedOut ? 'optedOut' : 'well')
    },
    deviceCapabilities: (account, address) =>
      store.person(account.id, address).deviceCapabilities ?? providers.get(account.wire)?.deviceCapabilities ?? [],
    lastActiveAt: (account, address) => store.person(account.id, address).lastActiveAt,
    recordId: (account, id) => store.recordId(account.id, id),
    hasId: (account, id) => store.hasId(account.id, id),
    saveFile: (account, name, file) => store.saveFile(account.id, name, file),
    fileOf: (account, name) => store.fileOf(account.id, name),
    setOptedOut(account, address, optedOut) {
      store.person(account.id, address).optedOut = optedOut
    },
    messagesFor: (account, address) => store.messagesFor(account.id, address),
    find: (account, providerId) => store.find(account.id, providerId),
    revoke: (account, providerId) => deferredReceipts.drop(account.id, providerId),
    faultsFor: (accepted) => faultsByMessage.get(accepted) ?? {},
  }

  async function sendReceipt(id: string, accepted: AcceptedMessage, { receipt }: ReceiptStep): Promise<void> {
    const account = accounts.get(id)
    if (!account) return
    const provider = providers.get(account.wire)!
    const call = provider.receiptCallback(account, accepted, receipt, context)
    if (call) await callbackSender.send(account, provider, call)
  }

  function scheduleReceipt(account: Account, accepted: AcceptedMessage, step: ReceiptStep): void {
    const isPhoneOff = () => waitsForPhone(step.receipt.state) && store.person(account.id, accepted.address).offline
    if (isPhoneOff()) return deferredReceipts.defer(accepted, account, step)
    timers.after(step.afterMs, () => {
      if (isPhoneOff()) deferredReceipts.defer(accepted, account, step)
      else void sendReceipt(account.id, accepted, step)
    })
  }

  return {
    context,
    accept: ({ account, address }, activeFaults) =>
      async function accept(providerId, body, receipts) {
        const accepted = store.add({
          account: account.id,
          provider: account.wire,
          address,
          providerId,
          body,
          at: now(),
        })
        faultsByMessage.set(accepted, activeFaults)
        const dueReceipts = receipts.filter(({ state }) => state !== 'read' || account.reads)
        const steps = planReceipts(dueReceipts, activeFaults, limits.receiptMs)
        if (!activeFaults.receiptFirst) for (const step of steps) scheduleReceipt(account, accepted, step)
        else for (const step of steps) await sendReceipt(account.id, accepted, step)
      },
    setDeviceCapabilities(account, address, deviceCapabilities) {
      store.person(account.id, address).deviceCapabilities = deviceCapabilities
    },
    setOffline(account, address, offline) {
      store.person(account.id, address).offline = offline
      if (offline) return
      for (const { accepted, step } of deferredReceipts.release(account.id, address))
        scheduleReceipt(account, accepted, step)
    },
  }
}
