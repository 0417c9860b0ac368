/** Handles the frames of one page, one after the other in order of arrival, and answers each. */
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

/** The dependencies of a page. */
export interface PageDeps {
  /** Is the page admitted? Its frames wait until this is known. */
  readonly ready: boolean | Promise<boolean>
  readonly socket: LiveSocket
  readonly codec: SocketAdapter['socket']
  readonly clock: Clock
  /** Records what the visitor did, all items or none. */
  receive(items: readonly { id: string; inbound: Inbound }[]): Promise<Refusal | undefined>
  /** Those messages that have not reached that state, by local knowledge. */
  unmarked(state: Mark, messageIds: readonly string[]): Promise<readonly string[] | Refusal>
  /** Lines before that cursor. */
  backfill(before: number): Promise<ServerEvent | Refusal>
  /** Spends one unit of the budgets of the visitor and of their address. */
  spendBudget(): Promise<SpendResult>
  /** Is there a conversation that a typing signal can belong to? */
  hasStarted(): boolean
  onError(error: unknown): void
}

export type Mark = 'delivered' | 'read'

const microsOf = (clock: Clock) => Math.floor(clock.monotonic() * 1000)

const shape = shapeOf(limits.frames)

/** Handles the frames of a page; each waits for the answer to the one before it. */
export class Page {
  private readonly frames: Bucket
  private isHandling = false
  /** Frames that arrived during the handling of another; mostly undefined. */
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
    const frame = this.deps.codec.read(text)
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
    const { socket, codec: live } = this.deps
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

  /**
   * The inbound ids derive from message and state, so a mark counts once however many pages send it. A read message is
   * delivered, too.
   */
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
