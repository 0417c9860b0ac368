/**
 * Follows a stream: asks the servers for messages a little ahead of those it has taken, hands them on one after another,
 * and ends when it cannot be sure any more that it hears all of them.
 */
import { randomBytes } from 'node:crypto'
import { bus as limits } from '../../core/limits.js'
import { BusUnreachable } from './contract.js'
import { callApi, nanos } from './jetstream.js'
import { type Message, noResponders } from './link.js'
import type { StreamHost } from './stream.js'

/** `after`: every message from the next number on, none left out. `lastOf`: the newest of each subject, then all that come. */
export type Wanted = { readonly after: number } | { readonly lastOf: string }

export interface Delivered {
  readonly number: number
  readonly subject: string
  readonly body: Uint8Array
  header(name: string): string
}

export interface Hearing {
  /** The next message comes when it has resolved. */
  take(message: Delivered): void | Promise<void>
  /** Told once, unless it was ended from here; nothing is told after it. */
  ended(why: unknown): void
}

/** What the servers say on their own account. */
const statuses = { heartbeat: 100, expired: 408 } as const

export function consume(
  { link, clock, inbox }: StreamHost,
  stream: string,
  wanted: Wanted,
  hearing: Hearing,
): () => void {
  const consumer = randomBytes(12).toString('hex')
  const address = `_INBOX.${consumer}`
  const queue: Delivered[] = []
  let over = false
  let taking = false
  /** Asked for and not yet here. */
  let expected = 0
  let heard = 0
  let reached = 'after' in wanted ? wanted.after : undefined
  let missed = 0
  let stopClock = () => {}
  let stopWaiting = () => {}

  const stopHearing = link.hear(`${address}.*`, hear)
  const stopWatching = link.watch((failure) => {
    if (failure !== undefined) end(new BusUnreachable(failure))
  })
  begin().catch(end)

  async function begin(): Promise<void> {
    const request = { stream_name: stream, config: { ...configOf(wanted), ...passing, name: consumer } }
    await callApi(inbox, `CONSUMER.CREATE.${stream}.${consumer}`, request)
    if (over) return leave()
    listen()
    pull()
  }

  /** Heartbeats are counted, not timed: a process that was held up has not heard what waits in its socket. */
  function listen(): void {
    stopClock = clock.wake(clock.now() + limits.heartbeatMs, () => {
      // While it has enough to take, nothing is owed to it.
      if (queue.length === 0 && missed++ >= limits.heartbeatsMissed) end(new BusUnreachable('The servers fell silent.'))
      else listen()
    })
  }

  function pull(): void {
    const ahead = expected + queue.length
    if (over || ahead > limits.entriesAhead / 2) return
    const batch = limits.entriesAhead - ahead
    expected += batch
    const request = { batch, expires: nanos(limits.pullMs), idle_heartbeat: nanos(limits.heartbeatMs) }
    const replyTo = `${address}.${batch}`
    link.send(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, Buffer.from(JSON.stringify(request)), replyTo)
  }

  function hear(message: Message): void {
    if (over) return
    try {
      if (message.status === noResponders) return unheard(message)
      missed = 0
      if (message.status === 0) arrived(message)
      else if (message.status === statuses.heartbeat) idle(Number(message.header('Nats-Last-Stream')))
      else if (message.status === statuses.expired) expired(Number(message.header('Nats-Pending-Messages')))
      else throw new BusUnreachable(`The servers ended the following of ${stream} (${message.status}).`)
    } catch (error) {
      end(error)
    }
  }

  /** The server that delivers is not known yet to the one asked, or it is gone: then the silence grows too long. */
  function unheard({ subject }: Message): void {
    expected -= Number(subject.slice(address.length + 1))
    stopWaiting = clock.wake(clock.now() + limits.unheardAgainMs, () => {
      try {
        pull()
      } catch (error) {
        end(error)
      }
    })
  }

  function arrived(message: Message): void {
    const { number, place } = placeOf(message.replyTo)
    if (place !== ++heard) throw new BusUnreachable(`A message of ${stream} was lost on its way.`)
    expected--
    // A server that is behind the others begins earlier than it was told.
    if (reached !== undefined && number <= reached) return pull()
    if (reached !== undefined && number !== ++reached) throw new Error(missing(reached))
    queue.push({ number, subject: message.subject, body: message.body, header: message.header })
    if (!taking) void takeAll()
  }

  /** Nothing is on its way. What lies between the last message and where the servers stand will never come. */
  function idle(passed: number): void {
    if (reached !== undefined && passed > reached) throw new Error(missing(reached + 1))
  }

  function expired(unused: number): void {
    expected -= unused
    pull()
  }

  async function takeAll(): Promise<void> {
    taking = true
    try {
      for (let next = queue.shift(); next && !over; next = queue.shift()) {
        await hearing.take(next)
        pull()
      }
    } catch (error) {
      end(error)
    }
    taking = false
  }

  const missing = (number: number) => `Entry ${number} of ${stream} is gone: it was trimmed before it was read.`

  function end(why: unknown): void {
    if (over) return
    stop()
    hearing.ended(why)
  }

  function stop(): void {
    if (over) return
    over = true
    stopClock()
    stopWaiting()
    stopHearing()
    stopWatching()
    leave()
  }

  /** The servers would forget the consumer by themselves, in a while. */
  function leave(): void {
    if (link.failure() !== undefined) return
    callApi(inbox, `CONSUMER.DELETE.${stream}.${consumer}`).catch(() => {})
  }

  return stop
}

const passing = {
  ack_policy: 'none',
  inactive_threshold: nanos(limits.followerKeptMs),
  mem_storage: true,
  num_replicas: 1,
}

function configOf(wanted: Wanted): object {
  return 'after' in wanted
    ? { deliver_policy: 'by_start_sequence', opt_start_seq: wanted.after + 1 }
    : { deliver_policy: 'last_per_subject', filter_subject: wanted.lastOf }
}

/**
 * The address for an acknowledgement says where a message stands. It is
 * `$JS.ACK.<stream>.<consumer>.<tries>.<number>.<place>.<time>.<pending>`, or a longer form with domain and account
 * before the stream.
 */
function placeOf(replyTo: string): { number: number; place: number } {
  const words = replyTo.split('.')
  const from = words.length === shortAddressWords ? 5 : 7
  return { number: Number(words[from]), place: Number(words[from + 1]) }
}

const shortAddressWords = 9
