/**
 * Who on this node follows the record of which visitor. The process that owns a record notices every change of it and
 * says so to its own followers and over the bus, to whichever nodes have any. A notice may be lost: it says only how far
 * the record goes, and followers look by themselves now and then, so that a lost one costs time and never a line.
 */
import { webchat as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { Rpc } from '../nats/contract.js'
import type { Local } from '../shard/contract.js'
import { decodePlain, encodePlain } from '../store/codec.js'
import { type Head, headTable } from './transcript.js'

export interface Subscriber {
  /** The record is known to go so far. It may be known already. */
  onHead(head: Head): void
  /** It is time to look whether there is more. */
  poll(): void
}

export interface Subscriptions {
  /** From now on until it is taken back. */
  subscribe(asid: string, subscriber: Subscriber): void
  unsubscribe(asid: string, subscriber: Subscriber): void
  close(): void
}

export interface SubscriptionsOptions {
  readonly local: Pick<Local, 'watch'>
  /** Absent where there is one process alone. */
  readonly bus?: Rpc
  readonly clock: Clock
}

const emptyReply = new Uint8Array(0)

/** A word of a subject has no underscore; an asid has one, behind its prefix. */
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
    // Mostly nobody else listens; whoever did not hear it looks by himself.
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

/** Those who follow one visitor, mostly one page. A class, since there are as many as pages. */
class Subscription {
  /** Another list with every change: whoever is told may leave meanwhile. */
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
