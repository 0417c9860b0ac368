/** What comes from one page, frame after frame in the order of coming, and what each of them is answered. */
import type { Telling } from '../../core/channel/live.js'
import { closeCodes } from '../../core/channel/live.js'
import type { Inbound } from '../../core/conversation/hear.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { http, webchat as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { LiveSocket } from '../http/websocket.js'
import { Bucket, shapeOf } from '../limits/bucket.js'
import type { Spent } from '../limits/contract.js'
import type { Soon } from '../soon.js'
import type { LiveAdapter } from './lines.js'

export interface PageOptions {
  /** Whether the page may come in; what it says is heard once that is known. */
  readonly ready: Promise<boolean>
  readonly socket: LiveSocket
  readonly live: LiveAdapter['live']
  readonly clock: Clock
  /** Puts on record what the visitor did, all of it or nothing. */
  readonly hear: (items: readonly { id: string; inbound: Inbound }[]) => Soon<Refusal | undefined>
  /** Which of the messages have not come so far yet, as far as is known. */
  readonly unmarked: (state: Mark, messageIds: readonly string[]) => Promise<readonly string[] | Refusal>
  /** Lines that stand before that one. */
  readonly older: (before: number) => Promise<Telling | Refusal>
  /** Whether the visitor, and the address they are at, may say one thing more. */
  readonly maySay: () => Soon<Spent>
  /** There is a conversation that typing can belong to. */
  readonly hasBegun: () => boolean
  readonly failed: (error: unknown) => void
}

export type Mark = 'delivered' | 'read'

const microsOf = (clock: Clock) => Math.floor(clock.elapsed() * 1000)

/** Takes the frames of a page, each after the one before it has been answered. */
export function openPage(options: PageOptions): (text: string) => void {
  const { ready, socket, live, clock } = options
  const shape = shapeOf(limits.frames)
  const frames = new Bucket(shape.capacityUnits, microsOf(clock))
  let isTaking = false
  /** Those that came meanwhile. */
  const waiting: string[] = []
  let unreadable = 0
  let typedAt = Number.NEGATIVE_INFINITY

  const tell = (telling: Telling) => void socket.send(live.write(telling))

  function isTooMuch(): boolean {
    const { allowed } = frames.spend(shape, microsOf(clock))
    return !allowed || (isTaking && waiting.length + 1 >= limits.waitingFrames)
  }

  function slowDown(seconds: number, id?: string): void {
    const message = 'Too much at once: send it again a little later.'
    tell({ kind: 'error', code: 'rateLimited', message, retryAfterMs: seconds * 1000, ...(id && { id }) })
  }

  function take(text: string): void | Promise<void> {
    const frame = live.read(text)
    switch (frame.kind) {
      case 'wrong':
        return refused(frame)
      case 'said':
        return said(frame.id, frame.inbound)
      case 'mark':
        return marked(frame.state, frame.messageIds)
      case 'typing':
        return typing()
      case 'older':
        return older(frame.before)
    }
  }

  function refused({ field, message, id }: { field: string; message: string; id?: string }): void {
    tell({ kind: 'error', code: 'invalidFrame', message, ...(field && { field }), ...(id && { id }) })
    if (++unreadable >= limits.unreadableFrames) socket.close(closeCodes.unreadable, 'Too many frames cannot be read.')
  }

  async function said(id: string, inbound: Inbound): Promise<void> {
    const { allowed, retryAfterSeconds } = await options.maySay()
    if (!allowed) return slowDown(retryAfterSeconds, id)
    const refusal = await options.hear([{ id, inbound }])
    if (!refusal) return tell({ kind: 'accepted', id })
    notNow('It could not be taken just now.', id)
  }

  function notNow(message: string, id?: string): void {
    const retryAfterMs = http.retryAfterSeconds * 1000
    tell({ kind: 'error', code: 'unavailable', message, retryAfterMs, ...(id && { id }) })
  }

  async function older(before: number): Promise<void> {
    const telling = await options.older(before)
    if (isRefusal(telling)) notNow('Older lines cannot be read just now.')
    else tell(telling)
  }

  /** One and the same for all pages, so that it counts once however many of them say it. What was read has arrived. */
  async function marked(state: Mark, messageIds: readonly string[]): Promise<void> {
    const fresh = await options.unmarked(state, messageIds)
    if (isRefusal(fresh) || fresh.length === 0) return
    const states: readonly Mark[] = state === 'read' ? ['delivered', 'read'] : [state]
    const items = fresh.flatMap((providerId) =>
      states.map((each) => {
        const receipt = { providerId, state: each }
        return { id: `${each}:${providerId}`, inbound: { kind: 'receipt', receipt } as const }
      }),
    )
    await options.hear(items)
  }

  async function typing(): Promise<void> {
    const at = clock.now()
    if (!options.hasBegun() || at - typedAt < limits.typingEveryMs) return
    typedAt = at
    const id = `typing:${Math.floor(at / limits.typingEveryMs)}`
    await options.hear([{ id, inbound: { kind: 'system', system: 'typing' } }])
  }

  async function takeAll(first: string): Promise<void> {
    isTaking = true
    for (let text: string | undefined = first; text !== undefined; text = waiting.shift()) {
      try {
        if (await ready) await take(text)
      } catch (error) {
        options.failed(error)
      }
    }
    isTaking = false
  }

  return (text) => {
    if (isTooMuch()) return slowDown(http.retryAfterSeconds)
    if (isTaking) waiting.push(text)
    else void takeAll(text)
  }
}
