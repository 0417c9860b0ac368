/** What comes from one page, frame after frame in the order of coming, and what each of them is answered. */
import type { Inbound } from '../../core/channel/inbound.js'
import type { ServerEvent } from '../../core/channel/socketcodec.js'
import { closeCodes } from '../../core/channel/socketcodec.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { http, webchat as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { LiveSocket } from '../http/websocket.js'
import { Bucket, shapeOf } from '../ratelimit/bucket.js'
import type { SpendResult } from '../ratelimit/contract.js'
import type { SocketAdapter } from './render.js'

/** Where a page stands. A class has it all, so that ten thousand pages do not each bring functions of their own. */
export interface PageDeps {
  /** Whether the page may come in; what it says is heard once that is known. */
  readonly ready: boolean | Promise<boolean>
  readonly socket: LiveSocket
  readonly live: SocketAdapter['socket']
  readonly clock: Clock
  /** Puts on record what the visitor did, all of it or nothing. */
  receive(items: readonly { id: string; inbound: Inbound }[]): Promise<Refusal | undefined>
  /** Which of the messages have not come so far yet, as far as is known. */
  unmarked(state: Mark, messageIds: readonly string[]): Promise<readonly string[] | Refusal>
  /** Lines that stand before that one. */
  backfill(before: number): Promise<ServerEvent | Refusal>
  /** Whether the visitor, and the address they are at, may say one thing more. */
  spendBudget(): Promise<SpendResult>
  /** There is a conversation that typing can belong to. */
  hasStarted(): boolean
  onError(error: unknown): void
}

export type Mark = 'delivered' | 'read'

const microsOf = (clock: Clock) => Math.floor(clock.monotonic() * 1000)

const shape = shapeOf(limits.frames)

/** Takes the frames of a page, each after the one before it has been answered. */
export class Page {
  private readonly frames: Bucket
  private isHandling = false
  /** Those that came meanwhile, which mostly are none. */
  private queued: string[] | undefined
  private invalidFrames = 0
  private typingRecordedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: PageDeps) {
    this.frames = new Bucket(shape.capacityUnits, microsOf(deps.clock))
  }

  handle(text: string): void {
    if (this.isOverLimit()) return this.sendRateLimited(http.retryAfterSeconds)
    if (!this.isHandling) return void this.handleAll(text)
    this.queued ??= []
    this.queued.push(text)
  }

  private isOverLimit(): boolean {
    const { allowed } = this.frames.spend(shape, microsOf(this.deps.clock))
    return !allowed || (this.isHandling && (this.queued?.length ?? 0) + 1 >= limits.waitingFrames)
  }

  private async handleAll(first: string): Promise<void> {
    const { deps } = this
    this.isHandling = true
    for (let text: string | undefined = first; text !== undefined; text = this.queued?.shift()) {
      try {
        const { ready } = deps
        if (ready === true || (await ready)) await this.handleFrame(text)
      } catch (error) {
        deps.onError(error)
      }
    }
    this.queued = undefined
    this.isHandling = false
  }

  private async handleFrame(text: string): Promise<void> {
    const frame = this.deps.live.read(text)
    switch (frame.kind) {
      case 'invalid':
        return this.rejectFrame(frame)
      case 'said':
        return this.handleInbound(frame.id, frame.inbound)
      case 'mark':
        return this.handleMark(frame.state, frame.messageIds)
      case 'typing':
        return this.handleTyping()
      case 'older':
        return this.handleBackfill(frame.before)
    }
  }

  private send(event: ServerEvent): void {
    const { socket, live } = this.deps
    socket.send(live.write(event))
  }

  private rejectFrame({ field, message, id }: { field: string; message: string; id?: string }): void {
    this.send({ kind: 'error', code: 'invalidFrame', message, ...(field && { field }), ...(id && { id }) })
    if (++this.invalidFrames < limits.unreadableFrames) return
    this.deps.socket.close(closeCodes.unreadable, 'Too many frames cannot be read.')
  }

  private sendRateLimited(seconds: number, id?: string): void {
    const message = 'Too much at once: send it again a little later.'
    this.send({ kind: 'error', code: 'rateLimited', message, retryAfterMs: seconds * 1000, ...(id && { id }) })
  }

  private sendUnavailable(message: string, id?: string): void {
    const retryAfterMs = http.retryAfterSeconds * 1000
    this.send({ kind: 'error', code: 'unavailable', message, retryAfterMs, ...(id && { id }) })
  }

  private async handleInbound(id: string, inbound: Inbound): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.deps.spendBudget()
    if (!allowed) return this.sendRateLimited(retryAfterSeconds, id)
    if (await this.deps.receive([{ id, inbound }])) this.sendUnavailable('It could not be taken just now.', id)
    else this.send({ kind: 'accepted', id })
  }

  private async handleBackfill(before: number): Promise<void> {
    const event = await this.deps.backfill(before)
    if (isRefusal(event)) this.sendUnavailable('Older lines cannot be read just now.')
    else this.send(event)
  }

  /** One and the same for all pages, so that it counts once however many of them say it. What was read has arrived. */
  private async handleMark(state: Mark, messageIds: readonly string[]): Promise<void> {
    const fresh = await this.deps.unmarked(state, messageIds)
    if (isRefusal(fresh) || fresh.length === 0) return
    const states: readonly Mark[] = state === 'read' ? ['delivered', 'read'] : [state]
    const items = fresh.flatMap((providerId) =>
      states.map((each) => {
        const receipt = { providerId, state: each }
        return { id: `${each}:${providerId}`, inbound: { kind: 'receipt', receipt } as const }
      }),
    )
    await this.deps.receive(items)
  }

  private async handleTyping(): Promise<void> {
    const at = this.deps.clock.now()
    if (!this.deps.hasStarted() || at - this.typingRecordedAt < limits.typingEveryMs) return
    this.typingRecordedAt = at
    const id = `typing:${Math.floor(at / limits.typingEveryMs)}`
    await this.deps.receive([{ id, inbound: { kind: 'system', system: 'typing' } }])
  }
}
