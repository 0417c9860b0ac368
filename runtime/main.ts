/** The process: reads its configuration, starts the node, prints its addresses, and shuts down cleanly. */
import { shutdown } from '../core/limits/index.js'
import { systemClock } from './clock.js'
import { type Config, readConfig } from './config/config.js'
import { prepareUws, UnverifiedBinary } from './http/binary.js'
import { ListenError } from './http/server.js'
import { BusUnusable } from './nats/contract.js'
import { banner } from './node/banner.js'
import { type RunningNode, runNode } from './node/listen.js'
import { AdapterUnusable } from './node/partneradapters.js'
import { ProvidersUnusable } from './oauth/providers.js'
import { createLog } from './observe/log.js'
import { RootKeyMismatch } from './secrets/rootsecrets.js'
import { StoreUnusable } from './store/contract.js'

const exitCodes = { stopped: 0, failed: 1, badConfiguration: 2 } as const

const badConfiguration = [AdapterUnusable, ProvidersUnusable, RootKeyMismatch]

const { log, flush } = createLog()

async function exitWith(code: number): Promise<never> {
  await flush()
  process.exit(code)
}

/** A closed terminal does not stop the process. */
process.stderr.on('error', () => {})

function printLine(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

async function loadConfig(): Promise<Config> {
  const read = readConfig(process.env)
  if ('config' in read) return read.config
  for (const problem of read.problems) printLine(problem)
  return exitWith(exitCodes.badConfiguration)
}

async function start(config: Config): Promise<RunningNode> {
  try {
    const unverified = prepareUws(config.allowUnverifiedUws)
    if (unverified) log.warn('uws.unverified', { detail: unverified })
    return await runNode(config, { clock: systemClock, log })
  } catch (error) {
    printLine((error as Error).message)
    log.error('node.start_failed', isExpected(error) ? { reason: (error as Error).message } : { error })
    const isBadConfiguration = badConfiguration.some((kind) => error instanceof kind)
    return exitWith(isBadConfiguration ? exitCodes.badConfiguration : exitCodes.failed)
  }
}

/** Errors of the configuration, the data or the machine: their message is all that an operator needs. */
const expectedErrors = [
  AdapterUnusable,
  BusUnusable,
  ListenError,
  ProvidersUnusable,
  RootKeyMismatch,
  StoreUnusable,
  UnverifiedBinary,
]

function isExpected(error: unknown): boolean {
  return expectedErrors.some((kind) => error instanceof kind)
}

function stopOnSignals(running: RunningNode): void {
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return exitWith(exitCodes.failed)
    stopping = true
    log.info('node.stopping', { signal })
    setTimeout(() => void exitWith(exitCodes.failed), shutdown.wholeMs).unref()
    await running.stop()
    log.info('node.stopped')
    return exitWith(exitCodes.stopped)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(signal))
}

/** If the process is killed before this, the next start shows the key again. */
async function markKeyShown({ node }: RunningNode): Promise<void> {
  await node.bootstrapResult.markShown?.().catch((error) => log.warn('node.key_shown_twice', { error }))
}

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    log.error('node.crashed', { error })
    void exitWith(exitCodes.failed)
  })
}

const config = await loadConfig()
const running = await start(config)
stopOnSignals(running)
log.info('node.started', { urls: running.urls })
process.stderr.write(banner(running, config.bootstrapKey !== undefined), () => void markKeyShown(running))
