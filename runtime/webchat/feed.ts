/**
 * What one page is told of its visitor's record. It keeps a cursor and nothing else: it reads on from there whenever there
 * may be more and the page has room, so that what is old and what is new come by one road, in order and each once, and a
 * slow page costs no memory.
 */
import type { LineTelling, Telling } from '../../core/channel/live.js'
import { closeCodes } from '../../core/channel/live.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { webchat as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { LiveSocket } from '../http/websocket.js'
import type { Follower } from './followers.js'
import type { LiveAdapter, ToldLine } from './lines.js'
import type { Head, LinesFound } from './transcript.js'

/** Where a feed stands: between the record of a visitor and a page. */
export interface FeedEnds {
  /** The visitor. */
  readonly address: string
  /** The last line that the page has been told, if it knows one. */
  readonly after: number | undefined
  readonly socket: LiveSocket
  readonly clock: Clock
  readonly live: Pick<LiveAdapter['live'], 'write'>
  read(after: number | undefined): Promise<LinesFound | Refusal>
  /** Undefined while a line cannot be shown; it is asked again. */
  tellingOf(line: ToldLine): Promise<LineTelling | undefined>
  /** It cannot go on for a reason of our own. */
  failed(error: unknown): void
}

export class Feed implements Follower {
  private cursor: number | undefined
  private signal: Head['signal']
  private toldSignalAt: number | undefined
  private isGreeted = false
  private isCaughtUp = false
  private isWanted = true
  private isReading = false
  private isOver = false
  private cancelAgain: (() => void) | undefined
  private toldAt = Number.NEGATIVE_INFINITY

  constructor(private readonly ends: FeedEnds) {
    this.cursor = ends.after
  }

  noticed(head: Head): void {
    this.signal = head.signal
    if (head.newest > (this.cursor ?? 0) || this.signal?.at !== this.toldSignalAt) this.want()
  }

  look(): void {
    // A page that was told something just now knows that the line is good.
    const isSilent = this.ends.clock.elapsed() - this.toldAt > limits.lookEveryMs / 2
    if (this.isCaughtUp && isSilent) this.tell({ kind: 'ping', cursor: this.cursor ?? 0 })
    this.want()
  }

  /** The page has read some of what was sent. */
  drained(): void {
    if (this.isWanted) void this.readOn()
  }

  /** Whether there is anything on record. */
  hasBegun(): boolean {
    return (this.cursor ?? 0) > 0
  }

  end(): void {
    this.isOver = true
    this.cancelAgain?.()
  }

  private tell(telling: Telling): boolean {
    const { socket, live, clock } = this.ends
    this.toldAt = clock.elapsed()
    if (socket.send(live.write(telling)) === 'sent') return true
    socket.close(closeCodes.behind, 'Too much waits to be read: connect again.')
    return false
  }

  private hasRoom(): boolean {
    return this.ends.socket.bufferedBytes() <= limits.bufferedBytes
  }

  private want(): void {
    this.isWanted = true
    void this.readOn()
  }

  private async readOn(): Promise<void> {
    if (this.isReading) return
    this.isReading = true
    try {
      while (this.isWanted && !this.isOver && this.hasRoom()) {
        this.isWanted = false
        await this.step()
      }
    } catch (error) {
      this.ends.failed(error)
      this.tryAgain()
    }
    this.isReading = false
  }

  private tryAgain(): void {
    const { clock } = this.ends
    this.cancelAgain?.()
    this.cancelAgain = this.isOver ? undefined : clock.wake(clock.now() + limits.againMs, () => this.want())
  }

  private async step(): Promise<void> {
    const found = await this.ends.read(this.cursor)
    if (this.isOver) return
    if (isRefusal(found)) return this.tryAgain()
    if (!this.isGreeted) this.greet(found)
    for (const line of found.lines) {
      const telling = await this.ends.tellingOf(line)
      if (this.isOver) return
      if (telling === undefined) return this.tryAgain()
      if (!this.tell(telling)) return
      this.cursor = line.cursor
      if (!this.hasRoom()) {
        this.isWanted = true
        return
      }
    }
    this.cursor = found.upTo
    if (this.cursor < found.head.newest) this.isWanted = true
    else this.caughtUp(this.cursor)
  }

  private greet({ head, more }: LinesFound): void {
    this.isGreeted = true
    this.toldSignalAt = head.signal?.at
    this.tell({ kind: 'welcome', address: this.ends.address, cursor: head.newest, more })
  }

  private caughtUp(at: number): void {
    const { signal } = this
    if (!this.isCaughtUp) this.tell({ kind: 'caughtUp', cursor: at })
    this.isCaughtUp = true
    if (!signal || signal.at === this.toldSignalAt || signal.behind > at) return
    this.toldSignalAt = signal.at
    // Whoever has said something since is no longer writing it.
    const isWriting = signal.behind === at && this.ends.clock.now() - signal.at < limits.typingForMs
    if (signal.signal === 'read') this.tell({ kind: 'seen', at: signal.at })
    else if (isWriting) this.tell({ kind: 'typing' })
  }
}
