/** Tells the gateway which messages have arrived and which were really seen, a few at a time and each once. */
import { webchat as limits } from '../../../core/limits.js'
import type { ClientFrame } from '../frames.js'

type Mark = 'delivered' | 'read'

export interface Marks {
  add(state: Mark, messageIds: readonly string[]): void
  /** Tells what could not be told before. */
  flush(): void
}

const gatherMs = 150

export function openMarks(send: (frame: ClientFrame) => boolean): Marks {
  const due: Record<Mark, Set<string>> = { delivered: new Set(), read: new Set() }
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    // What is read was delivered, and need not be said to be.
    for (const id of due.read) due.delivered.delete(id)
    for (const type of ['delivered', 'read'] as const) {
      while (due[type].size > 0) {
        const messageIds = [...due[type]].slice(0, limits.marksPerFrame)
        if (!send({ v: 1, type, messageIds })) return
        for (const id of messageIds) due[type].delete(id)
      }
    }
  }

  return {
    flush,
    add(state, messageIds) {
      for (const id of messageIds) due[state].add(id)
      timer ??= setTimeout(flush, gatherMs)
    },
  }
}
