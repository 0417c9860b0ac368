/** Lets pages of visitors in: who they are, whether their site may show the chat, and how many come from one address. */
import { agentKeyOf } from '../../core/agentkey.js'
import { closeCodes, type LineTelling } from '../../core/channel/live.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { webchat as limits } from '../../core/limits.js'
import { hear } from '../gateway/hearing.js'
import type { Places } from '../gateway/places.js'
import type { LiveSocket, SocketDoor, SocketListener, SocketRequest } from '../http/websocket.js'
import type { Buckets, Spent } from '../limits/contract.js'
import type { Log } from '../observe/log.js'
import { onceKnown, type Soon } from '../soon.js'
import { type Chat, findChat, placeOfChat, wrongOrigin } from './chat.js'
import { type Feed, openFeed } from './feed.js'
import type { Followers } from './followers.js'
import { type LiveAdapter, type ToldLine, tellingOf } from './lines.js'
import { tellOlder } from './older.js'
import { openPage } from './page.js'
import type { Visitor, VisitorTokens } from './tokens.js'
import { readLines, readOlder, readUnmarked } from './transcript.js'

export interface DoorOptions {
  readonly places: Places
  readonly adapter: LiveAdapter
  readonly tokens: VisitorTokens
  readonly followers: Followers
  readonly buckets: Buckets
  /** The origin of our own pages. */
  readonly ownOrigin: () => string
  readonly log: Log
  /** Told of every socket that is closed from here, once, by the code that its page is told. */
  readonly closed: (code: number) => void
}

const socketPath = /^\/v4\/webchat\/([^/]+)$/

export function openSocketDoor(options: DoorOptions): SocketDoor & { count(): number } {
  const { tokens } = options
  const perAddress = new Map<string, number>()
  let count = 0

  /** Answers how to leave again. */
  function enter(address: string): () => void {
    count++
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
    return () => {
      count--
      const left = perAddress.get(address)! - 1
      if (left > 0) perAddress.set(address, left)
      else perAddress.delete(address)
    }
  }

  function admit({ path, query, origin, remoteAddress }: SocketRequest): SocketListener | Refusal {
    const place = placeOfChat(socketPath.exec(path)?.[1] ?? '')
    if (!place) return refuse('resource.not_found')
    const asked = new URLSearchParams(query)
    const after = asked.get('after') ?? ''
    if (!/^\d{0,15}$/.test(after)) return invalid('after', 'must be a cursor', { status: 400 })
    if ((perAddress.get(remoteAddress) ?? 0) >= limits.socketsPerAddress) return refuse('request.rate_limited')
    const visitor = tokens.open(asked.get('token') ?? '', place)
    if (!visitor) return telling(turnedAway, options.closed)
    const leave = enter(remoteAddress)
    const coming = { origin, address: remoteAddress, leave, ...(after !== '' && { after: Number(after) }) }
    return telling(listenerOf(options, visitor, coming), options.closed)
  }

  return { limits, takes: (path) => socketPath.test(path), admit, count: () => count }
}

/** The listener, with somebody told why its socket was closed, unless its page had gone before. */
function telling(listener: SocketListener, told: DoorOptions['closed']): SocketListener {
  let isOver = false
  return {
    ...listener,
    opened: (socket) =>
      listener.opened({
        send: (text) => socket.send(text),
        bufferedBytes: () => socket.bufferedBytes(),
        close(code, reason) {
          if (!isOver) told(code)
          isOver = true
          socket.close(code, reason)
        },
      }),
    closed() {
      isOver = true
      listener.closed()
    },
  }
}

/** Without a good token a page is told so and nothing else. */
const turnedAway: SocketListener = {
  opened: (socket) => socket.close(closeCodes.badToken, 'The token is not good, or no longer.'),
  heard: () => undefined,
  drained: () => undefined,
  closed: () => undefined,
}

interface Coming {
  readonly origin: string
  readonly address: string
  readonly after?: number
  leave(): void
}

/** One page of a visitor, from its coming to its going. */
function listenerOf(options: DoorOptions, visitor: Visitor, coming: Coming): SocketListener {
  const { places, adapter, followers, buckets, log } = options
  const { shards, clock } = places
  const { live } = adapter
  const { visitorId } = visitor
  const asid = places.asidOf(agentKeyOf(visitor), 'webchat', visitorId)
  const failed = (error: unknown) => log.error('webchat.failed', { error })
  let page: ((text: string) => void) | undefined
  let feed: Feed | undefined
  let unfollow: (() => void) | undefined
  let isGone = false

  /** The agent as it is now; without its chat the page is sent away. */
  function chatNow(socket: LiveSocket): Soon<Chat | Refusal> {
    return onceKnown(findChat(places, visitor), (chat) => {
      if (isRefusal(chat) && chat.refused === 'resource.not_found') {
        socket.close(closeCodes.switchedOff, 'There is no such chat, or it is switched off.')
      }
      return chat
    })
  }

  function lineNow(socket: LiveSocket, line: ToldLine): Soon<LineTelling | undefined> {
    return onceKnown(chatNow(socket), (chat) => {
      if (isRefusal(chat)) return undefined
      return tellingOf(line, { media: places.media, adapter, agent: chat.agent, address: visitorId })
    })
  }

  async function mayEnter(socket: LiveSocket): Promise<boolean> {
    const { allowed } = await buckets.spend('webchatAddress', coming.address)
    if (!allowed) socket.close(closeCodes.tooMany, 'Too many connections: come again a little later.')
    const chat = await chatNow(socket)
    if (isRefusal(chat)) socket.close(closeCodes.later, 'Not available just now.')
    else if (wrongOrigin(chat, coming.origin, options.ownOrigin()))
      socket.close(closeCodes.foreignSite, 'The chat is not for this site.')
    return !isGone
  }

  function maySay(): Soon<Spent> {
    return onceKnown(buckets.spend('webchatSaid', asid), (spent) =>
      spent.allowed ? buckets.spend('webchatAddress', coming.address) : spent,
    )
  }

  function follow(socket: LiveSocket): void {
    feed = openFeed({
      address: visitorId,
      ...(coming.after !== undefined && { after: coming.after }),
      socket,
      clock,
      write: live.write,
      read(after) {
        const asked = after === undefined ? { asid } : { asid, after }
        return shards.readHere?.(asid, readLines, asked) ?? shards.read(asid, readLines, asked)
      },
      tellingOf: (line) => lineNow(socket, line),
      failed,
    })
    unfollow = followers.follow(asid, feed)
    feed.look()
  }

  return {
    opened(socket) {
      const ready = mayEnter(socket).catch((error) => {
        failed(error)
        socket.close(closeCodes.later, 'Not available just now.')
        return false
      })
      void ready.then((isIn) => isIn && follow(socket))
      page = openPage({
        ready,
        socket,
        live,
        clock,
        hear: (items) =>
          onceKnown(chatNow(socket), (chat) => {
            if (isRefusal(chat)) return chat
            const told = items.map(({ id, inbound }) => ({ address: visitorId, id, inbound }))
            return hear(places, { agent: chat.agent, bound: chat.bound, items: told }, log)
          }),
        unmarked: (state, messageIds) => shards.read(asid, readUnmarked, { asid, state, messageIds }),
        older: (before) =>
          tellOlder(
            {
              read: (before) => shards.read(asid, readOlder, { asid, before }),
              tellingOf: (line) => lineNow(socket, line),
              write: live.write,
            },
            before,
          ),
        maySay,
        hasBegun: () => feed?.hasBegun() ?? false,
        failed,
      })
    },
    heard: (text) => page?.(text),
    drained: () => feed?.drained(),
    closed() {
      isGone = true
      feed?.end()
      unfollow?.()
      coming.leave()
    },
  }
}
