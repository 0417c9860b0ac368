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
import type { Soon } from '../soon.js'
import type { Follower } from './followers.js'
import type { ToldLine } from './lines.js'
import type { Head, LinesFound } from './transcript.js'

export interface Feed extends Follower {
  /** The page has read some of what was sent. */
  drained(): void
  /** Whether there is anything on record. */
  hasBegun(): boolean
  end(): void
}

export interface FeedOptions {
  readonly address: string
  readonly after?: number
  readonly socket: LiveSocket
  readonly clock: Clock
  readonly write: (telling: Telling) => string
  readonly read: (after: number | undefined) => Soon<LinesFound | Refusal>
  /** Undefined while a line cannot be shown; it is asked again. */
  readonly tellingOf: (line: ToldLine) => Soon<LineTelling | undefined>
  /** Says that it cannot go on for a reason of our own. */
  readonly failed: (error: unknown) => void
}

export function openFeed(options: FeedOptions): Feed {
  const { socket, clock, write, read, tellingOf } = options
  let cursor = options.after
  let signal: Head['signal']
  let toldSignalAt: number | undefined
  let isGreeted = false
  let isCaughtUp = false
  let isWanted = true
  let isReading = false
  let isOver = false
  let cancelAgain: (() => void) | undefined
  let toldAt = Number.NEGATIVE_INFINITY

  function tell(frame: string): boolean {
    toldAt = clock.elapsed()
    if (socket.send(frame) === 'sent') return true
    socket.close(closeCodes.behind, 'Too much waits to be read: connect again.')
    return false
  }

  const hasRoom = () => socket.bufferedBytes() <= limits.bufferedBytes

  async function readOn(): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      while (isWanted && !isOver && hasRoom()) {
        isWanted = false
        await step()
      }
    } catch (error) {
      options.failed(error)
      tryAgain()
    }
    isReading = false
  }

  function want(): void {
    isWanted = true
    void readOn()
  }

  function tryAgain(): void {
    cancelAgain?.()
    cancelAgain = isOver ? undefined : clock.wake(clock.now() + limits.againMs, want)
  }

  async function step(): Promise<void> {
    const found = await read(cursor)
    if (isOver) return
    if (isRefusal(found)) return tryAgain()
    if (!isGreeted) greet(found)
    for (const line of found.lines) {
      const telling = await tellingOf(line)
      if (isOver) return
      if (telling === undefined) return tryAgain()
      if (!tell(write(telling))) return
      cursor = line.cursor
      if (!hasRoom()) {
        isWanted = true
        return
      }
    }
    cursor = found.upTo
    if (cursor < found.head.newest) isWanted = true
    else caughtUp(cursor)
  }

  function greet({ head, more }: LinesFound): void {
    isGreeted = true
    toldSignalAt = head.signal?.at
    tell(write({ kind: 'welcome', address: options.address, cursor: head.newest, more }))
  }

  function caughtUp(at: number): void {
    if (!isCaughtUp) tell(write({ kind: 'caughtUp', cursor: at }))
    isCaughtUp = true
    if (!signal || signal.at === toldSignalAt || signal.behind > at) return
    toldSignalAt = signal.at
    // Whoever has said something since is no longer writing it.
    const isWriting = signal.behind === at && clock.now() - signal.at < limits.typingForMs
    if (signal.signal === 'read') tell(write({ kind: 'seen', at: signal.at }))
    else if (isWriting) tell(write({ kind: 'typing' }))
  }

  return {
    noticed(head) {
      signal = head.signal
      if (head.newest > (cursor ?? 0) || signal?.at !== toldSignalAt) want()
    },
    look() {
      // A page that was told something just now knows that the line is good.
      const isSilent = clock.elapsed() - toldAt > limits.lookEveryMs / 2
      if (isCaughtUp && isSilent) tell(write({ kind: 'ping', cursor: cursor ?? 0 }))
      want()
    },
    drained() {
      if (isWanted) void readOn()
    },
    hasBegun: () => (cursor ?? 0) > 0,
    end() {
      isOver = true
      cancelAgain?.()
    },
  }
}
