/**
 * Looks over the data file before LMDB is asked to map it. LMDB trusts the file: a page that is cut off or points
 * nowhere would end the process with a bus error, where an operator should be told a sentence.
 */
import { closeSync, fstatSync, openSync } from 'node:fs'
import { store as limits } from '../../core/limits.js'
import { StoreUnusable } from './contract.js'
import { newestHead } from './head.js'
import { checkTrees, Damage } from './pagetree.js'

/** Throws StoreUnusable when the file is not one that LMDB can open safely. Only reads. */
export function checkDataFile(path: string): void {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    checkPages(fd)
  } catch (error) {
    throw unusable(path, error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** The sentence for an operator whose data file cannot be worked on. */
export function unusable(path: string, error: unknown): StoreUnusable {
  const why = error instanceof Error ? error.message : String(error)
  if (!(error instanceof Damage)) return new StoreUnusable(`The data file ${path} cannot be read: ${why}.`)
  return new StoreUnusable(
    `The data file ${path} is damaged: ${why}. Nothing was changed. Put a backup in its place, or start with another ` +
      'data directory.',
  )
}

function checkPages(fd: number): void {
  const { size } = fstatSync(fd)
  if (size === 0) throw new Damage('it is empty')
  const newest = newestHead(fd)
  const held = BigInt(Math.floor(size / newest.pageBytes))
  const short = held <= newest.lastPage
  const pages = { fd, pageBytes: newest.pageBytes, count: short ? held : newest.lastPage + 1n }
  // Pages at the end that were given up before they were ever written are missing from a healthy file, so one that is
  // short is walked to its last page to see whether something still in use is gone.
  checkTrees(pages, newest.trees, short ? Number.POSITIVE_INFINITY : limits.checkedPages)
}
