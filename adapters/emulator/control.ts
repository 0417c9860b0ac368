/**
 * The provider emulator: local servers that speak the wires of real providers, so that their adapters run against them
 * unchanged, and everything that tests, benchmarks and pages do with them. State is in memory and ends with the process.
 */
import { randomBytes } from 'node:crypto'
import { providerEmulator as limits } from '../../core/limits.js'
import { type Accounts, openAccounts } from './accounts.js'
import type { Account, Act, Deed, Kept, PersonCall, Places, Tap, Wire, WireName } from './contract.js'
import { openDesk } from './desk.js'
import { callFaults, type Drawn, type Fault, type FaultOrder, openFaults } from './faults.js'
import { openLedger } from './ledger.js'
import { type CallWebhook, openPostman, openTiming } from './postman.js'
import { type Listening, openHttp } from './server.js'
import { openMessageCenter } from './wires/messagecenter.js'
import { wires as httpWires } from './wires/table.js'

export interface ProviderEmulatorOptions {
  /** Credentials follow from it. */
  readonly key: Uint8Array
  readonly now: () => number
  /** The way to customers. */
  readonly webhook: CallWebhook
  /** What faults that are for a share of calls are drawn from. */
  readonly seed?: number
  /** Every wait is that many times shorter. */
  readonly timeScale?: number
}

export interface Started {
  readonly httpUrl: string
  readonly smppPort: number
}

/** What became of an act: what was told, and whether the customer took it at the first try; or why there is no such thing. */
export type ActOutcome =
  | { readonly kind: 'told'; readonly calls: number; readonly taken: boolean }
  | { readonly kind: 'impossible'; readonly why: string }

export interface ProviderEmulator {
  /** Loopback, and free ports, unless it is told otherwise. A port that another has is left for a free one. */
  start(at?: { readonly host?: string; readonly httpPort?: number; readonly smppPort?: number }): Promise<Started>
  started(): Started | undefined
  readonly accounts: Accounts & { greet(id: string): Promise<'taken' | 'refused' | 'none'> }
  act(account: string, address: string, act: Act): Promise<ActOutcome>
  readonly faults: {
    add(order: FaultOrder): Fault | undefined
    remove(id: string): boolean
    all(): readonly Fault[]
  }
  sent(after: number, of?: { readonly account?: string; readonly address?: string }): readonly Kept[]
  stop(): Promise<void>
}

export function openProviderEmulator(options: ProviderEmulatorOptions): ProviderEmulator {
  const { key, now, webhook, seed = 1, timeScale = 1 } = options
  const faults = openFaults(seed)
  const ledger = openLedger(limits)
  const timing = openTiming(timeScale)
  const center = openMessageCenter(() => ({ desk: desk.desk, ...performing }))
  const wires: ReadonlyMap<WireName, Wire> = new Map([...httpWires, center.wire].map((wire) => [wire.name, wire]))
  const postman = openPostman({ webhook, line: center.call, timing })
  let open: { readonly http: Listening; readonly smpp: Listening; readonly at: Places } | undefined
  const accounts = openAccounts(key, wires, () => open?.at ?? notStarted(), limits.accounts)
  const desk = openDesk({ accounts, faults, ledger, postman, timing, wires, now, newId: hexId })
  const performing = {
    draw,
    later,
    perform: (call: PersonCall, drawn: Drawn) => call.perform(desk.accept(call, drawn)),
  }

  function draw({ account, address, what }: PersonCall): Drawn {
    return faults.draw({ account: account.id, address, isMessage: what === 'message' }, callFaults)
  }

  function later(ms: number): Promise<void> {
    return new Promise((done) => timing.after(ms, done))
  }

  /** A tap is looked for where a person would: in the newest message that has it. */
  function tapIn(account: Account, address: string, act: TapAct): Deed | undefined {
    const { taps } = wires.get(account.wire)!
    const messages = [...ledger.keptFor(account.id, address)].reverse()
    for (const kept of messages.filter(({ number }) => act.number === undefined || act.number === number)) {
      const offered = taps(kept.body).filter(({ row }) => act.kind === 'tap' || row)
      const tap: Tap | undefined =
        act.label !== undefined || act.postback !== undefined
          ? offered.find(
              ({ label, postback }) => label === (act.label ?? label) && postback === (act.postback ?? postback),
            )
          : offered[act.index ?? 0]
      if (tap) return { kind: 'tap', tap, kept }
    }
    return undefined
  }

  function takenUp(account: Account, address: string, abilities: readonly string[]): ActOutcome {
    const known = wires.get(account.wire)!.abilities
    if (!known) return impossible('The provider does not tell what devices can do.')
    const odd = abilities.find((each) => !known.includes(each))
    if (odd !== undefined) return impossible(`Devices can do ${known.join(', ')}, and not ${odd}.`)
    desk.setAbilities(account, address, abilities)
    return { kind: 'told', calls: 0, taken: true }
  }

  async function told(account: Account, address: string, deed: Deed): Promise<ActOutcome> {
    const wire = wires.get(account.wire)!
    const calls = wire.deed(account, address, deed, desk.desk)
    if (typeof calls === 'string') return impossible(calls)
    if (!silent.includes(deed.kind)) ledger.person(account.id, address).heardAt = now()
    let taken = true
    for (const call of calls) taken = (await postman.carry(account, wire, call)) && taken
    return { kind: 'told', calls: calls.length, taken }
  }

  return {
    async start({ host = '127.0.0.1', httpPort = 0, smppPort = 0 } = {}) {
      if (open) throw new Error('the provider emulator runs already')
      const http = await openHttp(
        {
          wires: httpWires,
          bodyBytes: limits.bodyBytes,
          understand: (wire, request) => wire.read?.(request, desk.desk),
          ...performing,
        },
        host,
        httpPort,
      )
      const smpp = await center.listen(host, smppPort)
      open = { http, smpp, at: { httpUrl: `http://${host}:${http.port}`, smppHost: host, smppPort: smpp.port } }
      return open.at
    },
    started: () => open?.at,
    accounts: {
      ...accounts,
      remove(id) {
        faults.forget(id)
        ledger.forget(id)
        return accounts.remove(id)
      },
      async greet(id) {
        const account = accounts.get(id)
        const wire = account && wires.get(account.wire)
        if (!account?.ingressUrl || !wire?.greeting) return 'none'
        const { call, answer } = wire.greeting(account, desk.desk)
        const given = await webhook({ ...call, timeoutMs: wire.patienceMs })
        return given?.status === 200 && given.body === answer ? 'taken' : 'refused'
      },
    },
    async act(id, given, act) {
      const account = accounts.get(id)
      if (!account) return impossible('There is no such account.')
      const address = wires.get(account.wire)!.address(given)
      if (isSwitch(act)) {
        desk.setOffline(account, address, act.kind === 'offline')
        return { kind: 'told', calls: 0, taken: true }
      }
      if (act.kind === 'device') return takenUp(account, address, act.abilities)
      if (!account.ingressUrl && account.wire !== 'smpp') return impossible('The account has no ingressUrl yet.')
      if (!isTap(act)) return told(account, address, act)
      const deed = tapIn(account, address, act)
      return deed ? told(account, address, deed) : impossible('Nothing that was sent to them has that to tap.')
    },
    faults: {
      add(order) {
        const account = accounts.get(order.account)
        if (!account) return undefined
        const address = order.address === undefined ? {} : { address: wires.get(account.wire)!.address(order.address) }
        return faults.add({ ...order, ...address })
      },
      remove: faults.remove,
      all: faults.all,
    },
    sent(after, { account, address } = {}) {
      const wire = account === undefined ? undefined : wires.get(accounts.get(account)?.wire as WireName)
      return ledger.after(after, { account, address: address && (wire?.address(address) ?? address) })
    },
    async stop() {
      timing.stop()
      await Promise.all([open?.http.close(), open?.smpp.close()])
      open = undefined
    },
  }
}

type TapAct = Extract<Act, { kind: 'tap' | 'row' }>
const isTap = (act: Act): act is TapAct => act.kind === 'tap' || act.kind === 'row'
const isSwitch = (act: Act): act is Extract<Act, { kind: 'offline' | 'online' }> =>
  act.kind === 'offline' || act.kind === 'online'

/** What opens no window, since nothing was said. */
const silent: readonly Deed['kind'][] = ['typing', 'read', 'optOut', 'optIn']

function impossible(why: string): ActOutcome {
  return { kind: 'impossible', why }
}

function hexId(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

function notStarted(): never {
  throw new Error('the provider emulator is not running')
}
