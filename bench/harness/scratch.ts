/** The scratch folder of a run: on a real disk, removed after the run. */
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Linux's numbers of common filesystems; a store on the last two measures memory. */
const filesystems: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  801189825: 'zfs',
  2035054128: 'overlay',
  26985: 'nfs',
  16914836: 'tmpfs',
  2240043254: 'ramfs',
}
const inMemory = new Set(['tmpfs', 'ramfs'])

export function filesystemOf(folder: string): string {
  const { type } = statfsSync(folder)
  return filesystems[type] ?? `filesystem 0x${type.toString(16)}`
}

/** Uses the folder of the compiled files, which is on the project's disk, where the temporary folder is memory. */
export function createScratch(): { readonly path: string; remove(): void } {
  const buildFolder = fileURLToPath(new URL('../..', import.meta.url))
  const parent = inMemory.has(filesystemOf(tmpdir())) ? buildFolder : tmpdir()
  mkdirSync(parent, { recursive: true })
  const path = mkdtempSync(join(parent, 'parley-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}
