/** Rows in memory, ordered by the bytes of their keys. */
import type { Change } from '../../../runtime/store/contract.js'

export interface Rows {
  get(key: Uint8Array): Buffer | undefined
  apply(changes: readonly Change[]): void
  /** The first row at `key` or beyond it, in the given direction. */
  next(key: Uint8Array, beyond: boolean, reverse: boolean): Stored | undefined
  copy(): Rows
  size(): number
}

export interface Stored {
  readonly key: Buffer
  readonly value: Buffer
}

/** Bytes as a string with the same order: one character per byte. */
const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
const bytesOf = (text: string) => Buffer.from(text, 'latin1')

export function createRows(keys: string[] = [], values = new Map<string, Buffer>()): Rows {
  /** How many keys come before that one. */
  function findIndex(key: string): number {
    let [low, high] = [0, keys.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (keys[middle]! < key) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    get: (key) => values.get(textOf(key)),
    apply(changes) {
      for (const { key, value } of changes) {
        const text = textOf(key)
        const had = values.has(text)
        if (value) {
          if (!had) keys.splice(findIndex(text), 0, text)
          values.set(text, Buffer.from(value))
        } else if (had) {
          keys.splice(findIndex(text), 1)
          values.delete(text)
        }
      }
    },
    next(key, beyond, reverse) {
      const text = textOf(key)
      let at = findIndex(text)
      if (reverse) at = keys[at] === text && !beyond ? at : at - 1
      else if (beyond && keys[at] === text) at++
      const candidate = keys[at]
      return candidate === undefined ? undefined : { key: bytesOf(candidate), value: values.get(candidate)! }
    },
    copy: () => createRows([...keys], new Map(values)),
    size: () => keys.length,
  }
}
