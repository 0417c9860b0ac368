/** The two head pages of a data file, which say where everything else is: read, compared, and put back. */
import { fdatasyncSync, readSync, writeSync } from 'node:fs'
import { compareNumbers, Damage, kindOf, pageHeaderBytes, pageKind, type Tree } from './pagetree.js'

const magic = 0xbeefc0de
const dataVersion = 2
/** Offsets in a head page, after its header. */
const metaAt = {
  magic: 0,
  version: 4,
  mapBytes: 16,
  pageBytes: 24,
  freeTree: 24,
  mainTree: 72,
  lastPage: 120,
  txn: 128,
} as const
const treeAt = { flags: 4, depth: 6, root: 40 } as const
/** The tree of free pages counts in whole numbers; beside that it may carry how the file was opened when it was made. */
const wholeNumberKeys = 0x08
const openedHow = 0x5c00
const headBytes = pageHeaderBytes + 144
const minPageBytes = 256
const maxPageBytes = 65_536

export interface Head {
  readonly pageBytes: number
  readonly lastPage: bigint
  readonly txn: bigint
  readonly trees: readonly Tree[]
  /** The head as it lies in its page, from the page's first byte. */
  readonly bytes: Buffer
}

/** The head of the last transaction. */
export function newestHead(fd: number): Head {
  const first = readHead(fd, 0)
  const second = readHead(fd, first.pageBytes)
  if (second.pageBytes !== first.pageBytes) throw new Damage('its two head pages disagree')
  return second.txn > first.txn ? second : first
}

/** Makes `bytes` the newest head of the file, whatever its head pages hold now, and syncs it. */
export function putBackHead(fd: number, bytes: Buffer): void {
  const { txn, pageBytes } = headOf(bytes)
  for (const page of [0n, 1n]) {
    const head = Buffer.from(bytes)
    head.writeBigUInt64LE(page, 0)
    // Of the two the one with the higher number counts, and each transaction is written over the one before the last.
    if ((txn & 1n) !== page) head.writeBigUInt64LE(txn - 1n, pageHeaderBytes + metaAt.txn)
    writeSync(fd, head, 0, head.length, Number(page) * pageBytes)
  }
  fdatasyncSync(fd)
}

function readHead(fd: number, at: number): Head {
  const bytes = Buffer.alloc(headBytes)
  if (readSync(fd, bytes, 0, bytes.length, at) < bytes.length) throw new Damage('it ends within its head pages')
  return headOf(bytes)
}

function headOf(bytes: Buffer): Head {
  const body = bytes.subarray(pageHeaderBytes)
  if (kindOf(bytes) !== pageKind.meta || body.readUInt32LE(metaAt.magic) !== magic) {
    throw new Damage('it does not begin as a data file does')
  }
  const version = body.readUInt32LE(metaAt.version) & 0xffff
  if (version !== dataVersion) throw new Damage(`its format is ${version}, where ${dataVersion} was expected`)
  const pageBytes = body.readUInt32LE(metaAt.pageBytes)
  if (pageBytes < minPageBytes || pageBytes > maxPageBytes || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new Damage(`it speaks of pages of ${pageBytes} bytes`)
  }
  const lastPage = body.readBigUInt64LE(metaAt.lastPage)
  if (lastPage >= body.readBigUInt64LE(metaAt.mapBytes) / BigInt(pageBytes)) {
    throw new Damage(`it speaks of a page ${lastPage}, which it has no room for`)
  }
  const freeFlags = body.readUInt16LE(metaAt.freeTree + treeAt.flags)
  if ((freeFlags & ~openedHow) !== wholeNumberKeys || body.readUInt16LE(metaAt.mainTree + treeAt.flags) !== 0) {
    throw new Damage('it is laid out in a way that Parley never uses')
  }
  const treeOf = (tree: number, compare: Tree['compare']) => ({
    root: body.readBigUInt64LE(tree + treeAt.root),
    depth: body.readUInt16LE(tree + treeAt.depth),
    compare,
  })
  const trees = [treeOf(metaAt.mainTree, Buffer.compare), treeOf(metaAt.freeTree, compareNumbers)]
  return { pageBytes, lastPage, txn: body.readBigUInt64LE(metaAt.txn), trees, bytes }
}
