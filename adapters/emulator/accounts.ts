/** The customers of the emulated providers. Credentials follow from a key, so an account made again has the same ones. */
import { createHmac } from 'node:crypto'
import type { Account, Mint, Places, Wire, WireName } from './contract.js'

export interface AccountOrder {
  readonly wire: WireName
  /** Made up when it is left out. An account of that name is replaced. */
  readonly id?: string
  readonly ingressUrl?: string
  readonly reads?: boolean
}

export interface Accounts {
  /** Undefined for a name that an account of another wire has. */
  register(order: AccountOrder): Account | undefined
  change(id: string, change: Pick<AccountOrder, 'ingressUrl' | 'reads'>): Account | undefined
  remove(id: string): boolean
  get(id: string): Account | undefined
  all(): readonly Account[]
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function openAccounts(
  key: Uint8Array,
  wires: ReadonlyMap<WireName, Wire>,
  places: () => Places,
  most: number,
): Accounts {
  const accounts = new Map<string, Account>()

  function made(wire: WireName, id: string): Account['auth'] {
    const seed = (label: string) => createHmac('sha512', key).update(`${wire}\n${id}\n${label}`).digest()
    const mint: Mint = (field, length, alphabet = letters) => {
      const bytes = Buffer.concat(Array.from({ length: Math.ceil(length / 64) }, (_, part) => seed(`${field} ${part}`)))
      return Array.from({ length }, (_, index) => alphabet[bytes[index]! % alphabet.length]).join('')
    }
    return wires.get(wire)!.credentials(mint, places(), seed)
  }

  return {
    register({ wire, id = freeName(wire, accounts), ingressUrl, reads = true }) {
      const known = accounts.get(id)
      if (known ? known.wire !== wire : accounts.size >= most) return undefined
      const account = { id, wire, auth: made(wire, id), reads, ...(ingressUrl !== undefined && { ingressUrl }) }
      accounts.set(id, account)
      return account
    },
    change(id, change) {
      const known = accounts.get(id)
      if (!known) return undefined
      const account = { ...known, ...change }
      accounts.set(id, account)
      return account
    },
    remove: (id) => accounts.delete(id),
    get: (id) => accounts.get(id),
    all: () => [...accounts.values()],
  }
}

function freeName(wire: WireName, taken: ReadonlyMap<string, unknown>): string {
  let number = 1
  while (taken.has(`${wire}-${number}`)) number++
  return `${wire}-${number}`
}
