/**
 * Sends one page its visitor's transcript. The feed keeps only a cursor and reads on from there whenever there may be
 * more and the page has room. Old and new lines take the same path, in order and each once, and a slow page costs no
 * memory.
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

/** The dependencies of a feed, between the transcript and the page. */
export interface FeedDeps {
  /** The visitor's id. */
  readonly address: string
  /** The last line that the page has, if it has one. */
  readonly after: number | undefined
  readonly socket: LiveSocket
  readonly clock: Clock
  readonly codec: Pick<SocketAdapter['socket'], 'write'>
  read(after: number | undefined): Promise<TranscriptPage | Refusal>
  /** Undefined while a line cannot be rendered; the feed tries again. */
  eventOf(entry: TranscriptEntry): Promise<TranscriptEvent | undefined>
  /** The feed failed with an error of our own. */
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
    // A recent frame has shown the page that the connection works, so no ping is needed.
    const isSilent = this.deps.clock.monotonic() - this.lastSentAt > limits.pollEveryMs / 2
    if (this.isCaughtUp && isSilent) this.send({ kind: 'ping', cursor: this.cursor ?? 0 })
    this.requestRead()
  }

  /** The socket's send buffer has room again. */
  drained(): void {
    if (this.isReadRequested) void this.pump()
  }

  /** Does the transcript have any line? */
  hasStarted(): boolean {
    return (this.cursor ?? 0) > 0
  }

  end(): void {
    this.isEnded = true
    this.cancelRetry?.()
  }

  private send(event: ServerEvent): boolean {
    const { socket, codec: live, clock } = this.deps
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
    // A newer line ends the typing signal that came before it.
    const isWriting = signal.cursor === at && this.deps.clock.now() - signal.at < limits.typingForMs
    if (signal.signal === 'read') this.send({ kind: 'seen', at: signal.at })
    else if (isWriting) this.send({ kind: 'typing' })
  }
}
