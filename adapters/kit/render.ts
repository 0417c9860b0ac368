/** The checks of rendering: what an adapter makes of blocks says all of it, in order, as plain data, and no more. */
import type { ContentMessage } from '../../core/amf/index.js'
import type { Addressed } from '../../core/channel/adapter.js'
import type { Block } from '../../core/channel/blocks.js'
import type { Reader } from '../../core/render/contract.js'
import { render } from '../../core/render/index.js'
import { corpusFor } from './corpus.js'
import { wrongWire, wrongWires } from './shapes.js'
import { type Check, leaks, messageId, type Subject, thrown } from './subject.js'
import { carriedOn, placeOf, postbacksOf, stringsIn, textsOf } from './tells.js'

const reader: Reader = { locale: 'en-US', zone: 'America/New_York' }

interface Rendered {
  readonly name: string
  readonly blocks: readonly Block[]
  readonly wires: readonly unknown[]
}

export const aboutOf = ({ samples }: Pick<Subject, 'samples'>): Addressed => ({
  address: samples.address,
  messageId,
  lastHeardId: 'heard_0sample',
})

export function messagesFor({ adapter, samples }: Subject): readonly (readonly [string, ContentMessage])[] {
  return Object.entries({ ...corpusFor(adapter.descriptor.channel), ...samples.messages })
}

/** What rendering gave for every message; those it threw at are left out, and told by the check that is about that. */
function* rendered(subject: Subject): Generator<Rendered> {
  for (const [name, message] of messagesFor(subject)) {
    const { blocks } = render(message, subject.adapter.descriptor.traits, reader)
    try {
      const wires = subject.adapter.render(blocks, aboutOf(subject))
      if (wrongWires(wires) === undefined) yield { name, blocks, wires }
    } catch {
      // Told by the first check.
    }
  }
}

export const renderChecks: readonly Check[] = [
  {
    name: 'Every message that fits the traits renders, to a bounded list of plain data',
    *run(subject: Subject) {
      const { adapter, secrets } = subject
      for (const [name, message] of messagesFor(subject)) {
        const { blocks, loss } = render(message, adapter.descriptor.traits, reader)
        if (loss.length > 0) yield `${name}: the traits leave no room for ${loss.length} of its texts`
        try {
          const wires: unknown = adapter.render(frozen(blocks), aboutOf(subject))
          const wrong = wrongWires(wires)
          if (wrong) yield `${name}: ${wrong}`
          else if ((wires as unknown[]).length === 0 && blocks.length > 0) yield `${name}: nothing is sent`
          if (leaks(secrets, wires)) yield `${name}: a secret stands in what was rendered`
        } catch (error) {
          yield `${name}: \`render\` threw ${thrown(subject, error)}`
        }
      }
    },
  },
  {
    name: 'The same blocks always give the same requests',
    *run(subject: Subject) {
      for (const { name, blocks, wires } of rendered(subject)) {
        const again = subject.adapter.render(structuredClone(blocks), aboutOf(subject))
        if (JSON.stringify(again) !== JSON.stringify(wires)) yield `${name}: they are others the second time`
      }
    },
  },
  {
    name: 'Everything that a person should read is sent, in the order of the message',
    *run(subject: Subject) {
      for (const { name, blocks, wires } of rendered(subject)) {
        const sent = wires.map((wire) => stringsIn(wire).join('\n'))
        const together = [carriedOn(wires)]
        let from = 0
        for (const block of blocks) {
          // Inside one request texts may stand in any order: a provider has its own places for them.
          const texts = textsOf(block)
          const places = texts.map((text) => {
            const place = placeOf(text, sent, from)
            return place < 0 && placeOf(text, together, 0) === 0 ? from : place
          })
          const lost = texts[places.indexOf(-1)]
          if (lost !== undefined)
            yield `${name}: a ${block.kind} loses ${JSON.stringify(lost.slice(0, 60))}, or says it too early`
          else if (places.length > 0) from = Math.min(...places)
        }
      }
    },
  },
  {
    name: 'Every reply brings back its message and place, in order, and nothing else does',
    *run(subject: Subject) {
      for (const { name, blocks, wires } of rendered(subject)) yield* wrongPostbacks(name, blocks, wires)
    },
  },
  {
    name: 'Typing is shown where the traits have it, and signals are plain data',
    *run(subject: Subject) {
      const { adapter, samples } = subject
      const { typing } = adapter.descriptor.traits
      for (const signal of ['typing', 'read'] as const) {
        for (const about of [aboutOf(subject), { address: samples.address, messageId }]) {
          try {
            const wire = adapter.signal?.(signal, about)
            const wrong = wire === undefined ? undefined : wrongWire(wire)
            if (wrong) yield `${signal}: ${wrong}`
            if (signal === 'typing' && wire !== undefined && !typing) yield 'typing is sent where the traits have none'
            if (signal === 'typing' && wire === undefined && typing && about.lastHeardId !== undefined)
              yield 'the traits have typing, and nothing is sent for it'
          } catch (error) {
            yield `${signal}: \`signal\` threw ${thrown(subject, error)}`
          }
        }
      }
    },
  },
]

/** An adapter that changes what it is given would change it for the next try, too. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) frozen(inner)
  return value
}

function* wrongPostbacks(name: string, blocks: readonly Block[], wires: readonly unknown[]): Generator<string> {
  const ours = /p1\.msg_0sample\.\d+(?!\d)/g
  const sent = wires.map((wire) => new Set(stringsIn(wire).join('\n').match(ours) ?? []))
  const known = new Set<string>()
  let from = 0
  let most = 0
  for (const block of blocks) {
    const { owed, all } = postbacksOf(block, messageId)
    for (const postback of all) known.add(postback)
    most = Math.max(most, all.length)
    const places = owed.map((postback) => sent.findIndex((wire) => wire.has(postback)))
    if (places.includes(-1)) yield `${name}: ${owed[places.indexOf(-1)]} of a ${block.kind} is not sent`
    if (places.some((place, at) => place >= 0 && place < (places[at - 1] ?? from)))
      yield `${name}: taps are out of order`
    from = Math.max(from, ...places)
  }
  for (const wire of sent) {
    if (wire.size > most) yield `${name}: one request has ${wire.size} taps, and no block more than ${most}`
    for (const postback of wire) if (!known.has(postback)) yield `${name}: ${postback} is no tap of the message`
  }
}
