/** Counts an LMDB file's transactions from outside, by the number that each one writes to one of the two meta pages. */
import { closeSync, openSync, readSync } from 'node:fs'

/** Offsets of the file format: the page size and the transaction number, in a meta page of 168 bytes. */
const headBytes = 168
const pageSizeAt = 48
const transactionAt = 152

export function transactionsOf(path: string): number {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(headBytes)
    readSync(file, head, 0, headBytes, 0)
    const first = Number(head.readBigUInt64LE(transactionAt))
    readSync(file, head, 0, headBytes, head.readUInt32LE(pageSizeAt))
    return Math.max(first, Number(head.readBigUInt64LE(transactionAt)))
  } finally {
    closeSync(file)
  }
}
