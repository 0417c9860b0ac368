/** What the emulated providers have accepted and know of people: the newest of it, in the memory of this process. */
import { LRUCache } from 'lru-cache'
import type { Kept, SentFile } from './contract.js'

export interface Person {
  optedOut: boolean
  offline: boolean
  abilities?: readonly string[]
  heardAt?: number
}

export interface Ledger {
  keep(message: Omit<Kept, 'number'>): Kept
  find(account: string, providerId: string): Kept | undefined
  keptFor(account: string, address: string): readonly Kept[]
  /** What was accepted after that number, oldest first. */
  after(number: number, of: { readonly account?: string; readonly address?: string }): readonly Kept[]
  person(account: string, address: string): Person
  /** Names that the provider gave to what people did. */
  said(account: string, id: string): void
  wasSaid(account: string, id: string): boolean
  keepFile(account: string, name: string, file: SentFile): void
  fileOf(account: string, name: string): SentFile | undefined
  forget(account: string): void
}

export interface LedgerBounds {
  readonly messagesKept: number
  readonly peopleKept: number
  readonly filesKept: number
}

export function openLedger({ messagesKept, peopleKept, filesKept }: LedgerBounds): Ledger {
  const messages: Kept[] = []
  const byId = new Map<string, Kept>()
  const byPerson = new Map<string, Kept[]>()
  const people = newest<Person>(peopleKept)
  const saidIds = newest<true>(messagesKept)
  const files = newest<SentFile>(filesKept)
  let numbers = 0
  const name = (account: string, rest: string) => `${account} ${rest}`

  function dropOldest(): void {
    const { account, providerId, address } = messages.shift()!
    byId.delete(name(account, providerId))
    const theirs = byPerson.get(name(account, address))!
    theirs.shift()
    if (theirs.length === 0) byPerson.delete(name(account, address))
  }

  return {
    keep(message) {
      const kept = { ...message, number: ++numbers }
      const { account, providerId, address } = kept
      messages.push(kept)
      byId.set(name(account, providerId), kept)
      const theirs = byPerson.get(name(account, address))
      if (theirs) theirs.push(kept)
      else byPerson.set(name(account, address), [kept])
      if (messages.length > messagesKept) dropOldest()
      return kept
    },
    find: (account, providerId) => byId.get(name(account, providerId)),
    keptFor: (account, address) => byPerson.get(name(account, address)) ?? [],
    after(number, { account, address }) {
      const first = messages[0]?.number ?? 0
      return messages
        .slice(Math.max(0, number + 1 - first))
        .filter((each) => account === undefined || each.account === account)
        .filter((each) => address === undefined || each.address === address)
    },
    person(account, address) {
      const known = people.get(name(account, address))
      if (known) return known
      const person = { optedOut: false, offline: false }
      people.set(name(account, address), person)
      return person
    },
    said(account, id) {
      saidIds.set(name(account, id), true)
    },
    wasSaid: (account, id) => saidIds.has(name(account, id)),
    keepFile(account, id, file) {
      files.set(name(account, id), file)
    },
    fileOf: (account, id) => files.get(name(account, id)),
    forget(account) {
      for (const known of [people, files])
        for (const key of [...known.keys()]) if (key.startsWith(`${account} `)) known.delete(key)
    },
  }
}

/** Memory grows with what is in it: an emulator is mostly small, and its bounds are large. */
function newest<Value extends object | true>(most: number): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 })
}
