/** The limit of the store scenario: lmdb alone, one put per record, each awaited until it is on the disk. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { serveCandidate } from '../../harness/rpc.js'
import { ourSettings } from './settings.js'
import { transactionsOf } from './transactions.js'
import { createWriterWork, type Entry, entry } from './writers.js'

/** Without the argument, lmdb's own defaults. */
const { noSubdir, mapSize } = ourSettings
const settings = process.argv.includes('--our-settings') ? ourSettings : { noSubdir, mapSize }

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<Entry, [string, number, number]>({ path, ...settings })

serveCandidate({
  ready: { notes: [`Settings: ${JSON.stringify(settings)}.`] },
  work: createWriterWork(
    async (writer, sequence) => {
      await db.put(['entry', writer, sequence], entry(writer, sequence))
      await db.flushed
    },
    () => transactionsOf(path),
  ),
  close: () => db.close(),
})
