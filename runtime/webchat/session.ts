/**
 * The session of one page, from connection to close: admission, and the dependencies of Page and Feed. The session
 * implements both interfaces itself, because a node holds ten thousand sessions.
 */

import { formatAgentKey } from '../../core/agentref.js'
import type { Inbound } from '../../core/channel/inbound.js'
import { closeCodes, type ServerEvent, type TranscriptEvent } from '../../core/channel/socketcodec.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import type { Directory } from '../conversation/context.js'
import type { LiveSocket, SocketListener } from '../http/websocket.js'
import { type InboundDeps, recordInbound } from '../ingress/inbound.js'
import type { Media } from '../media/contract.js'
import type { Log } from '../observe/log.js'
import type { Buckets, SpendResult } from '../ratelimit/contract.js'
import { buildBackfill } from './backfill.js'
import { type Chat, findChat, originError } from './chat.js'
import { Feed, type FeedDeps } from './feed.js'
import { type Mark, Page, type PageDeps } from './page.js'
import { eventOf, type SocketAdapter, type TranscriptEntry } from './render.js'
import type { Subscriptions } from './subscriptions.js'
import type { Visitor } from './tokens.js'
import { type BackfillPage, readBackfill, readTranscript, readUnmarked, type TranscriptPage } from './transcript.js'

export interface WebchatDeps extends InboundDeps {
  readonly directory: Directory
  readonly media: Pick<Media, 'rehost'>
  readonly clock: Clock
}

export interface SessionOptions {
  readonly deps: WebchatDeps
  readonly adapter: SocketAdapter
  readonly subscriptions: Subscriptions
  readonly buckets: Buckets
  /** The origin of our own pages. */
  readonly ownOrigin: () => string
  readonly log: Log
  /** Called once for every socket that this side closes, with the close code that the page gets. */
  readonly onClose: (code: number) => void
}

export interface ConnectRequest {
  readonly origin: string
  readonly address: string
  /** The last line that the page has. */
  readonly after: number | undefined
  releaseConnection(address: string): void
}

export class WebchatSession implements SocketListener, PageDeps, FeedDeps {
  readonly address: string
  readonly after: number | undefined
  readonly codec: SocketAdapter['socket']
  readonly clock: Clock
  /** Set by onOpen, before any other use. */
  socket!: MeteredSocket
  ready: boolean | Promise<boolean> = false
  private page: Page | undefined
  private feed: Feed | undefined
  private isClosed = false
  private readonly asid: string

  constructor(
    private readonly options: SessionOptions,
    private readonly visitor: Visitor,
    private readonly request: ConnectRequest,
  ) {
    const { deps, adapter } = options
    this.address = visitor.visitorId
    this.after = request.after
    this.codec = adapter.socket
    this.clock = deps.clock
    this.asid = deps.asidOf(formatAgentKey(visitor), 'webchat', visitor.visitorId)
  }

  onOpen(socket: LiveSocket): void {
    this.socket = new MeteredSocket(socket, this.options.onClose)
    this.page = new Page(this)
    this.ready = this.admit()
  }

  onMessage(text: string): void {
    this.page?.handle(text)
  }

  onDrain(): void {
    this.feed?.drained()
  }

  onClose(): void {
    this.isClosed = true
    this.socket.isClosed = true
    if (this.feed) {
      this.feed.end()
      this.options.subscriptions.unsubscribe(this.asid, this.feed)
    }
    this.request.releaseConnection(this.request.address)
  }

  private async admit(): Promise<boolean> {
    let isAdmitted = false
    try {
      isAdmitted = await this.mayConnect()
      if (isAdmitted) this.startFeed()
    } catch (error) {
      this.onError(error)
      this.socket.close(closeCodes.later, 'Not available just now.')
    }
    this.ready = isAdmitted
    return isAdmitted
  }

  private async mayConnect(): Promise<boolean> {
    const { socket, request, options } = this
    const { allowed } = await options.buckets.spend('webchatAddress', request.address)
    if (!allowed) socket.close(closeCodes.tooMany, 'Too many connections: come again a little later.')
    const chat = await this.loadChat()
    if (isRefusal(chat)) socket.close(closeCodes.later, 'Not available just now.')
    else if (originError(chat, request.origin, options.ownOrigin()))
      socket.close(closeCodes.foreignSite, 'The chat is not for this site.')
    return !this.isClosed
  }

  private startFeed(): void {
    this.feed = new Feed(this)
    this.options.subscriptions.subscribe(this.asid, this.feed)
    this.feed.poll()
  }

  /** The current chat; closes the page if the chat no longer exists or is disabled. */
  private async loadChat(): Promise<Chat | Refusal> {
    const chat = await findChat(this.options.deps.directory, this.visitor)
    if (isRefusal(chat) && chat.refused === 'resource.not_found') {
      this.socket.close(closeCodes.switchedOff, 'There is no such chat, or it is switched off.')
    }
    return chat
  }

  async spendBudget(): Promise<SpendResult> {
    const { buckets } = this.options
    const spent = await buckets.spend('webchatMessages', this.asid)
    return spent.allowed ? buckets.spend('webchatAddress', this.request.address) : spent
  }

  async receive(items: readonly { id: string; inbound: Inbound }[]): Promise<Refusal | undefined> {
    const { deps, log } = this.options
    const chat = await this.loadChat()
    if (isRefusal(chat)) return chat
    const batch = items.map(({ id, inbound }) => ({ address: this.address, id, inbound }))
    return recordInbound(deps, { agent: chat.agent, binding: chat.binding, items: batch }, log)
  }

  hasStarted(): boolean {
    return this.feed?.hasStarted() ?? false
  }

  async read(after: number | undefined): Promise<TranscriptPage | Refusal> {
    const { shards } = this.options.deps
    const query = after === undefined ? { asid: this.asid } : { asid: this.asid, after }
    return shards.queryLocal?.(this.asid, readTranscript, query) ?? shards.query(this.asid, readTranscript, query)
  }

  unmarked(state: Mark, messageIds: readonly string[]): Promise<readonly string[] | Refusal> {
    const { asid } = this
    return this.options.deps.shards.query(asid, readUnmarked, { asid, state, messageIds })
  }

  backfill(before: number): Promise<ServerEvent | Refusal> {
    return buildBackfill(
      {
        read: (before): Promise<BackfillPage | Refusal> =>
          this.options.deps.shards.query(this.asid, readBackfill, { asid: this.asid, before }),
        eventOf: (entry) => this.eventOf(entry),
        write: this.codec.write,
      },
      before,
    )
  }

  async eventOf(entry: TranscriptEntry): Promise<TranscriptEvent | undefined> {
    const { deps, adapter } = this.options
    const chat = await this.loadChat()
    if (isRefusal(chat)) return undefined
    const { media, clock } = deps
    return eventOf(entry, { media, clock, adapter, agent: chat.agent, address: this.address })
  }

  onError(error: unknown): void {
    this.options.log.error('webchat.failed', { error })
  }
}

/** A socket that reports the close code when this side closes it before the page does. */
class MeteredSocket implements LiveSocket {
  isClosed = false
  constructor(
    private readonly socket: LiveSocket,
    private readonly onClose: SessionOptions['onClose'],
  ) {}

  send(text: string): 'sent' | 'dropped' {
    return this.socket.send(text)
  }

  bufferedBytes(): number {
    return this.socket.bufferedBytes()
  }

  close(code: number, reason: string): void {
    if (!this.isClosed) this.onClose(code)
    this.isClosed = true
    this.socket.close(code, reason)
  }
}
