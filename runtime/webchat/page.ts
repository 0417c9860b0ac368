/** What comes from one page, frame after frame in the order of coming, and what each of them is answered. */
import type { Inbound } from '../../core/channel/inbound.js'
import type { Telling } from '../../core/channel/live.js'
import { closeCodes } from '../../core/channel/live.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { http, webchat as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { LiveSocket } from '../http/websocket.js'
import { Bucket, shapeOf } from '../limits/bucket.js'
import type { Spent } from '../limits/contract.js'
import type { LiveAdapter } from './lines.js'

/** Where a page stands. A class has it all, so that ten thousand pages do not each bring functions of their own. */
export interface PageEnds {
  /** Whether the page may come in; what it says is heard once that is known. */
  readonly ready: boolean | Promise<boolean>
  readonly socket: LiveSocket
  readonly live: LiveAdapter['live']
  readonly clock: Clock
  /** Puts on record what the visitor did, all of it or nothing. */
  hear(items: readonly { id: string; inbound: Inbound }[]): Promise<Refusal | undefined>
  /** Which of the messages have not come so far yet, as far as is known. */
  unmarked(state: Mark, messageIds: readonly string[]): Promise<readonly string[] | Refusal>
  /** Lines that stand before that one. */
  older(before: number): Promise<Telling | Refusal>
  /** Whether the visitor, and the address they are at, may say one thing more. */
  maySay(): Promise<Spent>
  /** There is a conversation that typing can belong to. */
  hasBegun(): boolean
  failed(error: unknown): void
}

export type Mark = 'delivered' | 'read'

const microsOf = (clock: Clock) => Math.floor(clock.elapsed() * 1000)

const shape = shapeOf(limits.frames)

/** Takes the frames of a page, each after the one before it has been answered. */
export class Page {
  private readonly frames: Bucket
  private isTaking = false
  /** Those that came meanwhile, which mostly are none. */
  private waiting: string[] | undefined
  private unreadable = 0
  private typedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly ends: PageEnds) {
    this.frames = new Bucket(shape.capacityUnits, microsOf(ends.clock))
  }

  take(text: string): void {
    if (this.isTooMuch()) return this.slowDown(http.retryAfterSeconds)
    if (!this.isTaking) return void this.takeAll(text)
    this.waiting ??= []
    this.waiting.push(text)
  }

  private isTooMuch(): boolean {
    const { allowed } = this.frames.spend(shape, microsOf(this.ends.clock))
    return !allowed || (this.isTaking && (this.waiting?.length ?? 0) + 1 >= limits.waitingFrames)
  }

  private async takeAll(first: string): Promise<void> {
    const { ends } = this
    this.isTaking = true
    for (let text: string | undefined = first; text !== undefined; text = this.waiting?.shift()) {
      try {
        const { ready } = ends
        if (ready === true || (await ready)) await this.answer(text)
      } catch (error) {
        ends.failed(error)
      }
    }
    this.waiting = undefined
    this.isTaking = false
  }

  private async answer(text: string): Promise<void> {
    const frame = this.ends.live.read(text)
    switch (frame.kind) {
      case 'wrong':
        return this.refused(frame)
      case 'said':
        return this.said(frame.id, frame.inbound)
      case 'mark':
        return this.marked(frame.state, frame.messageIds)
      case 'typing':
        return this.typing()
      case 'older':
        return this.older(frame.before)
    }
  }

  private tell(telling: Telling): void {
    const { socket, live } = this.ends
    socket.send(live.write(telling))
  }

  private refused({ field, message, id }: { field: string; message: string; id?: string }): void {
    this.tell({ kind: 'error', code: 'invalidFrame', message, ...(field && { field }), ...(id && { id }) })
    if (++this.unreadable < limits.unreadableFrames) return
    this.ends.socket.close(closeCodes.unreadable, 'Too many frames cannot be read.')
  }

  private slowDown(seconds: number, id?: string): void {
    const message = 'Too much at once: send it again a little later.'
    this.tell({ kind: 'error', code: 'rateLimited', message, retryAfterMs: seconds * 1000, ...(id && { id }) })
  }

  private notNow(message: string, id?: string): void {
    const retryAfterMs = http.retryAfterSeconds * 1000
    this.tell({ kind: 'error', code: 'unavailable', message, retryAfterMs, ...(id && { id }) })
  }

  private async said(id: string, inbound: Inbound): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.ends.maySay()
    if (!allowed) return this.slowDown(retryAfterSeconds, id)
    if (await this.ends.hear([{ id, inbound }])) this.notNow('It could not be taken just now.', id)
    else this.tell({ kind: 'accepted', id })
  }

  private async older(before: number): Promise<void> {
    const telling = await this.ends.older(before)
    if (isRefusal(telling)) this.notNow('Older lines cannot be read just now.')
    else this.tell(telling)
  }

  /** One and the same for all pages, so that it counts once however many of them say it. What was read has arrived. */
  private async marked(state: Mark, messageIds: readonly string[]): Promise<void> {
    const fresh = await this.ends.unmarked(state, messageIds)
    if (isRefusal(fresh) || fresh.length === 0) return
    const states: readonly Mark[] = state === 'read' ? ['delivered', 'read'] : [state]
    const items = fresh.flatMap((providerId) =>
      states.map((each) => {
        const receipt = { providerId, state: each }
        return { id: `${each}:${providerId}`, inbound: { kind: 'receipt', receipt } as const }
      }),
    )
    await this.ends.hear(items)
  }

  private async typing(): Promise<void> {
    const at = this.ends.clock.now()
    if (!this.ends.hasBegun() || at - this.typedAt < limits.typingEveryMs) return
    this.typedAt = at
    const id = `typing:${Math.floor(at / limits.typingEveryMs)}`
    await this.ends.hear([{ id, inbound: { kind: 'system', system: 'typing' } }])
  }
}
