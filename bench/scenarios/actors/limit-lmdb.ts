/** The limit of the actors scenario: lmdb alone, one record per actor, awaited until it is on the disk. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { serveCandidate } from '../../harness/rpc.js'
import { ourSettings } from '../store/settings.js'
import { stateTable } from './command.js'
import { createTouchWork } from './touch.js'

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<unknown, string[]>({ path, ...ourSettings })

serveCandidate({
  ready: {},
  work: createTouchWork(async (owner) => {
    await db.put([stateTable.name, owner], { times: 1, at: Date.now() })
    await db.flushed
  }),
  close: () => db.close(),
})
