/** What emulated phones have been sent: the newest of it, in the memory of this process, for whoever looks at them. */

export interface ShownMessage {
  /** Counts everything shown in this process, so that a reader can go on from there. */
  readonly number: number
  readonly bindingId: string
  readonly address: string
  /** As the provider would have called it. */
  readonly providerId: string
  /** The same for every try of one piece. */
  readonly id: string
  readonly wire: unknown
}

/** Why a phone takes nothing, such as one without RCS. */
export interface PhoneRefusal {
  readonly reason: string
  readonly again: 'later' | 'elsewhere' | 'never'
}

export interface Phones {
  /** What is said of everything for that phone from now on; undefined: it takes everything again. */
  refuse(bindingId: string, address: string, refusal: PhoneRefusal | undefined): void
  refusalOf(bindingId: string, address: string): PhoneRefusal | undefined
  /** A piece that came before is not shown again: answers what it was called then. */
  show(piece: Omit<ShownMessage, 'number' | 'providerId'>): string
  /** What was shown after that number, oldest first. */
  after(number: number, of: { readonly bindingId?: string; readonly address?: string }): readonly ShownMessage[]
}

export function createPhones(limit: number): Phones {
  const shown: ShownMessage[] = []
  const providerIds = new Map<string, string>()
  const refusals = new Map<string, PhoneRefusal>()
  let lastNumber = 0
  return {
    refuse(bindingId, address, refusal) {
      if (refusal) refusals.set(`${bindingId} ${address}`, refusal)
      else refusals.delete(`${bindingId} ${address}`)
    },
    refusalOf: (bindingId, address) => refusals.get(`${bindingId} ${address}`),
    show(piece) {
      const name = `${piece.bindingId} ${piece.id}`
      const existing = providerIds.get(name)
      if (existing !== undefined) return existing
      const number = ++lastNumber
      const providerId = `emu-${piece.id}`
      providerIds.set(name, providerId)
      shown.push({ number, providerId, ...piece })
      // A batch at a time: taking one from the front moves all the others.
      if (shown.length >= limit * 2) {
        for (const { bindingId, id } of shown.splice(0, shown.length - limit)) providerIds.delete(`${bindingId} ${id}`)
      }
      return providerId
    },
    after(number, { bindingId, address }) {
      const first = shown[0]?.number ?? 0
      return shown
        .slice(Math.max(0, number + 1 - first))
        .filter((each) => bindingId === undefined || each.bindingId === bindingId)
        .filter((each) => address === undefined || each.address === address)
    },
  }
}
