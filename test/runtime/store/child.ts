/** A process of its own over a store, for tests that kill it, stop it, starve it or show it what might crash it. */
import { writeSync } from 'node:fs'
import type { Space } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { commit, left, right } from './tables.js'

/** Only now that all code is loaded: the other user need not be able to read the project's folder. */
if (process.env.BECOME_UID) process.setuid?.(Number(process.env.BECOME_UID))

const writers = 8
const shard = 0

/** Prints every acknowledged pair at once: the pipe holds it even if the process dies in the next instant. */
async function write(dir: string, pairs = 'Infinity', durability = 'synced'): Promise<void> {
  const lasting = durability as 'synced' | 'async'
  const store = await openStore({ dir, shards: 16, durability: lasting, freeBytes: () => Number.POSITIVE_INFINITY })
  const space = store.space(shard)
  const writing = Array.from({ length: writers }, (_, writer) => writePairs(space, writer, Number(pairs)))
  const failed = await Promise.all(writing).catch((error: Error) => error)
  const later = await commit(space, [{ table: left, key: [0, 0] }]).catch((error: Error) => error)
  print({ failed, later, failure: store.failure(), rows: [...space.range(left)].length })
  await store.close()
  print('closed')
}

async function writePairs(space: Space, writer: number, pairs: number): Promise<void> {
  const [last] = space.range(left, { prefix: [writer], reverse: true, limit: 1 })
  const first = (last?.value.n ?? 0) + 1
  for (let n = first; n < first + pairs; n++) {
    const key: [number, number] = [writer, n]
    const value = { n, text: 'x'.repeat((n * 37) % 3000) }
    await commit(
      space,
      [left, right].map((table) => ({ table, key, value })),
    )
    writeSync(1, `${writer} ${n}\n`)
  }
}

async function holdOpen(dir: string): Promise<void> {
  await tryOpen(dir)
  setInterval(() => undefined, 60_000)
}

async function tryEach(...dirs: string[]): Promise<void> {
  for (const dir of dirs) await tryOpen(dir)
}

async function tryOpen(dir: string): Promise<void> {
  try {
    const store = await openStore({ dir, shards: 16 })
    print({ opened: true, ...readAll(store.space(shard)) })
  } catch (error) {
    print({ opened: false, error })
  }
}

/** A record whose bytes were changed may be unreadable; that is told, and is no failure to open. */
function readAll(space: Space): { rows: number } | { unreadable: unknown } {
  try {
    return { rows: [...space.range(left)].length + [...space.range(right)].length }
  } catch (unreadable) {
    return { unreadable }
  }
}

function print(what: unknown): void {
  const spellValue = (_: string, value: unknown) =>
    value instanceof Error ? { name: value.name, message: value.message } : value
  writeSync(1, `${JSON.stringify(what, spellValue)}\n`)
}

const modes: Record<string, (...args: string[]) => Promise<void>> = { write, hold: holdOpen, tryEach }
const [mode = '', ...args] = process.argv.slice(2)
await modes[mode]!(...args)
