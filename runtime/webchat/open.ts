/** Web chat as a whole: the questions it asks of shards, the calls it answers, and the door for its sockets. */
import type { Adapter } from '../../core/channel/adapter.js'
import { closeCodes } from '../../core/channel/live.js'
import type { Route } from '../http/route.js'
import type { SocketAcceptor } from '../http/websocket.js'
import type { Buckets } from '../limits/contract.js'
import type { Rpc } from '../nats/contract.js'
import type { Log } from '../observe/log.js'
import type { Metrics } from '../observe/metrics.js'
import { beginAtZero, counterOf, gaugeOf } from '../observe/named.js'
import type { Local, Repertoire } from '../shard/contract.js'
import { parsedUrl } from '../url.js'
import { openSocketDoor } from './door.js'
import { openFollowers } from './followers.js'
import type { LiveAdapter } from './lines.js'
import { openVisitorTokens } from './tokens.js'
import { readLines, readOlder, readUnmarked } from './transcript.js'
import type { WebchatDeps } from './visit.js'
import { visitorRoutes } from './visitors.js'

export const webchatQueries = [readLines, readOlder, readUnmarked] as unknown as Repertoire['queries']

/** Pages of any site may call here; whether they are wanted the binding says. */
export function isChatPath(path: string): boolean {
  return path.startsWith('/v4/webchat/')
}

/** Codes of the widget's protocol, by what they are called. */
const whyOf = new Map<number, string>(Object.entries(closeCodes).map(([why, code]) => [code, why]))

export interface Webchat {
  readonly routes: readonly Route[]
  readonly sockets: SocketAcceptor
  close(): void
}

export interface WebchatOptions {
  readonly deps: WebchatDeps
  readonly adapter: Adapter
  readonly local: Pick<Local, 'watch'>
  readonly bus?: Rpc
  readonly buckets: Buckets
  readonly tokenKey: Uint8Array
  readonly publicUrl: () => string
  readonly randomBytes: (count: number) => Uint8Array
  readonly log: Log
  readonly metrics: Metrics
}

export function openWebchat(options: WebchatOptions): Webchat {
  const { deps, adapter, local, bus, buckets, log, randomBytes } = options
  if (!adapter.live) throw new Error('the adapter of web chat does not speak over sockets')
  const { clock } = deps
  const tokens = openVisitorTokens(options.tokenKey, clock)
  const ownOrigin = () => parsedUrl(options.publicUrl())?.origin ?? ''
  const followers = openFollowers({ local, ...(bus && { bus }), clock })
  const closed = counterOf(options.metrics, 'parley_webchat_closed_total')
  beginAtZero(closed, [...whyOf.values(), 'other'])
  const door = openSocketDoor({
    ...{ deps, adapter: adapter as LiveAdapter, tokens, followers, buckets, ownOrigin, log },
    closed: (code) => closed(whyOf.get(code) ?? 'other').add(),
  })
  gaugeOf(options.metrics, 'parley_webchat_sockets', door.count)
  return {
    routes: visitorRoutes({ directory: deps.directory, tokens, ownOrigin, randomBytes }),
    sockets: door,
    close: followers.close,
  }
}
