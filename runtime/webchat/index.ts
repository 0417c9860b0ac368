/** Composition of web chat: shard queries, routes and the socket acceptor. */
import type { Adapter } from '../../core/channel/adapter.js'
import { closeCodes } from '../../core/channel/socketcodec.js'
import { parseUrl } from '../config/url.js'
import type { Route } from '../http/route.js'
import type { SocketAcceptor } from '../http/websocket.js'
import type { Rpc } from '../nats/contract.js'
import type { Log } from '../observe/log.js'
import { counterOf, initializeSeries, registerGauge } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import type { Buckets } from '../ratelimit/contract.js'
import type { Handlers, Local } from '../shard/contract.js'
import { createSocketAdmission } from './admission.js'
import type { SocketAdapter } from './render.js'
import type { WebchatDeps } from './session.js'
import { openSubscriptions } from './subscriptions.js'
import { createVisitorTokens } from './tokens.js'
import { readBackfill, readTranscript, readUnmarked } from './transcript.js'
import { visitorRoutes } from './visitors.js'

export const webchatQueries = [readTranscript, readBackfill, readUnmarked] as unknown as Handlers['queries']

/** Paths that pages of any site may call; the binding decides which origins it accepts. */
export function isChatPath(path: string): boolean {
  return path.startsWith('/v4/webchat/')
}

/** Close codes of the widget's protocol, by number. */
const closeReasons = new Map<number, string>(Object.entries(closeCodes).map(([reason, code]) => [code, reason]))

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
  if (!adapter.socket) throw new Error('the adapter of web chat does not speak over sockets')
  const { clock } = deps
  const tokens = createVisitorTokens(options.tokenKey, clock)
  const ownOrigin = () => parseUrl(options.publicUrl())?.origin ?? ''
  const subscriptions = openSubscriptions({ local, ...(bus && { bus }), clock })
  const closed = counterOf(options.metrics, 'parley_webchat_closed_total')
  initializeSeries(closed, [...closeReasons.values(), 'other'])
  const admission = createSocketAdmission({
    ...{ deps, adapter: adapter as SocketAdapter, tokens, subscriptions, buckets, ownOrigin, log },
    onClose: (code) => closed(closeReasons.get(code) ?? 'other').add(),
  })
  registerGauge(options.metrics, 'parley_webchat_sockets', admission.count)
  return {
    routes: visitorRoutes({ directory: deps.directory, tokens, ownOrigin, randomBytes }),
    sockets: admission,
    close: subscriptions.close,
  }
}
