/**
 * Looks over the data file before LMDB is asked to map it. LMDB trusts the file: a page that is cut off or points
 * nowhere would end the process with a bus error, where an operator should be told a sentence.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { store as limits } from '../../core/limits.js'
import { StoreUnusable } from './contract.js'

/** Offsets and marks of the file format (LMDB data version 2, sixty-four bits, little endian). */
const pageHeaderBytes = 24
const magic = 0xbeefc0de
const dataVersion = 2
const noPage = 0xffffffffffffffffn
const pageKind = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const
const kindMask = 0x0f
const nodeHeaderBytes = 8
const bigDataFlag = 0x01
/** Of a meta page, after its header. */
const metaAt = { magic: 0, version: 4, pageBytes: 24, freeTree: 24, mainTree: 72, lastPage: 120, txn: 128 } as const
const treeAt = { depth: 6, root: 40 } as const
const metaBytes = 144
const minPageBytes = 256
const maxPageBytes = 65_536

interface Tree {
  readonly root: bigint
  readonly depth: number
}

interface Meta {
  readonly pageBytes: number
  readonly lastPage: bigint
  readonly txn: bigint
  readonly trees: readonly Tree[]
}

interface Pages {
  readonly fd: number
  readonly pageBytes: number
  /** Whole pages that the file really holds. */
  readonly count: bigint
}

class Damage extends Error {}

/** Throws StoreUnusable when the file is not one that LMDB can open safely. Only reads. */
export function checkDataFile(path: string): void {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    checkPages(fd)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (!(error instanceof Damage)) throw new StoreUnusable(`The data file ${path} cannot be read: ${why}.`)
    throw new StoreUnusable(
      `The data file ${path} is damaged: ${why}. Nothing was changed. Put a backup in its place, or start with another ` +
        'data directory.',
    )
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function checkPages(fd: number): void {
  const { size } = fstatSync(fd)
  if (size === 0) throw new Damage('it is empty')
  const first = readMeta(fd, 0)
  const second = readMeta(fd, first.pageBytes)
  if (second.pageBytes !== first.pageBytes) throw new Damage('its two head pages disagree')
  const newest = second.txn > first.txn ? second : first
  const pages = { fd, pageBytes: newest.pageBytes, count: BigInt(Math.floor(size / newest.pageBytes)) }
  // Pages at the end that were given up before they were ever written are missing from a healthy file, so one that is
  // short is walked to its last page to see whether something still in use is gone.
  const budget = pages.count > newest.lastPage ? limits.checkedPages : Number.POSITIVE_INFINITY
  walk(pages, newest, budget)
}

function readMeta(fd: number, at: number): Meta {
  const page = Buffer.alloc(pageHeaderBytes + metaBytes)
  if (readSync(fd, page, 0, page.length, at) < page.length) throw new Damage('it ends within its head pages')
  const body = page.subarray(pageHeaderBytes)
  if (kindOf(page) !== pageKind.meta || body.readUInt32LE(metaAt.magic) !== magic) {
    throw new Damage('it does not begin as a data file does')
  }
  const version = body.readUInt32LE(metaAt.version) & 0xffff
  if (version !== dataVersion) throw new Damage(`its format is ${version}, where ${dataVersion} was expected`)
  const pageBytes = body.readUInt32LE(metaAt.pageBytes)
  if (pageBytes < minPageBytes || pageBytes > maxPageBytes || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new Damage(`it speaks of pages of ${pageBytes} bytes`)
  }
  const trees = [metaAt.freeTree, metaAt.mainTree].map((tree) => ({
    root: body.readBigUInt64LE(tree + treeAt.root),
    depth: body.readUInt16LE(tree + treeAt.depth),
  }))
  return { pageBytes, lastPage: body.readBigUInt64LE(metaAt.lastPage), txn: body.readBigUInt64LE(metaAt.txn), trees }
}

/** Level by level from the roots, so that a bounded walk has seen the pages on which most others hang. */
function walk(pages: Pages, meta: Meta, budget: number): void {
  let level = meta.trees.filter((tree) => tree.root !== noPage).map((tree) => ({ page: tree.root, height: tree.depth }))
  const page = Buffer.alloc(pages.pageBytes)
  let left = budget
  while (level.length > 0) {
    const next: typeof level = []
    for (const { page: number, height } of level) {
      if (left-- <= 0) return
      readPage(pages, number, page)
      if (height > 1) for (const child of children(page, number)) next.push({ page: child, height: height - 1 })
      else for (const far of checkedLeaf(page, number)) checkOverflow(pages, far)
    }
    level = next
  }
}

function readPage(pages: Pages, number: bigint, into: Buffer): void {
  if (number >= pages.count) throw new Damage(`it is cut off before page ${number}, which is in use`)
  readSync(pages.fd, into, 0, into.length, Number(number) * pages.pageBytes)
  if (into.readBigUInt64LE(0) !== number) throw new Damage(`page ${number} holds something else`)
}

function children(page: Buffer, number: bigint): bigint[] {
  if (kindOf(page) !== pageKind.branch) throw new Damage(`page ${number} is not of the kind that belongs there`)
  return nodes(page, number).map((at) => BigInt(page.readUIntLE(at, 6)))
}

interface Overflow {
  readonly first: bigint
  readonly count: bigint
}

function checkedLeaf(page: Buffer, number: bigint): Overflow[] {
  if (kindOf(page) !== pageKind.leaf) throw new Damage(`page ${number} is not of the kind that belongs there`)
  const found: Overflow[] = []
  for (const at of nodes(page, number)) {
    const data = at + nodeHeaderBytes + page.readUInt16LE(at + 6)
    const far = (page.readUInt16LE(at + 4) & bigDataFlag) !== 0
    const dataBytes = far ? pageHeaderBytes : page.readUInt32LE(at)
    if (data + dataBytes > page.length) throw new Damage(`page ${number} holds a record that runs over its end`)
    if (far) found.push({ first: page.readBigUInt64LE(data), count: page.readBigUInt64LE(data + 16) })
  }
  return found
}

function checkOverflow(pages: Pages, { first, count }: Overflow): void {
  const header = Buffer.alloc(pageHeaderBytes)
  if (first + count > pages.count) throw new Damage(`it is cut off before page ${first + count - 1n}, which is in use`)
  readPage(pages, first, header)
  if (kindOf(header) !== pageKind.overflow) throw new Damage(`page ${first} is not of the kind that belongs there`)
}

function nodes(page: Buffer, number: bigint): number[] {
  const count = page.readUInt16LE(20) >> 1
  const found: number[] = []
  for (let i = 0; i < count; i++) {
    const slot = pageHeaderBytes + i * 2
    const at = slot + 2 <= page.length ? pageHeaderBytes + page.readUInt16LE(slot) : page.length
    if (at + nodeHeaderBytes > page.length) throw new Damage(`page ${number} points outside itself`)
    found.push(at)
  }
  if (count === 0) throw new Damage(`page ${number} is empty`)
  return found
}

function kindOf(page: Buffer): number {
  return page.readUInt16LE(18) & kindMask
}
