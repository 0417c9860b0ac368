/** The limit of the actors scenario: lmdb alone, one record for each actor, awaited until it is on the disk. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { present } from '../control.js'
import { ourSettings } from '../store/settings.js'
import { stateTable } from './command.js'
import { touching } from './touching.js'

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<unknown, string[]>({ path, ...ourSettings })

present({
  ready: {},
  work: touching(async (owner) => {
    await db.put([stateTable.name, owner], { times: 1, at: Date.now() })
    await db.flushed
  }),
  close: () => db.close(),
})
