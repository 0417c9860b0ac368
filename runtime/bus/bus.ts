/** The bus put together from its parts over one link, once the servers have shown that they can carry it. */
import { bus as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import { openNatsBucket } from './bucket.js'
import { type Bus, BusUnusable, type Log } from './contract.js'
import { openInbox } from './inbox.js'
import { callApi, isRefused, NoStream, refusals } from './jetstream.js'
import { type BusLog, type Link, pause, type Surroundings } from './link.js'
import { openNatsLog } from './log.js'
import { remarksOn } from './remarks.js'
import { openNatsSnapshots } from './snapshots.js'
import type { StreamHost } from './stream.js'
import { openNatsWire } from './wire.js'

export interface BusOptions {
  readonly link: Link
  readonly clock: Clock
  readonly log: BusLog
  readonly syncAlways: boolean
  closeLink(): Promise<void>
}

export async function openBus(options: BusOptions): Promise<Bus> {
  const { link, clock, log, syncAlways, closeLink } = options
  const closing = new AbortController()
  const around: Surroundings = { link, clock, log, closing: closing.signal }
  const host: StreamHost = { ...around, inbox: openInbox(around), unmade: new Map() }
  const logs = new Map<number, Promise<Log>>()
  let closed: Promise<void> | undefined

  function close(): Promise<void> {
    closing.abort()
    closed ??= closeLink()
    return closed
  }

  try {
    await checkJetStream(host)
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...openNatsWire(host),
    members: openNatsBucket(host, { name: 'parley_members', storage: 'memory', keptMs: limits.memberKeptMs }),
    settings: openNatsBucket(host, { name: 'parley_settings', storage: 'file', keptMs: 0 }),
    snapshots: openNatsSnapshots(host, 'parley_snapshots'),
    log(shard) {
      const known = logs.get(shard) ?? openNatsLog(host, shard)
      logs.set(shard, known)
      return known
    },
    failure: () => link.failure() ?? waitingFor(host),
    remarks: () => remarksOn(link.server(), syncAlways),
    close,
  }
}

function waitingFor({ unmade }: StreamHost): string | undefined {
  for (const [stream, why] of unmade) return `The stream ${stream} cannot be made yet. ${why}`
  return undefined
}

/** Servers of a cluster that is just starting have nothing to say until they agree on a leader. */
async function checkJetStream(host: StreamHost): Promise<void> {
  const { address } = host.link.server()
  for (const deadline = host.clock.now() + limits.connectMs; ; await pause(host, limits.reconnectMs)) {
    try {
      await callApi(host.inbox, 'INFO')
      return
    } catch (error) {
      const absent = [refusals.notEnabled, refusals.notEnabledForAccount].some((number) => isRefused(error, number))
      if (absent || error instanceof NoStream) {
        throw new BusUnusable(`The NATS server at ${address} offers no JetStream to this user.`, { cause: error })
      }
      if (host.clock.now() >= deadline) {
        const why = (error as Error).message
        throw new BusUnusable(`JetStream of the NATS server at ${address} cannot be used: ${why}`, { cause: error })
      }
    }
  }
}
