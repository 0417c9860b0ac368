/** The newest accepted messages, people and files of the emulated providers, in the memory of this process. */
import { LRUCache } from 'lru-cache'
import type { AcceptedMessage, SentFile } from './contract.js'

export interface Person {
  optedOut: boolean
  offline: boolean
  deviceCapabilities?: readonly string[]
  lastActiveAt?: number
}

export interface ProviderStore {
  add(message: Omit<AcceptedMessage, 'number'>): AcceptedMessage
  find(account: string, providerId: string): AcceptedMessage | undefined
  messagesFor(account: string, address: string): readonly AcceptedMessage[]
  /** Messages accepted after that number, oldest first. */
  after(number: number, of: { readonly account?: string; readonly address?: string }): readonly AcceptedMessage[]
  person(account: string, address: string): Person
  /** Records an id that the provider has given to an act of a person. */
  recordId(account: string, id: string): void
  hasId(account: string, id: string): boolean
  saveFile(account: string, name: string, file: SentFile): void
  fileOf(account: string, name: string): SentFile | undefined
  removeAccount(account: string): void
}

export interface StoreLimits {
  readonly retainedMessages: number
  readonly retainedPeople: number
  readonly retainedFiles: number
}

export function createStore({ retainedMessages, retainedPeople, retainedFiles }: StoreLimits): ProviderStore {
  const messages: AcceptedMessage[] = []
  const byId = new Map<string, AcceptedMessage>()
  const byPerson = new Map<string, AcceptedMessage[]>()
  const people = createLru<Person>(retainedPeople)
  const inboundIds = createLru<true>(retainedMessages)
  const files = createLru<SentFile>(retainedFiles)
  let lastNumber = 0
  const keyOf = (account: string, rest: string) => `${account} ${rest}`

  function dropOldest(): void {
    const { account, providerId, address } = messages.shift()!
    byId.delete(keyOf(account, providerId))
    const ofPerson = byPerson.get(keyOf(account, address))!
    ofPerson.shift()
    if (ofPerson.length === 0) byPerson.delete(keyOf(account, address))
  }

  return {
    add(message) {
      const accepted = { ...message, number: ++lastNumber }
      const { account, providerId, address } = accepted
      messages.push(accepted)
      byId.set(keyOf(account, providerId), accepted)
      const ofPerson = byPerson.get(keyOf(account, address))
      if (ofPerson) ofPerson.push(accepted)
      else byPerson.set(keyOf(account, address), [accepted])
      if (messages.length > retainedMessages) dropOldest()
      return accepted
    },
    find: (account, providerId) => byId.get(keyOf(account, providerId)),
    messagesFor: (account, address) => byPerson.get(keyOf(account, address)) ?? [],
    after(number, { account, address }) {
      const first = messages[0]?.number ?? 0
      return messages
        .slice(Math.max(0, number + 1 - first))
        .filter((each) => account === undefined || each.account === account)
        .filter((each) => address === undefined || each.address === address)
    },
    person(account, address) {
      const existing = people.get(keyOf(account, address))
      if (existing) return existing
      const person = { optedOut: false, offline: false }
      people.set(keyOf(account, address), person)
      return person
    },
    recordId(account, id) {
      inboundIds.set(keyOf(account, id), true)
    },
    hasId: (account, id) => inboundIds.has(keyOf(account, id)),
    saveFile(account, id, file) {
      files.set(keyOf(account, id), file)
    },
    fileOf: (account, id) => files.get(keyOf(account, id)),
    removeAccount(account) {
      for (const cache of [people, files])
        for (const key of [...cache.keys()]) if (key.startsWith(`${account} `)) cache.delete(key)
    },
  }
}

/** Sized by content, so that memory grows with use: bounds are large and an emulator is mostly small. */
function createLru<Value extends object | true>(maxEntries: number): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: maxEntries, sizeCalculation: () => 1 })
}
