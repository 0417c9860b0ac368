/** Reports delivered and read messages to the gateway, in batches, each message once. */
import { webchat as limits } from '../../../core/limits/index.js'
import type { ClientFrame } from '../frames.js'

type ReceiptState = 'delivered' | 'read'

export interface Receipts {
  add(state: ReceiptState, messageIds: readonly string[]): void
  /** Sends receipts that could not be sent before. */
  flush(): void
}

const batchMs = 150

export function createReceipts(send: (frame: ClientFrame) => boolean): Receipts {
  const pending: Record<ReceiptState, Set<string>> = { delivered: new Set(), read: new Set() }
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    // A read receipt implies delivery.
    for (const id of pending.read) pending.delivered.delete(id)
    for (const type of ['delivered', 'read'] as const) {
      while (pending[type].size > 0) {
        const messageIds = [...pending[type]].slice(0, limits.marksPerFrame)
        if (!send({ v: 1, type, messageIds })) return
        for (const id of messageIds) pending[type].delete(id)
      }
    }
  }

  return {
    flush,
    add(state, messageIds) {
      for (const id of messageIds) pending[state].add(id)
      timer ??= setTimeout(flush, batchMs)
    },
  }
}
