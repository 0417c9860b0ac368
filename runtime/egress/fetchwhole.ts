/**
 * One request and its whole body. It is a handler of its own, because a stream and a signal for each request cost more
 * than the request: see decision 181.
 */
import type { Dispatcher } from 'undici'
import { type Deadline, ExchangeStopped } from './deadline.js'
import { type FailureReason, reasonOf } from './reason.js'

export interface WholeResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Buffer
  /** The body was longer than it may be. */
  readonly isCut?: true
}

export type ResponseHeaders = Dispatcher.ResponseData['headers']

export interface WholeLimits {
  readonly deadline: Deadline
  readonly maxBytes: number
  /** Evaluated once there is a connection, right before the first byte is written; true cancels the request. */
  readonly isWithheld: (() => boolean) | undefined
  readonly cutsBody?: true | undefined
}

/** Resolves with the response, its body as sent, or with the reason for its absence. */
export function fetchWhole(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: WholeLimits,
): Promise<WholeResponse | FailureReason> {
  return new Promise((resolve) => {
    const handler = new WholeHandler(limits, resolve)
    limits.deadline.onStop(() => handler.stop())
    dispatcher.dispatch(request, handler)
  })
}

class WholeHandler implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private headers: ResponseHeaders = {}
  private readonly chunks: Buffer[] = []
  private bytes = 0
  private isSettled = false

  constructor(
    private readonly limits: WholeLimits,
    private readonly resolve: (outcome: WholeResponse | FailureReason) => void,
  ) {}

  /** A request that waits for its connection is ended once there is one. */
  stop(): void {
    this.fail(this.limits.deadline.isLate() ? 'timeout' : 'stopped')
  }

  /** Nothing runs between this and the write. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isSettled) controller.abort(new ExchangeStopped())
    else if (this.limits.isWithheld?.()) this.fail('withheld')
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.status = status
    this.headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes, cutsBody } = this.limits
    this.bytes += chunk.length
    if (this.bytes <= maxBytes) this.chunks.push(chunk)
    else if (cutsBody) this.cut(chunk.subarray(0, chunk.length - (this.bytes - maxBytes)))
    else this.fail('too-large')
  }

  onResponseEnd(): void {
    const { status, headers, chunks } = this
    this.settle({ status, headers, body: Buffer.concat(chunks) })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(reasonOf(error))
  }

  /** Ends the connection too, since the rest of the response would come on it. */
  private fail(reason: FailureReason): void {
    if (this.isSettled) return
    this.settle(reason)
    this.controller?.abort(new ExchangeStopped())
  }

  /** Ends the connection too, since the rest would come on it. */
  private cut(last: Buffer): void {
    if (this.isSettled) return
    const { status, headers, chunks } = this
    this.settle({ status, headers, body: Buffer.concat([...chunks, last]), isCut: true })
    this.controller?.abort(new ExchangeStopped())
  }

  private settle(outcome: WholeResponse | FailureReason): void {
    this.isSettled = true
    this.resolve(outcome)
  }
}
