/**
 * Checks a data file before LMDB maps it: its two meta pages, and the pages below them. LMDB trusts the file: a page
 * that is cut off or points outside would end the process with a bus error, without a sentence for the operator. Only
 * reads.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { StoreUnusable } from './contract.js'
import { store as limits } from './limits.js'
import { checkTrees, compareNumbers, Damage, kindOf, pageHeaderBytes, pageKind, type Tree } from './pagetree.js'

const magic = 0xbeefc0de
const dataVersion = 2
/** Offsets in a meta page, after its header. */
const metaOffsets = {
  magic: 0,
  version: 4,
  mapBytes: 16,
  pageBytes: 24,
  freeTree: 24,
  mainTree: 72,
  lastPage: 120,
  txn: 128,
} as const
const treeOffsets = { flags: 4, depth: 6, root: 40 } as const
/**
 * Keys of the tree of free pages are integers; its flags may also hold those with which the file was opened at its
 * creation.
 */
const integerKeys = 0x08
const openFlags = 0x5c00
const metaBytes = pageHeaderBytes + 144
const minPageBytes = 256
const maxPageBytes = 65_536

interface MetaPage {
  readonly pageBytes: number
  readonly lastPage: bigint
  readonly txn: bigint
  readonly trees: readonly Tree[]
}

/** Parley up to 0.1 left this file beside the data of a cluster's node until the node was stopped. */
export const unsyncedMarkerOf = (path: string) => `${path}-synced`

/** Throws StoreUnusable when the file is not one that LMDB can open safely. */
export function checkDataFile(path: string): void {
  refuseUnsynced(path)
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    checkPages(fd)
  } catch (error) {
    throw unusableError(path, error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** With that mark the newest transactions of the file may be incomplete, and only that version of Parley can tell. */
function refuseUnsynced(path: string): void {
  if (!existsSync(unsyncedMarkerOf(path))) return
  throw new StoreUnusable(
    `The data file ${path} was left by an earlier Parley that was not stopped in order. Start that version on it once ` +
      'and stop it, then start this one. A node of a cluster whose other nodes run may begin with an empty directory ' +
      'instead: it copies its shards from them.',
  )
}

/** The sentence for an operator whose data file cannot be used. */
function unusableError(path: string, error: unknown): StoreUnusable {
  const reason = error instanceof Error ? error.message : String(error)
  if (!(error instanceof Damage)) return new StoreUnusable(`The data file ${path} cannot be read: ${reason}.`)
  return new StoreUnusable(
    `The data file ${path} is damaged: ${reason}. Nothing was changed. Put a backup in its place, or start with another ` +
      'data directory.',
  )
}

function checkPages(fd: number): void {
  const { size } = fstatSync(fd)
  if (size === 0) throw new Damage('it is empty')
  const newest = newestMetaPage(fd)
  const present = BigInt(Math.floor(size / newest.pageBytes))
  const isShort = present <= newest.lastPage
  const pages = { fd, pageBytes: newest.pageBytes, count: isShort ? present : newest.lastPage + 1n }
  // A healthy file may lack pages at its end that were freed before they were ever written, so a short file is walked
  // to its last page to find out whether a page in use is missing.
  checkTrees(pages, newest.trees, isShort ? Number.POSITIVE_INFINITY : limits.checkedPages)
}

/** The meta page of the last transaction. */
function newestMetaPage(fd: number): MetaPage {
  const first = readMetaPage(fd, 0)
  const second = readMetaPage(fd, first.pageBytes)
  if (second.pageBytes !== first.pageBytes) throw new Damage('its two head pages disagree')
  return second.txn > first.txn ? second : first
}

function readMetaPage(fd: number, at: number): MetaPage {
  const bytes = Buffer.alloc(metaBytes)
  if (readSync(fd, bytes, 0, bytes.length, at) < bytes.length) throw new Damage('it ends within its head pages')
  const body = bytes.subarray(pageHeaderBytes)
  if (kindOf(bytes) !== pageKind.meta || body.readUInt32LE(metaOffsets.magic) !== magic) {
    throw new Damage('it does not begin as a data file does')
  }
  const version = body.readUInt32LE(metaOffsets.version) & 0xffff
  if (version !== dataVersion) throw new Damage(`its format is ${version}, where ${dataVersion} was expected`)
  const pageBytes = body.readUInt32LE(metaOffsets.pageBytes)
  if (pageBytes < minPageBytes || pageBytes > maxPageBytes || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new Damage(`it speaks of pages of ${pageBytes} bytes`)
  }
  const lastPage = body.readBigUInt64LE(metaOffsets.lastPage)
  if (lastPage >= body.readBigUInt64LE(metaOffsets.mapBytes) / BigInt(pageBytes)) {
    throw new Damage(`it speaks of a page ${lastPage}, which it has no room for`)
  }
  const freeFlags = body.readUInt16LE(metaOffsets.freeTree + treeOffsets.flags)
  if ((freeFlags & ~openFlags) !== integerKeys || body.readUInt16LE(metaOffsets.mainTree + treeOffsets.flags) !== 0) {
    throw new Damage('it is laid out in a way that Parley never uses')
  }
  const treeOf = (tree: number, compare: Tree['compare']) => ({
    root: body.readBigUInt64LE(tree + treeOffsets.root),
    depth: body.readUInt16LE(tree + treeOffsets.depth),
    compare,
  })
  const trees = [treeOf(metaOffsets.mainTree, Buffer.compare), treeOf(metaOffsets.freeTree, compareNumbers)]
  return { pageBytes, lastPage, txn: body.readBigUInt64LE(metaOffsets.txn), trees }
}
