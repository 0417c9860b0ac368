/** Web chat as a whole: the questions it asks of shards, the calls it answers, and the door for its sockets. */
import type { Adapter } from '../../core/channel/adapter.js'
import type { Wire } from '../bus/contract.js'
import type { Places } from '../gateway/places.js'
import type { Route } from '../http/route.js'
import type { SocketDoor } from '../http/websocket.js'
import type { Buckets } from '../limits/contract.js'
import type { Log } from '../observe/log.js'
import type { Local, Repertoire } from '../shard/contract.js'
import { parsedUrl } from '../url.js'
import { openSocketDoor } from './door.js'
import { openFollowers } from './followers.js'
import type { LiveAdapter } from './lines.js'
import { openVisitorTokens } from './tokens.js'
import { readLines, readUnmarked } from './transcript.js'
import { visitorRoutes } from './visitors.js'

export const webchatQueries = [readLines, readUnmarked] as unknown as Repertoire['queries']

/** Pages of any site may call here; whether they are wanted the binding says. */
export function isChatPath(path: string): boolean {
  return path.startsWith('/v4/webchat/')
}

export interface Webchat {
  readonly routes: readonly Route[]
  readonly sockets: SocketDoor
  /** Sockets that are open. */
  count(): number
  close(): void
}

export interface WebchatOptions {
  readonly places: Places
  readonly adapter: Adapter
  readonly local: Pick<Local, 'watch'>
  readonly bus?: Wire
  readonly buckets: Buckets
  readonly tokenKey: Uint8Array
  readonly publicUrl: () => string
  readonly randomBytes: (count: number) => Uint8Array
  readonly log: Log
}

export function openWebchat(options: WebchatOptions): Webchat {
  const { places, adapter, local, bus, buckets, log, randomBytes } = options
  if (!adapter.live) throw new Error('the adapter of web chat does not speak over sockets')
  const { clock } = places
  const tokens = openVisitorTokens(options.tokenKey, clock)
  const ownOrigin = () => parsedUrl(options.publicUrl())?.origin ?? ''
  const followers = openFollowers({ local, ...(bus && { bus }), clock })
  const door = openSocketDoor({ places, adapter: adapter as LiveAdapter, tokens, followers, buckets, ownOrigin, log })
  return {
    routes: visitorRoutes({ places, tokens, buckets, ownOrigin, randomBytes }),
    sockets: door,
    count: door.count,
    close: followers.close,
  }
}
