/**
 * Checks the page trees of a data file: every page that they refer to exists, is complete, and is in order. Only reads.
 */
import { readSync } from 'node:fs'

/** Constants of the file format (LMDB data version 2, 64 bits, little endian). */
export const pageHeaderBytes = 24
export const pageKind = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const
const kindMask = 0x0f
const noPage = 0xffffffffffffffffn
const nodeHeaderBytes = 8
const bigDataFlag = 0x01
const emptyKey = Buffer.alloc(0)

/** The damage of a file, as the end of a sentence that names it. */
export class Damage extends Error {}

export interface Pages {
  readonly fd: number
  readonly pageBytes: number
  /** Complete pages in the file, up to the last one that the meta page counts as used. */
  readonly count: bigint
}

type Compare = (a: Buffer, b: Buffer) => number

export interface Tree {
  readonly root: bigint
  readonly depth: number
  /** The order of the tree's keys. */
  readonly compare: Compare
}

/** Walks level by level from the roots, so that a bounded walk sees the pages above most others. */
export function checkTrees(pages: Pages, trees: readonly Tree[], budget: number): void {
  let left = budget
  const page = Buffer.alloc(pages.pageBytes)
  for (const tree of trees) {
    let level = tree.root === noPage ? [] : [tree.root]
    for (let height = tree.depth; level.length > 0; height--) {
      const next: bigint[] = []
      let lastKey: Buffer | undefined
      for (const number of level) {
        if (left-- <= 0) return
        readPage(pages, number, page)
        const nodes = height > 1 ? branchNodes(page, number, next) : leafNodes(page, number, pages)
        lastKey = checkOrder(nodes, number, tree.compare, lastKey)
      }
      level = next
    }
  }
}

function readPage(pages: Pages, number: bigint, into: Buffer): void {
  if (number >= pages.count) throw new Damage(`it points at page ${number}, which it does not hold`)
  readSync(pages.fd, into, 0, into.length, Number(number) * pages.pageBytes)
  if (into.readBigUInt64LE(0) !== number) throw new Damage(`page ${number} holds something else`)
}

/** The keys of a branch. The first one stands for all keys below the second and is not checked. */
function branchNodes(page: Buffer, number: bigint, children: bigint[]): Buffer[] {
  return nodesOf(page, number, pageKind.branch).map((at, i) => {
    children.push(BigInt(page.readUIntLE(at, 6)))
    return i === 0 ? emptyKey : keyAt(page, at)
  })
}

function leafNodes(page: Buffer, number: bigint, pages: Pages): Buffer[] {
  return nodesOf(page, number, pageKind.leaf).map((at) => {
    const key = keyAt(page, at)
    const data = at + nodeHeaderBytes + key.length
    const flags = page.readUInt16LE(at + 4)
    const isOverflow = flags === bigDataFlag
    if (!isOverflow && flags !== 0) throw new Damage(`page ${number} holds a record of a kind that is never written`)
    if (data + (isOverflow ? pageHeaderBytes : page.readUInt32LE(at)) > page.length) {
      throw new Damage(`page ${number} holds a record that runs over its end`)
    }
    if (isOverflow)
      checkOverflow(pages, page.readBigUInt64LE(data), page.readBigUInt64LE(data + 16), page.readUInt32LE(at))
    return key
  })
}

/** A record too long for its leaf has overflow pages. */
function checkOverflow(pages: Pages, first: bigint, count: bigint, dataBytes: number): void {
  const header = Buffer.alloc(pageHeaderBytes)
  const end = first + BigInt(Math.ceil((pageHeaderBytes + dataBytes) / pages.pageBytes))
  if (end > pages.count) throw new Damage(`it points at page ${end - 1n}, which it does not hold`)
  readPage(pages, first, header)
  if (kindOf(header) !== pageKind.overflow || first + count < end) {
    throw new Damage(`page ${first} is not of the kind that belongs there`)
  }
}

function nodesOf(page: Buffer, number: bigint, kind: number): number[] {
  if (kindOf(page) !== kind) throw new Damage(`page ${number} is not of the kind that belongs there`)
  const count = page.readUInt16LE(20) >> 1
  if (count === 0) throw new Damage(`page ${number} is empty`)
  const offsets: number[] = []
  for (let i = 0; i < count; i++) {
    const slot = pageHeaderBytes + i * 2
    const at = slot + 2 <= page.length ? pageHeaderBytes + page.readUInt16LE(slot) : page.length
    const keyEnd = at + nodeHeaderBytes <= page.length ? at + nodeHeaderBytes + page.readUInt16LE(at + 6) : at
    if (keyEnd > page.length || keyEnd === at) throw new Damage(`page ${number} points outside itself`)
    offsets.push(at)
  }
  return offsets
}

function keyAt(page: Buffer, at: number): Buffer {
  return page.subarray(at + nodeHeaderBytes, at + nodeHeaderBytes + page.readUInt16LE(at + 6))
}

/** Keys out of order could send a reader in circles. Returns a copy of the last key. */
function checkOrder(keys: readonly Buffer[], number: bigint, compare: Compare, before?: Buffer): Buffer {
  let last = before
  for (const key of keys) {
    if (last && key !== emptyKey && compare(last, key) >= 0)
      throw new Damage(`the keys of page ${number} are out of order`)
    if (key !== emptyKey) last = key
  }
  return Buffer.from(last ?? emptyKey)
}

/** The order of the tree of free pages, whose keys are transaction numbers. */
export function compareNumbers(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) return 0
  return a.readBigUInt64LE(0) < b.readBigUInt64LE(0) ? -1 : 1
}

export function kindOf(page: Buffer): number {
  return page.readUInt16LE(18) & kindMask
}
