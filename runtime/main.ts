/** The process: reads its configuration, starts the node, says where it is, and stops well. */
import { shutdown } from '../core/limits.js'
import { AdapterUnusable } from './adapters.js'
import { banner } from './banner.js'
import { systemClock } from './clock.js'
import { type Config, readConfig } from './config.js'
import { prepareUws, UnverifiedBinary } from './http/binary.js'
import { CannotListen } from './http/server.js'
import { BusUnusable } from './nats/contract.js'
import { ProvidersUnusable } from './oauth/providers.js'
import { openLog } from './observe/log.js'
import { type RunningNode, runNode } from './run.js'
import { StoreUnusable } from './store/contract.js'
import { RootKeyWrong } from './store/rootsecrets.js'

const exitCodes = { stopped: 0, failed: 1, badConfiguration: 2 } as const

const badConfiguration = [AdapterUnusable, ProvidersUnusable, RootKeyWrong]

const { log, flush } = openLog()

async function leave(code: number): Promise<never> {
  await flush()
  process.exit(code)
}

/** A terminal that was closed is no reason to stop. */
process.stderr.on('error', () => {})

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

async function configuration(): Promise<Config> {
  const read = readConfig(process.env)
  if ('config' in read) return read.config
  for (const problem of read.problems) say(problem)
  return leave(exitCodes.badConfiguration)
}

async function start(config: Config): Promise<RunningNode> {
  try {
    const unverified = prepareUws(config.allowUnverifiedUws)
    if (unverified) log.warn('uws.unverified', { detail: unverified })
    return await runNode(config, { clock: systemClock, log })
  } catch (error) {
    say((error as Error).message)
    log.error('node.start_failed', isExpected(error) ? { reason: (error as Error).message } : { error })
    const isBadConfiguration = badConfiguration.some((kind) => error instanceof kind)
    return leave(isBadConfiguration ? exitCodes.badConfiguration : exitCodes.failed)
  }
}

/** Errors of the configuration, the data or the machine; their message says all that an operator needs. */
const expectedErrors = [
  AdapterUnusable,
  BusUnusable,
  CannotListen,
  ProvidersUnusable,
  RootKeyWrong,
  StoreUnusable,
  UnverifiedBinary,
]

function isExpected(error: unknown): boolean {
  return expectedErrors.some((kind) => error instanceof kind)
}

function stopOnSignals(running: RunningNode): void {
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return leave(exitCodes.failed)
    stopping = true
    log.info('node.stopping', { signal })
    setTimeout(() => void leave(exitCodes.failed), shutdown.wholeMs).unref()
    await running.stop()
    log.info('node.stopped')
    return leave(exitCodes.stopped)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(signal))
}

/** A start that was killed before this shows the key again. */
async function noteKeyShown({ node }: RunningNode): Promise<void> {
  await node.bootstrapped.shown?.().catch((error) => log.warn('node.key_shown_twice', { error }))
}

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    log.error('node.crashed', { error })
    void leave(exitCodes.failed)
  })
}

const config = await configuration()
const running = await start(config)
stopOnSignals(running)
log.info('node.started', { urls: running.urls })
process.stderr.write(banner(running, config.bootstrapKey !== undefined), () => void noteKeyShown(running))
