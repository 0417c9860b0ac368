/**
 * Looks over the data file before LMDB is asked to map it. LMDB trusts the file: a page that is cut off or points
 * nowhere would end the process with a bus error, where an operator should be told a sentence.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { store as limits } from '../../core/limits.js'
import { StoreUnusable } from './contract.js'
import { checkTrees, compareNumbers, Damage, kindOf, pageHeaderBytes, pageKind, type Tree } from './pagetree.js'

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
const metaBytes = 144
const minPageBytes = 256
const maxPageBytes = 65_536

interface Meta {
  readonly pageBytes: number
  readonly lastPage: bigint
  readonly txn: bigint
  readonly trees: readonly Tree[]
}

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
  const held = BigInt(Math.floor(size / newest.pageBytes))
  const short = held <= newest.lastPage
  const pages = { fd, pageBytes: newest.pageBytes, count: short ? held : newest.lastPage + 1n }
  // Pages at the end that were given up before they were ever written are missing from a healthy file, so one that is
  // short is walked to its last page to see whether something still in use is gone.
  checkTrees(pages, newest.trees, short ? Number.POSITIVE_INFINITY : limits.checkedPages)
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
  return { pageBytes, lastPage, txn: body.readBigUInt64LE(metaAt.txn), trees }
}
