/**
 * Reads a stream in order, in batches that the library fetches for a consumer of its own, and ends when it may miss a
 * message. The ordered consumer of the library is not used: it silently skips trimmed entries, and after a loss it
 * retries without a limit, where a follower must begin again.
 */
import { randomBytes } from 'node:crypto'
import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamError,
  type JsMsg,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { sleep } from '../time.js'
import { type BusContext, callSafely } from './connection.js'
import { BusUnreachable } from './contract.js'
import { busError, noResponders } from './errors.js'
import { bus as limits } from './limits.js'
import { callUntilAnswered } from './retry.js'

/**
 * `after`: every message from the next number on, without gaps. `lastOf`: the newest of each subject, then all later
 * ones.
 */
export type Selection = { readonly after: number } | { readonly lastOf: string }

export interface ConsumerHandler {
  /** The next message comes after the returned promise has resolved. */
  onEntry(message: JsMsg): void | Promise<void>
  /** Called once, unless the consumer was ended by its caller; nothing is called after it. */
  onEnd(reason: unknown): void
}

export function consume(
  context: BusContext,
  stream: string,
  selection: Selection,
  handler: ConsumerHandler,
): () => void {
  const { connection, clock, log } = context
  const name = randomBytes(12).toString('hex')
  let isStopped = false
  let batch: ConsumerMessages | undefined
  let delivered = 0
  let lastSequence = 'after' in selection ? selection.after : undefined

  const unwatch = connection.watch((failure) => {
    if (failure !== undefined) end(new BusUnreachable(failure))
  })
  void run().catch(end)

  async function run(): Promise<void> {
    const config = { ...configOf(selection), ...consumerDefaults, name }
    const info = await callUntilAnswered(context, ({ manager }) => manager.consumers.add(stream, config))
    if (isStopped) return remove()
    const consumer = connection.clients.jetstream.consumers.getConsumerFromInfo(info)
    let silentMs = 0
    while (!isStopped) {
      try {
        await processBatch(consumer)
        silentMs = 0
      } catch (error) {
        // A server may not know the new consumer yet; if it does not learn of it in time, the consumer does not exist.
        const isUnknown = error instanceof JetStreamError && codeOf(error) === noResponders
        if (!isUnknown || silentMs >= limits.heartbeatMs * limits.heartbeatsMissed) throw error
        silentMs += limits.unknownRetryMs
        await sleep(clock, limits.unknownRetryMs)
      }
    }
  }

  async function processBatch(consumer: Consumer): Promise<void> {
    const messages = await consumer.fetch(fetchOptions)
    if (isStopped) return messages.stop()
    batch = messages
    let received = 0
    void watchHeartbeats(messages, () => received)
    try {
      for await (const message of messages) {
        if (isStopped) return
        received++
        if (accept(message)) await handler.onEntry(message)
        if (isStopped) return
      }
    } catch (error) {
      // The servers owe no heartbeat once the batch is complete, however long its messages take.
      if (!isTimeout(error) || received < limits.entriesAhead) throw error
    }
  }

  /** Whether the message was selected. A server that lags behind may begin earlier. */
  function accept({ seq, info }: JsMsg): boolean {
    if (info.deliverySequence !== ++delivered) throw new BusUnreachable(`A message of ${stream} was lost on its way.`)
    if (lastSequence === undefined) return true
    if (seq <= lastSequence) return false
    if (seq !== ++lastSequence) throw new Error(missingEntryMessage(lastSequence))
    return true
  }

  /**
   * When all messages of the batch have been received, those between the last one and the position of the servers are
   * lost.
   */
  async function watchHeartbeats(messages: ConsumerMessages, received: () => number): Promise<void> {
    for await (const status of messages.status()) {
      if (status.type !== 'heartbeat' || lastSequence === undefined || received() < messages.getReceived()) continue
      if (status.lastStreamSequence > lastSequence) end(new Error(missingEntryMessage(lastSequence + 1)))
    }
  }

  function reasonOf(error: unknown): unknown {
    if (isTimeout(error)) return new BusUnreachable('The servers fell silent.')
    if (!(error instanceof JetStreamError)) return busError(error)
    return new BusUnreachable(`The servers ended the reading of ${stream} (${codeOf(error)}).`)
  }

  const missingEntryMessage = (number: number) =>
    `Entry ${number} of ${stream} is gone: it was trimmed before it was read.`

  function end(reason: unknown): void {
    if (isStopped) return
    stop()
    callSafely(log, () => handler.onEnd(reasonOf(reason)))
  }

  function stop(): void {
    if (isStopped) return
    isStopped = true
    unwatch()
    batch?.stop()
    remove()
  }

  /** The servers delete an idle consumer by themselves; this call only does it sooner. */
  function remove(): void {
    if (connection.failure() !== undefined) return
    connection.call(({ manager }) => manager.consumers.delete(stream, name)).catch(() => {})
  }

  return stop
}

const consumerDefaults = {
  ack_policy: AckPolicy.None,
  inactive_threshold: nanos(limits.followerKeptMs),
  mem_storage: true,
  num_replicas: 1,
}

const fetchOptions = { max_messages: limits.entriesAhead, expires: limits.pullMs, idle_heartbeat: limits.heartbeatMs }

function configOf(selection: Selection): Partial<ConsumerConfig> {
  return 'after' in selection
    ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: selection.after + 1 }
    : { deliver_policy: DeliverPolicy.LastPerSubject, filter_subject: selection.lastOf }
}

/** A status with which the servers end a batch has a code; the library's own end of silence has none. */
function codeOf(error: JetStreamError): unknown {
  return 'code' in error ? error.code : undefined
}

function isTimeout(error: unknown): boolean {
  return error instanceof JetStreamError && codeOf(error) === undefined
}
