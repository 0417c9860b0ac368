/** The public addresses of a node, and the effects that wait until they are known. */
import { once } from 'node:events'
import type { Performer } from './shard/contract.js'

export interface Urls {
  readonly mgmt: string
  readonly gateway: string
}

export interface Addresses {
  /** Empty addresses until `set` was called. */
  urls(): Urls
  set(urls: Urls): void
  /**
   * Performers that begin nothing before the addresses are set: callbacks, media and links handed to a provider begin with
   * one. Effects that wait stay in the outbox, and a stop ends their wait.
   */
  gate(performers: Readonly<Record<string, Performer>>): Readonly<Record<string, Performer>>
}

export function publicAddresses(): Addresses {
  let known: Urls | undefined
  let announce = () => {}
  const whenKnown = new Promise<void>((resolve) => {
    announce = resolve
  })

  async function performLater(...[perform, payload, performing]: [Performer, ...Parameters<Performer>]): Promise<void> {
    await Promise.race([whenKnown, once(performing.signal, 'abort')])
    performing.signal.throwIfAborted()
    return perform(payload, performing)
  }

  function gated(perform: Performer): Performer {
    return (payload, performing) => (known ? perform(payload, performing) : performLater(perform, payload, performing))
  }

  return {
    urls: () => known ?? { mgmt: '', gateway: '' },
    set(urls) {
      known = urls
      announce()
    },
    gate: (performers) =>
      Object.fromEntries(Object.entries(performers).map(([kind, perform]) => [kind, gated(perform)])),
  }
}
