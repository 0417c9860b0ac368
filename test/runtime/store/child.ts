/** A process of its own over a store, for tests that kill it, stop it, starve it or let it meet what might crash it. */
import { writeSync } from 'node:fs'
import { table } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'

export const left = table<[writer: number, n: number], { n: number; text: string }>('left')
export const right = table<[writer: number, n: number], { n: number; text: string }>('right')

/** Every acknowledged pair is printed at once; the pipe holds it even if the process dies in the next instant. */
async function write(dir: string): Promise<void> {
  const store = await openStore({ dir, shards: 16, freeBytes: () => Number.POSITIVE_INFINITY })
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let n = store.range(left, { prefix: [writer], reverse: true, limit: 1 })[Symbol.iterator]().next().value?.value.n ?? 0; ; ) {
      n++
      const value = { n, text: 'x'.repeat((n * 37) % 3000) }
      await store.commit([
        { table: left, key: [writer, n], value },
        { table: right, key: [writer, n], value },
      ])
      writeSync(1, `${writer} ${n}\n`)
    }
  })
  const failed = await Promise.all(writers).catch((error: Error) => error)
  const later = await store.commit([{ table: left, key: [0, 0] }]).catch((error: Error) => error)
  say({ failed, later, failure: store.failure(), rows: [...store.range(left)].length })
  await store.close()
  say('closed')
}

async function hold(dir: string): Promise<void> {
  await tryOpen(dir)
  setInterval(() => undefined, 60_000)
}

async function tryOpen(dir: string): Promise<void> {
  try {
    const store = await openStore({ dir, shards: 16 })
    say({ opened: true, rows: [...store.range(left)].length + [...store.range(right)].length })
  } catch (error) {
    say({ opened: false, error })
  }
}

async function tryEach(...dirs: string[]): Promise<void> {
  for (const dir of dirs) await tryOpen(dir)
}

function say(what: unknown): void {
  const plain = (_: string, value: unknown) =>
    value instanceof Error ? { name: value.name, message: value.message } : value
  writeSync(1, `${JSON.stringify(what, plain)}\n`)
}

const [mode, ...args] = process.argv.slice(2)
const modes: Record<string, (...args: string[]) => Promise<void>> = { write, hold, tryEach }
if (mode) await modes[mode]?.(...args)
