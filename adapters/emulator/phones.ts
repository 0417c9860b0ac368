/** Messages on emulated phones: the newest ones, in the memory of this process. */

export interface ShownMessage {
  /** Counts all shown messages of this process; readers page by it. */
  readonly number: number
  readonly bindingId: string
  readonly address: string
  /** The id that a provider would have given. */
  readonly providerId: string
  /** The same for every attempt of one payload. */
  readonly id: string
  readonly wire: unknown
}

/** Why a phone refuses every message, for example because it has no RCS. */
export interface PhoneRefusal {
  readonly reason: string
  readonly again: 'later' | 'elsewhere' | 'never'
}

export interface Phones {
  /** Refuses all further messages for that phone; undefined accepts them again. */
  refuse(bindingId: string, address: string, refusal: PhoneRefusal | undefined): void
  refusalOf(bindingId: string, address: string): PhoneRefusal | undefined
  /** Returns the provider id. A payload with a known id is not shown twice. */
  show(message: Omit<ShownMessage, 'number' | 'providerId'>): string
  /** Messages shown after that number, oldest first. */
  after(number: number, of: { readonly bindingId?: string; readonly address?: string }): readonly ShownMessage[]
}

export function createPhones(limit: number): Phones {
  const messages: ShownMessage[] = []
  const providerIds = new Map<string, string>()
  const refusals = new Map<string, PhoneRefusal>()
  let lastNumber = 0
  return {
    refuse(bindingId, address, refusal) {
      if (refusal) refusals.set(`${bindingId} ${address}`, refusal)
      else refusals.delete(`${bindingId} ${address}`)
    },
    refusalOf: (bindingId, address) => refusals.get(`${bindingId} ${address}`),
    show(message) {
      const name = `${message.bindingId} ${message.id}`
      const existing = providerIds.get(name)
      if (existing !== undefined) return existing
      const number = ++lastNumber
      const providerId = `emu-${message.id}`
      providerIds.set(name, providerId)
      messages.push({ number, providerId, ...message })
      // Drops a batch at a time, since removing one from the front moves all others.
      if (messages.length >= limit * 2) {
        for (const { bindingId, id } of messages.splice(0, messages.length - limit))
          providerIds.delete(`${bindingId} ${id}`)
      }
      return providerId
    },
    after(number, { bindingId, address }) {
      const first = messages[0]?.number ?? 0
      return messages
        .slice(Math.max(0, number + 1 - first))
        .filter((each) => bindingId === undefined || each.bindingId === bindingId)
        .filter((each) => address === undefined || each.address === address)
    },
  }
}
