/** The checks of traits for one device: never more than the channel has, and everything that is said fits into them. */
import type { Adapter } from '../../core/channel/adapter.js'
import { widerTrait } from '../../core/channel/narrower.js'
import type { Traits } from '../../core/channel/traits.js'
import { wrongTraits } from './descriptor.js'
import { renderChecks } from './render.js'
import { type Check, type Subject, thrown } from './subject.js'

const tells = ({ adapter }: Subject) => adapter.traitsWith !== undefined

/** Every word that devices of the samples have, be it told with what a person does or with a refusal. */
function wordsIn({ samples }: Subject): readonly string[] {
  const items = samples.calls.flatMap(({ becomes }) => (becomes.kind === 'items' ? becomes.items : []))
  const heard = items.flatMap((item) => ('problem' in item ? [] : (item.abilities ?? [])))
  const refused = samples.answers.flatMap(({ becomes }) => ('abilities' in becomes ? (becomes.abilities ?? []) : []))
  return [...new Set([...heard, ...refused, ...(samples.abilities ?? [])])]
}

/** Devices that can do nothing, everything, one thing, everything but one, and what nobody has heard of. */
function devicesOf(subject: Subject): readonly (readonly string[])[] {
  const words = wordsIn(subject)
  return [
    [],
    words,
    ['WHAT-NOBODY-HAS', '__proto__', ''],
    [...words, 'WHAT-NOBODY-HAS'],
    ...words.map((word) => [word]),
    ...words.map((word) => words.filter((each) => each !== word)),
  ]
}

const nameOf = (device: readonly string[]) => `a device with [${device.join()}]`

/** The traits of every device, each once; those that could not be told are left out, and told by the first check. */
function* narrowed(subject: Subject): Generator<{ readonly device: readonly string[]; readonly traits: Traits }> {
  const seen = new Set<string>()
  for (const device of devicesOf(subject)) {
    try {
      const traits = subject.adapter.traitsWith!(device)
      const written = JSON.stringify(traits)
      if (seen.has(written) || widerTrait(traits, subject.adapter.descriptor.traits) !== undefined) continue
      seen.add(written)
      yield { device, traits }
    } catch {
      // Told by the first check.
    }
  }
}

export const abilityChecks: readonly Check[] = [
  {
    name: 'Whatever a device can do, its traits are no more than those of the channel, and the same each time',
    applies: tells,
    *run(subject: Subject) {
      const { adapter } = subject
      if (wordsIn(subject).length === 0) yield 'no sample tells what a device can do'
      for (const device of devicesOf(subject)) {
        try {
          const traits = adapter.traitsWith!(Object.freeze(device))
          const wider = widerTrait(traits, adapter.descriptor.traits)
          if (wider !== undefined) yield `${nameOf(device)}: ${wider} is more than the channel has`
          else yield* [...wrongTraits(traits)].map((wrong) => `${nameOf(device)}: ${wrong}`)
          if (JSON.stringify(adapter.traitsWith!(device)) !== JSON.stringify(traits))
            yield `${nameOf(device)}: its traits are others the second time`
        } catch (error) {
          yield `${nameOf(device)}: \`traitsWith\` threw ${thrown(subject, error)}`
        }
      }
    },
  },
  {
    name: 'What is rendered for any device keeps every sentence about rendering, with the traits of that device',
    applies: tells,
    async *run(subject: Subject) {
      const { adapter } = subject
      for (const { device, traits } of narrowed(subject)) {
        const made: Pick<Adapter, 'descriptor' | 'render'> = {
          descriptor: { ...adapter.descriptor, traits },
          render: (blocks, about) => adapter.render(blocks, { ...about, abilities: device }),
        }
        const narrow = { ...subject, adapter: { ...adapter, ...made } }
        for (const check of renderChecks)
          for await (const problem of check.run(narrow)) yield `${nameOf(device)}: ${check.name}: ${problem}`
      }
    },
  },
]
