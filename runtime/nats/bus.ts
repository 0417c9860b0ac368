/** The bus over NATS: its parts share one connection, after a check that the servers support them. */

import { type Clock, systemClock } from '../clock.js'
import { sleep } from '../time.js'
import { type BusContext, type ConnectionSettings, openConnection } from './connection.js'
import { type Bus, BusUnusable, type Log } from './contract.js'
import { isRefused, NoStream, refusals } from './errors.js'
import { createInbox } from './inbox.js'
import { createBucket } from './keyvalue.js'
import { bus as limits } from './limits.js'
import { createLog } from './log.js'
import { createObjectStore } from './objects.js'
import { callUntilAnswered } from './retry.js'
import { createRpc } from './rpc.js'
import type { StreamContext } from './stream.js'
import { serverWarnings } from './warnings.js'

export interface NatsOptions extends ConnectionSettings {
  /** Whether the operator declares that the servers sync every message to disk before they acknowledge it. */
  readonly syncAlways: boolean
  readonly clock?: Clock
}

/** Resolves when the servers are reachable and suitable; otherwise rejects with a BusUnusable that names the reason. */
export async function openNats(options: NatsOptions): Promise<Bus> {
  const { log, syncAlways, clock = systemClock } = options
  const { connection, close: closeConnection } = await openConnection(options, clock)
  const closing = new AbortController()
  const shared: BusContext = { connection, clock, log, closing: closing.signal }
  const context: StreamContext = { ...shared, inbox: createInbox(shared), pending: new Map() }
  const logs = new Map<number, Promise<Log>>()
  let closed: Promise<void> | undefined

  function close(): Promise<void> {
    closing.abort()
    closed ??= closeConnection()
    return closed
  }

  try {
    await checkJetStream(context)
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...createRpc(context),
    members: createBucket(context, { name: 'parley_members', storage: 'memory', maxAgeMs: limits.memberKeptMs }),
    settings: createBucket(context, { name: 'parley_settings', storage: 'file', maxAgeMs: 0 }),
    objects: createObjectStore(context, 'parley_snapshots'),
    log(shard) {
      const opened = logs.get(shard) ?? createLog(context, shard)
      logs.set(shard, opened)
      return opened
    },
    failure: () => connection.failure() ?? pendingStream(context),
    warnings: () => serverWarnings(connection.server(), syncAlways),
    close,
  }
}

function pendingStream({ pending }: StreamContext): string | undefined {
  for (const [stream, reason] of pending) return `The stream ${stream} cannot be made yet. ${reason}`
  return undefined
}

/** Servers of a cluster that is starting answer nothing until they agree on a leader. */
async function checkJetStream(context: BusContext): Promise<void> {
  const { connection, clock } = context
  const { address } = connection.server()
  for (const deadline = clock.now() + limits.connectMs; ; await sleep(clock, limits.reconnectMs)) {
    try {
      await callUntilAnswered(context, ({ manager }) => manager.getAccountInfo())
      return
    } catch (error) {
      if (isRefused(error, refusals.notEnabled) || error instanceof NoStream) {
        throw new BusUnusable(`The NATS server at ${address} offers no JetStream to this user.`, { cause: error })
      }
      if (clock.now() >= deadline) {
        const reason = (error as Error).message
        throw new BusUnusable(`JetStream of the NATS server at ${address} cannot be used: ${reason}`, { cause: error })
      }
    }
  }
}
