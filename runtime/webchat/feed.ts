/**
 * What one page is told of its visitor's record. It keeps a cursor and nothing else: it reads on from there whenever there
 * may be more and the page has room, so that what is old and what is new come by one road, in order and each once, and a
 * slow page costs no memory.
 */
import type { ServerEvent, TranscriptEvent } from '../../core/channel/socketcodec.js'
import { closeCodes } from '../../core/channel/socketcodec.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { webchat as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { LiveSocket } from '../http/websocket.js'
import type { SocketAdapter, TranscriptEntry } from './render.js'
import type { Subscriber } from './subscriptions.js'
import type { Head, TranscriptPage } from './transcript.js'

/** Where a feed stands: between the record of a visitor and a page. */
export interface FeedDeps {
  /** The visitor. */
  readonly address: string
  /** The last line that the page has been told, if it knows one. */
  readonly after: number | undefined
  readonly socket: LiveSocket
  readonly clock: Clock
  readonly live: Pick<SocketAdapter['socket'], 'write'>
  read(after: number | undefined): Promise<TranscriptPage | Refusal>
  /** Undefined while a line cannot be shown; it is asked again. */
  eventOf(entry: TranscriptEntry): Promise<TranscriptEvent | undefined>
  /** It cannot go on for a reason of our own. */
  onError(error: unknown): void
}

export class Feed implements Subscriber {
  private cursor: number | undefined
  private signal: Head['signal']
  private sentSignalAt: number | undefined
  private isWelcomed = false
  private isCaughtUp = false
  private isReadRequested = true
  private isReading = false
  private isEnded = false
  private cancelRetry: (() => void) | undefined
  private lastSentAt = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: FeedDeps) {
    this.cursor = deps.after
  }

  onHead(head: Head): void {
    this.signal = head.signal
    if (head.newest > (this.cursor ?? 0) || this.signal?.at !== this.sentSignalAt) this.requestRead()
  }

  poll(): void {
    // A page that was told something just now knows that the line is good.
    const isSilent = this.deps.clock.monotonic() - this.lastSentAt > limits.pollEveryMs / 2
    if (this.isCaughtUp && isSilent) this.send({ kind: 'ping', cursor: this.cursor ?? 0 })
    this.requestRead()
  }

  /** The page has read some of what was sent. */
  drained(): void {
    if (this.isReadRequested) void this.pump()
  }

  /** Whether there is anything on record. */
  hasStarted(): boolean {
    return (this.cursor ?? 0) > 0
  }

  end(): void {
    this.isEnded = true
    this.cancelRetry?.()
  }

  private send(event: ServerEvent): boolean {
    const { socket, live, clock } = this.deps
    this.lastSentAt = clock.monotonic()
    if (socket.send(live.write(event)) === 'sent') return true
    socket.close(closeCodes.behind, 'Too much waits to be read: connect again.')
    return false
  }

  private hasRoom(): boolean {
    return this.deps.socket.bufferedBytes() <= limits.bufferedBytes
  }

  private requestRead(): void {
    this.isReadRequested = true
    void this.pump()
  }

  private async pump(): Promise<void> {
    if (this.isReading) return
    this.isReading = true
    try {
      while (this.isReadRequested && !this.isEnded && this.hasRoom()) {
        this.isReadRequested = false
        await this.readPage()
      }
    } catch (error) {
      this.deps.onError(error)
      this.scheduleRetry()
    }
    this.isReading = false
  }

  private scheduleRetry(): void {
    const { clock } = this.deps
    this.cancelRetry?.()
    this.cancelRetry = this.isEnded ? undefined : clock.setTimer(clock.now() + limits.retryMs, () => this.requestRead())
  }

  private async readPage(): Promise<void> {
    const page = await this.deps.read(this.cursor)
    if (this.isEnded) return
    if (isRefusal(page)) return this.scheduleRetry()
    if (!this.isWelcomed) this.sendWelcome(page)
    for (const entry of page.entries) {
      const event = await this.deps.eventOf(entry)
      if (this.isEnded) return
      if (event === undefined) return this.scheduleRetry()
      if (!this.send(event)) return
      this.cursor = entry.cursor
      if (!this.hasRoom()) {
        this.isReadRequested = true
        return
      }
    }
    this.cursor = page.scannedTo
    if (this.cursor < page.head.newest) this.isReadRequested = true
    else this.onCaughtUp(this.cursor)
  }

  private sendWelcome({ head, more }: TranscriptPage): void {
    this.isWelcomed = true
    this.sentSignalAt = head.signal?.at
    this.send({ kind: 'welcome', address: this.deps.address, cursor: head.newest, more })
  }

  private onCaughtUp(at: number): void {
    const { signal } = this
    if (!this.isCaughtUp) this.send({ kind: 'caughtUp', cursor: at })
    this.isCaughtUp = true
    if (!signal || signal.at === this.sentSignalAt || signal.cursor > at) return
    this.sentSignalAt = signal.at
    // Whoever has said something since is no longer writing it.
    const isWriting = signal.cursor === at && this.deps.clock.now() - signal.at < limits.typingForMs
    if (signal.signal === 'read') this.send({ kind: 'seen', at: signal.at })
    else if (isWriting) this.send({ kind: 'typing' })
  }
}
