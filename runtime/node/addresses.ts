/** The public addresses of a node, and a gate for effects that need them. */
import { once } from 'node:events'
import type { EffectHandler } from '../shard/contract.js'

export interface Urls {
  readonly mgmt: string
  readonly gateway: string
}

export interface Addresses {
  /** Empty addresses before `set`. */
  urls(): Urls
  set(urls: Urls): void
  /**
   * Wraps effect handlers so that they wait until the addresses are set: callbacks, media URLs and links begin with
   * one. Effects that wait stay in the outbox, and a stop ends their wait.
   */
  gate(handlers: Readonly<Record<string, EffectHandler>>): Readonly<Record<string, EffectHandler>>
}

export function createPublicAddresses(): Addresses {
  let current: Urls | undefined
  let resolveKnown = () => {}
  const whenKnown = new Promise<void>((resolve) => {
    resolveKnown = resolve
  })

  async function handleWhenKnown(
    ...[handle, payload, context]: [EffectHandler, ...Parameters<EffectHandler>]
  ): Promise<void> {
    await Promise.race([whenKnown, once(context.signal, 'abort')])
    context.signal.throwIfAborted()
    return handle(payload, context)
  }

  function gateHandler(handle: EffectHandler): EffectHandler {
    return (payload, context) => (current ? handle(payload, context) : handleWhenKnown(handle, payload, context))
  }

  return {
    urls: () => current ?? { mgmt: '', gateway: '' },
    set(urls) {
      current = urls
      resolveKnown()
    },
    gate: (handlers) =>
      Object.fromEntries(Object.entries(handlers).map(([kind, handle]) => [kind, gateHandler(handle)])),
  }
}
