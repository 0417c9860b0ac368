/**
 * The provider emulator: local servers with the protocols of real providers, so that their adapters run unchanged, and
 * the functions that tests, benchmarks and pages use. State is in memory and ends with the process.
 */
import { randomBytes } from 'node:crypto'
import { providerEmulator as limits } from '../../core/limits/index.js'
import { type Accounts, createAccounts } from './accounts.js'
import { type CallWebhook, createCallbackSender, createTimers } from './callbacks.js'
import { createContext } from './context.js'
import type {
  AcceptedMessage,
  Account,
  Act,
  EmulatedProvider,
  PersonCall,
  ProviderName,
  ServerAddresses,
  Tap,
  UserAct,
} from './contract.js'
import { type ActiveFaults, callFaults, createFaults, type Fault, type FaultInput } from './faults.js'
import { httpProviders } from './providers.js'
import { type ListeningServer, startHttpServer } from './server.js'
import { createMessageCenter } from './smpp/messagecenter.js'
import { createStore } from './store.js'

export interface ProviderEmulatorOptions {
  /** Credentials derive from this key. */
  readonly key: Uint8Array
  readonly now: () => number
  /** Calls the webhooks of customers. */
  readonly webhook: CallWebhook
  /** Seed of the faults that apply to a share of calls. */
  readonly seed?: number
  /** Divides every delay. */
  readonly timeScale?: number
}

export interface Started {
  readonly httpUrl: string
  readonly smppPort: number
}

/**
 * Outcome of an act: how many calls the provider made and whether the customer accepted all at the first try, or why
 * the act is impossible.
 */
export type ActOutcome =
  | { readonly kind: 'performed'; readonly calls: number; readonly taken: boolean }
  | { readonly kind: 'impossible'; readonly why: string }

export interface ProviderEmulator {
  /** By default on loopback and free ports. If another process has a port, a free one is used. */
  start(at?: { readonly host?: string; readonly httpPort?: number; readonly smppPort?: number }): Promise<Started>
  started(): Started | undefined
  readonly accounts: Accounts & { greet(id: string): Promise<'taken' | 'refused' | 'none'> }
  act(account: string, address: string, act: Act): Promise<ActOutcome>
  readonly faults: {
    add(order: FaultInput): Fault | undefined
    remove(id: string): boolean
    all(): readonly Fault[]
  }
  sent(after: number, of?: { readonly account?: string; readonly address?: string }): readonly AcceptedMessage[]
  stop(): Promise<void>
}

export function openProviderEmulator(options: ProviderEmulatorOptions): ProviderEmulator {
  const { key, now, webhook, seed = 1, timeScale = 1 } = options
  const faults = createFaults(seed)
  const store = createStore(limits)
  const timers = createTimers(timeScale)
  const messageCenter = createMessageCenter(() => ({ context: context.context, ...callHandlers }))
  const providers: ReadonlyMap<ProviderName, EmulatedProvider> = new Map(
    [...httpProviders, messageCenter.provider].map((provider) => [provider.name, provider]),
  )
  const callbackSender = createCallbackSender({ webhook, smpp: messageCenter.call, timers })
  let running:
    | { readonly http: ListeningServer; readonly smpp: ListeningServer; readonly addresses: ServerAddresses }
    | undefined
  const accounts = createAccounts(key, providers, () => running?.addresses ?? notStarted(), limits.accounts)
  const context = createContext({ accounts, faults, store, callbackSender, timers, providers, now, newId: newHexId })
  const callHandlers = {
    selectFaults,
    delay,
    perform: (call: PersonCall, activeFaults: ActiveFaults) => call.perform(context.accept(call, activeFaults)),
  }

  function selectFaults({ account, address, kind }: PersonCall): ActiveFaults {
    return faults.selectFaults({ account: account.id, address, isMessage: kind === 'message' }, callFaults)
  }

  function delay(ms: number): Promise<void> {
    return new Promise((resolve) => timers.after(ms, resolve))
  }

  /** Searches as a person would: the newest message with a matching element wins. */
  function findTap(account: Account, address: string, act: TapAct): UserAct | undefined {
    const { taps } = providers.get(account.wire)!
    const messages = [...store.messagesFor(account.id, address)].reverse()
    for (const accepted of messages.filter(({ number }) => act.number === undefined || act.number === number)) {
      const candidates = taps(accepted.body).filter(({ row }) => act.kind === 'tap' || row)
      const tap: Tap | undefined =
        act.label !== undefined || act.postback !== undefined
          ? candidates.find(
              ({ label, postback }) => label === (act.label ?? label) && postback === (act.postback ?? postback),
            )
          : candidates[act.index ?? 0]
      if (tap) return { kind: 'tap', tap, accepted }
    }
    return undefined
  }

  function switchDevice(account: Account, address: string, deviceCapabilities: readonly string[]): ActOutcome {
    const supported = providers.get(account.wire)!.deviceCapabilities
    if (!supported) return impossible('The provider does not report device capabilities.')
    const unsupported = deviceCapabilities.find((each) => !supported.includes(each))
    if (unsupported !== undefined) return impossible(`Devices can do ${supported.join(', ')}, and not ${unsupported}.`)
    context.setDeviceCapabilities(account, address, deviceCapabilities)
    return { kind: 'performed', calls: 0, taken: true }
  }

  async function performAct(account: Account, address: string, userAct: UserAct): Promise<ActOutcome> {
    const provider = providers.get(account.wire)!
    const calls = provider.callbacksFor(account, address, userAct, context.context)
    if (typeof calls === 'string') return impossible(calls)
    if (!silentActs.includes(userAct.kind)) store.person(account.id, address).lastActiveAt = now()
    let taken = true
    for (const call of calls) taken = (await callbackSender.send(account, provider, call)) && taken
    return { kind: 'performed', calls: calls.length, taken }
  }

  return {
    async start({ host = '127.0.0.1', httpPort = 0, smppPort = 0 } = {}) {
      if (running) throw new Error('the provider emulator runs already')
      const http = await startHttpServer(
        {
          providers: httpProviders,
          bodyBytes: limits.bodyBytes,
          parse: (provider, request) => provider.read?.(request, context.context),
          ...callHandlers,
        },
        host,
        httpPort,
      )
      const smpp = await messageCenter.listen(host, smppPort)
      running = {
        http,
        smpp,
        addresses: { httpUrl: `http://${host}:${http.port}`, smppHost: host, smppPort: smpp.port },
      }
      return running.addresses
    },
    started: () => running?.addresses,
    accounts: {
      ...accounts,
      remove(id) {
        faults.removeAccount(id)
        store.removeAccount(id)
        return accounts.remove(id)
      },
      async greet(id) {
        const account = accounts.get(id)
        const provider = account && providers.get(account.wire)
        if (!account?.ingressUrl || !provider?.greeting) return 'none'
        const { call, answer } = provider.greeting(account, context.context)
        const reply = await webhook({ ...call, timeoutMs: provider.timeoutMs })
        return reply?.status === 200 && reply.body === answer ? 'taken' : 'refused'
      },
    },
    async act(id, rawAddress, act) {
      const account = accounts.get(id)
      if (!account) return impossible('There is no such account.')
      const address = providers.get(account.wire)!.address(rawAddress)
      if (isSwitch(act)) {
        context.setOffline(account, address, act.kind === 'offline')
        return { kind: 'performed', calls: 0, taken: true }
      }
      if (act.kind === 'device') return switchDevice(account, address, act.abilities)
      if (!account.ingressUrl && account.wire !== 'smpp') return impossible('The account has no ingressUrl yet.')
      if (!isTap(act)) return performAct(account, address, act)
      const userAct = findTap(account, address, act)
      return userAct
        ? performAct(account, address, userAct)
        : impossible('Nothing that was sent to them has that to tap.')
    },
    faults: {
      add(order) {
        const account = accounts.get(order.account)
        if (!account) return undefined
        const address =
          order.address === undefined ? {} : { address: providers.get(account.wire)!.address(order.address) }
        return faults.add({ ...order, ...address })
      },
      remove: faults.remove,
      all: faults.all,
    },
    sent(after, { account, address } = {}) {
      const provider = account === undefined ? undefined : providers.get(accounts.get(account)?.wire as ProviderName)
      return store.after(after, { account, address: address && (provider?.address(address) ?? address) })
    },
    async stop() {
      timers.stop()
      await Promise.all([running?.http.close(), running?.smpp.close()])
      running = undefined
    },
  }
}

type TapAct = Extract<Act, { kind: 'tap' | 'row' }>
const isTap = (act: Act): act is TapAct => act.kind === 'tap' || act.kind === 'row'
const isSwitch = (act: Act): act is Extract<Act, { kind: 'offline' | 'online' }> =>
  act.kind === 'offline' || act.kind === 'online'

/** Acts that open no messaging window, since the person said nothing. */
const silentActs: readonly UserAct['kind'][] = ['typing', 'read', 'optOut', 'optIn']

function impossible(why: string): ActOutcome {
  return { kind: 'impossible', why }
}

function newHexId(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

function notStarted(): never {
  throw new Error('the provider emulator is not running')
}
