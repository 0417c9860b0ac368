/** Accounts of the emulated providers. Credentials derive from a key: an account registered again has the same ones. */
import { createHmac } from 'node:crypto'
import type { Account, EmulatedProvider, Mint, ProviderName, ServerAddresses } from './contract.js'

export interface AccountInput {
  readonly wire: ProviderName
  /** Generated when absent. An existing account of that id is replaced. */
  readonly id?: string
  readonly ingressUrl?: string
  readonly reads?: boolean
}

export interface Accounts {
  /** Undefined when an account of another provider has that id, or when the limit of accounts is reached. */
  register(input: AccountInput): Account | undefined
  change(id: string, change: Pick<AccountInput, 'ingressUrl' | 'reads'>): Account | undefined
  remove(id: string): boolean
  get(id: string): Account | undefined
  all(): readonly Account[]
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function createAccounts(
  key: Uint8Array,
  providers: ReadonlyMap<ProviderName, EmulatedProvider>,
  addresses: () => ServerAddresses,
  limit: number,
): Accounts {
  const accounts = new Map<string, Account>()

  function deriveCredentials(provider: ProviderName, id: string): Account['auth'] {
    const seed = (label: string) => createHmac('sha512', key).update(`${provider}\n${id}\n${label}`).digest()
    const mint: Mint = (field, length, alphabet = letters) => {
      const bytes = Buffer.concat(
        Array.from({ length: Math.ceil(length / 64) }, (_, chunk) => seed(`${field} ${chunk}`)),
      )
      return Array.from({ length }, (_, index) => alphabet[bytes[index]! % alphabet.length]).join('')
    }
    return providers.get(provider)!.credentials(mint, addresses(), seed)
  }

  return {
    register({ wire, id = freeName(wire, accounts), ingressUrl, reads = true }) {
      const existing = accounts.get(id)
      if (existing ? existing.wire !== wire : accounts.size >= limit) return undefined
      const account = {
        id,
        wire,
        auth: deriveCredentials(wire, id),
        reads,
        ...(ingressUrl !== undefined && { ingressUrl }),
      }
      accounts.set(id, account)
      return account
    },
    change(id, change) {
      const existing = accounts.get(id)
      if (!existing) return undefined
      const account = { ...existing, ...change }
      accounts.set(id, account)
      return account
    },
    remove: (id) => accounts.delete(id),
    get: (id) => accounts.get(id),
    all: () => [...accounts.values()],
  }
}

function freeName(provider: ProviderName, accounts: ReadonlyMap<string, unknown>): string {
  let number = 1
  while (accounts.has(`${provider}-${number}`)) number++
  return `${provider}-${number}`
}
