/**
 * Subscriptions of this node's pages to transcripts. The owner of a transcript watches its head and notifies its own
 * subscribers and, over the bus, those of other nodes. Notices may be lost: a notice only says how far the transcript
 * goes, and subscribers poll from time to time, so a lost notice costs time and never a line.
 */
import { webchat as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { Rpc } from '../nats/contract.js'
import type { Local } from '../shard/contract.js'
import { decodePlain, encodePlain } from '../store/codec.js'
import { type Head, headTable } from './transcript.js'

export interface Subscriber {
  /** The transcript reaches at least this head; the subscriber may know it already. */
  onHead(head: Head): void
  /** Time to read for missed lines. */
  poll(): void
}

export interface Subscriptions {
  /** Subscribes until `unsubscribe`. */
  subscribe(asid: string, subscriber: Subscriber): void
  unsubscribe(asid: string, subscriber: Subscriber): void
  close(): void
}

export interface SubscriptionsOptions {
  readonly local: Pick<Local, 'watch'>
  /** Absent in a single process. */
  readonly bus?: Rpc
  readonly clock: Clock
}

const emptyReply = new Uint8Array(0)

/** Replaces the underscore behind an asid's prefix, because a token of a subject contains none. */
function subjectOf(asid: string): string {
  return `webchat.${asid.replace('_', '-')}`
}

export function openSubscriptions({ local, bus, clock }: SubscriptionsOptions): Subscriptions {
  const subscriptions = new Map<string, Subscription>()

  function notifySubscribers(asid: string, head: Head): void {
    for (const subscriber of subscriptions.get(asid)?.subscribers ?? []) subscriber.onHead(head)
  }

  local.watch(headTable, ([asid], head) => {
    if (!head) return
    notifySubscribers(asid, head)
    // Mostly no other node subscribes; a subscriber that misses the notice polls.
    bus?.request(subjectOf(asid), encodePlain(head), limits.noticeMs).catch(() => undefined)
  })

  function addSubscription(asid: string): Subscription {
    const unserve = bus?.serve(subjectOf(asid), async (body) => {
      notifySubscribers(asid, decodePlain(body) as Head)
      return emptyReply
    })
    const subscription = new Subscription(clock, unserve)
    subscriptions.set(asid, subscription)
    return subscription
  }

  return {
    subscribe(asid, subscriber) {
      const subscription = subscriptions.get(asid) ?? addSubscription(asid)
      subscription.subscribers = [...subscription.subscribers, subscriber]
    },
    unsubscribe(asid, subscriber) {
      const subscription = subscriptions.get(asid)
      if (!subscription) return
      subscription.subscribers = subscription.subscribers.filter((each) => each !== subscriber)
      if (subscription.subscribers.length > 0) return
      subscription.close()
      subscriptions.delete(asid)
    },
    close() {
      for (const subscription of subscriptions.values()) subscription.close()
    },
  }
}

/** The subscribers of one visitor, mostly one page. */
class Subscription {
  /** Each change makes a new list, because a notified subscriber may unsubscribe during the notification. */
  subscribers: readonly Subscriber[] = []
  private cancelPoll: () => void

  constructor(
    private readonly clock: Clock,
    private readonly unserve: (() => void) | undefined,
  ) {
    this.cancelPoll = this.schedulePoll(limits.firstPollMs)
  }

  private schedulePoll(ms: number): () => void {
    return this.clock.setTimer(this.clock.now() + ms, () => {
      this.cancelPoll = this.schedulePoll(limits.pollEveryMs)
      for (const subscriber of this.subscribers) subscriber.poll()
    })
  }

  close(): void {
    this.cancelPoll()
    this.unserve?.()
  }
}
