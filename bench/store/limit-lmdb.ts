/** The limit of the store scenario: lmdb alone, one put a record, each awaited until it is on the disk. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { store as limits } from '../../core/limits.js'
import { present } from '../control.js'
import { transactionsOf } from './transactions.js'
import { type Entry, entry, writersOver } from './writers.js'

/** The settings of our own store; without the argument, those that lmdb has by itself. */
const ours = { overlappingSync: false, eventTurnBatching: false, commitDelay: 0, safeRestore: true, cache: false }
const settings = process.argv.includes('--our-settings') ? ours : {}

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<Entry, [string, number, number]>({ path, noSubdir: true, mapSize: limits.mapBytes, ...settings })

present({
  ready: { notes: [`Settings: ${JSON.stringify(settings)}.`] },
  work: writersOver(
    async (writer, serial) => {
      await db.put(['entry', writer, serial], entry(writer, serial))
      await db.flushed
    },
    () => transactionsOf(path),
  ),
  close: () => db.close(),
})
