/** A whole node with books, as a process: configured like any node, plus its name and the receiver of effects. */
import { shutdown } from '../../core/limits/index.js'
import { systemClock } from '../../runtime/clock.js'
import { readConfig } from '../../runtime/config/config.js'
import { runNode } from '../../runtime/node/listen.js'
import { createLog } from '../../runtime/observe/log.js'
import type { Engine, Shards } from '../../runtime/shard/contract.js'
import { bookHandlers, bookRoutes } from './books.js'
import { delayEffects, withMutants } from './mutants.js'

const { FAULTS_NODE: name = 'node', FAULTS_RECEIVER: receiver = '', FAULTS_MUTANTS: mutants = '' } = process.env
const { log, flush } = createLog()

async function leave(code: number): Promise<never> {
  await flush()
  process.exit(code)
}

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    log.error('node.crashed', { error })
    process.stderr.write(`${(error as Error)?.stack ?? error}\n`)
    void leave(1)
  })
}

const read = readConfig(process.env)
if ('problems' in read) throw new Error(read.problems.join(' '))
const { config } = read

/** Routes and effect handlers are passed in before the engine exists, and run only after. */
let engine: Engine | undefined
function between<S extends Shards>(shards: S): S {
  const mutated = withMutants(shards, mutants)
  if ('inspect' in mutated) engine = mutated as S & Engine
  return mutated
}
const keeping = { name, receiver, shards: config.shards, engine: () => engine!, delay: delayEffects(mutants) }
const running = await runNode(config, {
  clock: systemClock,
  log,
  wrapShards: between,
  extraRoutes: bookRoutes(keeping),
  extraModule: bookHandlers(keeping),
})

process.on('SIGTERM', async () => {
  setTimeout(() => void leave(1), shutdown.wholeMs).unref()
  await running.stop()
  await leave(0)
})
log.info('node.started', { urls: running.urls })
