/**
 * One page of a visitor, from its coming to its going: whether it may come in, and what stands around what it says and
 * what it is told. Classes, all of them, since there are ten thousand at a time: with two dozen functions each, those were
 * most of what a page took, and all of it was copied by collections while pages came.
 */

import { agentKeyOf } from '../../core/agentkey.js'
import type { Inbound } from '../../core/channel/inbound.js'
import { closeCodes, type LineTelling, type Telling } from '../../core/channel/live.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import type { Directory } from '../conversation/context.js'
import type { LiveSocket, SocketListener } from '../http/websocket.js'
import { type InboundDeps, recordInbound } from '../ingress/inbound.js'
import type { Buckets, Spent } from '../limits/contract.js'
import type { Media } from '../media/contract.js'
import type { Log } from '../observe/log.js'
import { type Chat, findChat, wrongOrigin } from './chat.js'
import { Feed, type FeedEnds } from './feed.js'
import type { Followers } from './followers.js'
import { type LiveAdapter, type ToldLine, tellingOf } from './lines.js'
import { tellOlder } from './older.js'
import { type Mark, Page, type PageEnds } from './page.js'
import type { Visitor } from './tokens.js'
import { type LinesFound, type OlderFound, readLines, readOlder, readUnmarked } from './transcript.js'

export interface WebchatDeps extends InboundDeps {
  readonly directory: Directory
  readonly media: Pick<Media, 'hosted'>
  readonly clock: Clock
}

export interface VisitOptions {
  readonly deps: WebchatDeps
  readonly adapter: LiveAdapter
  readonly followers: Followers
  readonly buckets: Buckets
  /** The origin of our own pages. */
  readonly ownOrigin: () => string
  readonly log: Log
  /** Told of every socket that is closed from here, once, by the code that its page is told. */
  readonly closed: (code: number) => void
}

export interface Coming {
  readonly origin: string
  readonly address: string
  /** The last line that the page knows. */
  readonly after: number | undefined
  leave(address: string): void
}

export class Visit implements SocketListener, PageEnds, FeedEnds {
  readonly address: string
  readonly after: number | undefined
  readonly live: LiveAdapter['live']
  readonly clock: Clock
  /** From when it is opened, which comes first. */
  socket!: ToldSocket
  ready: boolean | Promise<boolean> = false
  private page: Page | undefined
  private feed: Feed | undefined
  private isGone = false
  private readonly asid: string

  constructor(
    private readonly options: VisitOptions,
    private readonly visitor: Visitor,
    private readonly coming: Coming,
  ) {
    const { deps, adapter } = options
    this.address = visitor.visitorId
    this.after = coming.after
    this.live = adapter.live
    this.clock = deps.clock
    this.asid = deps.asidOf(agentKeyOf(visitor), 'webchat', visitor.visitorId)
  }

  opened(socket: LiveSocket): void {
    this.socket = new ToldSocket(socket, this.options.closed)
    this.page = new Page(this)
    this.ready = this.enter()
  }

  received(text: string): void {
    this.page?.take(text)
  }

  drained(): void {
    this.feed?.drained()
  }

  closed(): void {
    this.isGone = true
    this.socket.isOver = true
    if (this.feed) {
      this.feed.end()
      this.options.followers.unfollow(this.asid, this.feed)
    }
    this.coming.leave(this.coming.address)
  }

  private async enter(): Promise<boolean> {
    let isIn = false
    try {
      isIn = await this.mayEnter()
      if (isIn) this.follow()
    } catch (error) {
      this.failed(error)
      this.socket.close(closeCodes.later, 'Not available just now.')
    }
    this.ready = isIn
    return isIn
  }

  private async mayEnter(): Promise<boolean> {
    const { socket, coming, options } = this
    const { allowed } = await options.buckets.spend('webchatAddress', coming.address)
    if (!allowed) socket.close(closeCodes.tooMany, 'Too many connections: come again a little later.')
    const chat = await this.chatNow()
    if (isRefusal(chat)) socket.close(closeCodes.later, 'Not available just now.')
    else if (wrongOrigin(chat, coming.origin, options.ownOrigin()))
      socket.close(closeCodes.foreignSite, 'The chat is not for this site.')
    return !this.isGone
  }

  private follow(): void {
    this.feed = new Feed(this)
    this.options.followers.follow(this.asid, this.feed)
    this.feed.look()
  }

  /** The agent as it is now; without its chat the page is sent away. */
  private async chatNow(): Promise<Chat | Refusal> {
    const chat = await findChat(this.options.deps.directory, this.visitor)
    if (isRefusal(chat) && chat.refused === 'resource.not_found') {
      this.socket.close(closeCodes.switchedOff, 'There is no such chat, or it is switched off.')
    }
    return chat
  }

  async maySay(): Promise<Spent> {
    const { buckets } = this.options
    const spent = await buckets.spend('webchatSaid', this.asid)
    return spent.allowed ? buckets.spend('webchatAddress', this.coming.address) : spent
  }

  async hear(items: readonly { id: string; inbound: Inbound }[]): Promise<Refusal | undefined> {
    const { deps, log } = this.options
    const chat = await this.chatNow()
    if (isRefusal(chat)) return chat
    const told = items.map(({ id, inbound }) => ({ address: this.address, id, inbound }))
    return recordInbound(deps, { agent: chat.agent, bound: chat.bound, items: told }, log)
  }

  hasBegun(): boolean {
    return this.feed?.hasBegun() ?? false
  }

  async read(after: number | undefined): Promise<LinesFound | Refusal> {
    const { shards } = this.options.deps
    const asked = after === undefined ? { asid: this.asid } : { asid: this.asid, after }
    return shards.readHere?.(this.asid, readLines, asked) ?? shards.read(this.asid, readLines, asked)
  }

  unmarked(state: Mark, messageIds: readonly string[]): Promise<readonly string[] | Refusal> {
    const { asid } = this
    return this.options.deps.shards.read(asid, readUnmarked, { asid, state, messageIds })
  }

  older(before: number): Promise<Telling | Refusal> {
    return tellOlder(
      {
        read: (before): Promise<OlderFound | Refusal> =>
          this.options.deps.shards.read(this.asid, readOlder, { asid: this.asid, before }),
        tellingOf: (line) => this.tellingOf(line),
        write: this.live.write,
      },
      before,
    )
  }

  async tellingOf(line: ToldLine): Promise<LineTelling | undefined> {
    const { deps, adapter } = this.options
    const chat = await this.chatNow()
    if (isRefusal(chat)) return undefined
    const { media, clock } = deps
    return tellingOf(line, { media, clock, adapter, agent: chat.agent, address: this.address })
  }

  failed(error: unknown): void {
    this.options.log.error('webchat.failed', { error })
  }
}

/** A socket, with somebody told why it was closed from here, unless its page had gone before. */
class ToldSocket implements LiveSocket {
  isOver = false
  constructor(
    private readonly socket: LiveSocket,
    private readonly closed: VisitOptions['closed'],
  ) {}

  send(text: string): 'sent' | 'dropped' {
    return this.socket.send(text)
  }

  bufferedBytes(): number {
    return this.socket.bufferedBytes()
  }

  close(code: number, reason: string): void {
    if (!this.isOver) this.closed(code)
    this.isOver = true
    this.socket.close(code, reason)
  }
}
