/**
 * Checks of items over time: repeated calls have the same ids, and samples cover every receipt that the traits promise.
 */
import type { Item } from '../../../core/channel/adapter.js'
import type { ReportedInbound } from '../../../core/channel/providermedia.js'
import { callOf, receive } from './calls.js'
import { type Check, now, type Subject } from './harness.js'

type InboundItem = Exclude<Item, { readonly problem: string }>

const minuteMs = 60_000

/** All items of the samples, received at that time. */
function itemsAt(
  subject: Subject,
  at: number,
): readonly { readonly name: string; readonly items: readonly InboundItem[] }[] {
  return subject.samples.calls.flatMap((sample) => {
    const result = receive(subject, callOf(subject, sample, at))
    if ('failed' in result || result.received.kind !== 'items') return []
    return [
      { name: sample.name, items: result.received.items.filter((item): item is InboundItem => !('problem' in item)) },
    ]
  })
}

const isCalled = ({ adapter, samples }: Subject) => adapter.connect === undefined || samples.calls.length > 0

export const receiptChecks: readonly Check[] = [
  {
    name: 'What the provider repeats has the id that it had before, in whatever call it comes',
    applies: isCalled,
    *run(subject: Subject) {
      const later = itemsAt(subject, now + minuteMs)
      for (const [at, { name, items }] of itemsAt(subject, now).entries()) {
        const ids = items.map(({ id }) => id).join()
        if (later[at]?.items.map(({ id }) => id).join() !== ids) yield `${name}: a minute later its ids are others`
      }
    },
  },
  {
    name: 'Each thing that happened has an id of its own, and each state of a message too',
    applies: isCalled,
    *run(subject: Subject) {
      const seen = new Map<string, string>()
      for (const { name, items } of itemsAt(subject, now)) {
        for (const { id, inbound, address } of items) {
          const serialized = JSON.stringify([address, inbound])
          if ((seen.get(id) ?? serialized) !== serialized) yield `${name}: an id is that of something else, too`
          seen.set(id, serialized)
        }
      }
    },
  },
  {
    name: 'The samples show every receipt that the traits promise',
    applies: isCalled,
    *run(subject: Subject) {
      const { chips, list, timePicker, receipts } = subject.adapter.descriptor.traits
      const all = itemsAt(subject, now).flatMap(({ items }) => items.map(({ inbound }) => inbound))
      const shows = (is: (inbound: ReportedInbound) => boolean) => all.some(is)
      const hasState = (state: string) =>
        shows((inbound) => inbound.kind === 'receipt' && inbound.receipt.state === state)
      if (!shows(({ kind }) => kind === 'content')) yield 'nothing that a person writes'
      if ((chips || list || timePicker) && !shows(({ kind }) => kind === 'tap')) yield 'no tap'
      if (receipts.delivered && !hasState('delivered')) yield 'no receipt for what was delivered'
      if (receipts.read && !hasState('read')) yield 'no receipt for what was read'
    },
  },
]
