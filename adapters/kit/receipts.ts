/** The checks of what comes in over time: ids by which repetitions are known, and samples for all that the traits promise. */
import type { Item } from '../../core/channel/adapter.js'
import type { ToldInbound } from '../../core/channel/held.js'
import { callOf, hear } from './calls.js'
import { type Check, now, type Subject } from './subject.js'

type Told = Exclude<Item, { readonly problem: string }>

const minuteMs = 60_000

/** Everything that the samples tell, read at that time. */
function toldAt(subject: Subject, at: number): readonly { readonly name: string; readonly items: readonly Told[] }[] {
  return subject.samples.calls.flatMap((sample) => {
    const heard = hear(subject, callOf(subject, sample, at))
    if ('failed' in heard || heard.received.kind !== 'items') return []
    return [{ name: sample.name, items: heard.received.items.filter((item): item is Told => !('problem' in item)) }]
  })
}

const isCalled = ({ adapter, samples }: Subject) => adapter.connect === undefined || samples.calls.length > 0

export const receiptChecks: readonly Check[] = [
  {
    name: 'What the provider repeats has the id that it had before, in whatever call it comes',
    applies: isCalled,
    *run(subject: Subject) {
      const later = toldAt(subject, now + minuteMs)
      for (const [at, { name, items }] of toldAt(subject, now).entries()) {
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
      for (const { name, items } of toldAt(subject, now)) {
        for (const { id, inbound, address } of items) {
          const told = JSON.stringify([address, inbound])
          if ((seen.get(id) ?? told) !== told) yield `${name}: an id is that of something else, too`
          seen.set(id, told)
        }
      }
    },
  },
  {
    name: 'The samples show everything that the traits promise to tell',
    applies: isCalled,
    *run(subject: Subject) {
      const { chips, list, timePicker, receipts } = subject.adapter.descriptor.traits
      const all = toldAt(subject, now).flatMap(({ items }) => items.map(({ inbound }) => inbound))
      const shows = (is: (inbound: ToldInbound) => boolean) => all.some(is)
      const hasState = (state: string) =>
        shows((inbound) => inbound.kind === 'receipt' && inbound.receipt.state === state)
      if (!shows(({ kind }) => kind === 'content')) yield 'nothing that a person writes'
      if ((chips || list || timePicker) && !shows(({ kind }) => kind === 'tap')) yield 'no tap'
      if (receipts.delivered && !hasState('delivered')) yield 'no receipt for what was delivered'
      if (receipts.read && !hasState('read')) yield 'no receipt for what was read'
    },
  },
]
