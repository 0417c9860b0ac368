/** Checks of traits for one device: a subset of the channel's traits, and rendering keeps every rule with them. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { findExcessTrait } from '../../../core/channel/subset.js'
import type { Traits } from '../../../core/channel/traits.js'
import { traitsErrors } from './descriptor.js'
import { type Check, describeError, type Subject } from './harness.js'
import { renderChecks } from './render.js'

const declaresCapabilities = ({ adapter }: Subject) => adapter.traitsForDevice !== undefined

/** Every device capability that the samples name, in calls, refusals or `deviceCapabilities`. */
function capabilitiesIn({ samples }: Subject): readonly string[] {
  const items = samples.calls.flatMap(({ becomes }) => (becomes.kind === 'items' ? becomes.items : []))
  const fromCalls = items.flatMap((item) => ('problem' in item ? [] : (item.deviceCapabilities ?? [])))
  const fromAnswers = samples.answers.flatMap(({ becomes }) =>
    'deviceCapabilities' in becomes ? (becomes.deviceCapabilities ?? []) : [],
  )
  return [...new Set([...fromCalls, ...fromAnswers, ...(samples.deviceCapabilities ?? [])])]
}

/** Devices without capabilities, with all, with one, with all but one, and with unknown ones. */
function devicesOf(subject: Subject): readonly (readonly string[])[] {
  const capabilities = capabilitiesIn(subject)
  return [
    [],
    capabilities,
    ['UNKNOWN-CAPABILITY', '__proto__', ''],
    [...capabilities, 'UNKNOWN-CAPABILITY'],
    ...capabilities.map((capability) => [capability]),
    ...capabilities.map((capability) => capabilities.filter((each) => each !== capability)),
  ]
}

const describeDevice = (device: readonly string[]) => `a device with [${device.join()}]`

/**
 * The distinct traits of all devices. A device whose traits throw or exceed the channel is skipped; the first check
 * reports it.
 */
function* distinctTraits(subject: Subject): Generator<{ readonly device: readonly string[]; readonly traits: Traits }> {
  const seen = new Set<string>()
  for (const device of devicesOf(subject)) {
    try {
      const traits = subject.adapter.traitsForDevice!(device)
      const serialized = JSON.stringify(traits)
      if (seen.has(serialized) || findExcessTrait(traits, subject.adapter.descriptor.traits) !== undefined) continue
      seen.add(serialized)
      yield { device, traits }
    } catch {
      // The first check reports it.
    }
  }
}

export const capabilityChecks: readonly Check[] = [
  {
    name: 'Whatever a device can do, its traits are no more than those of the channel, and the same each time',
    applies: declaresCapabilities,
    *run(subject: Subject) {
      const { adapter } = subject
      if (capabilitiesIn(subject).length === 0) yield 'no sample has device capabilities'
      for (const device of devicesOf(subject)) {
        try {
          const traits = adapter.traitsForDevice!(Object.freeze(device))
          const wider = findExcessTrait(traits, adapter.descriptor.traits)
          if (wider !== undefined) yield `${describeDevice(device)}: ${wider} is more than the channel has`
          else yield* [...traitsErrors(traits)].map((error) => `${describeDevice(device)}: ${error}`)
          if (JSON.stringify(adapter.traitsForDevice!(device)) !== JSON.stringify(traits))
            yield `${describeDevice(device)}: its traits are others the second time`
        } catch (error) {
          yield `${describeDevice(device)}: \`traitsForDevice\` threw ${describeError(subject, error)}`
        }
      }
    },
  },
  {
    name: 'What is rendered for any device keeps every sentence about rendering, with the traits of that device',
    applies: declaresCapabilities,
    async *run(subject: Subject) {
      const { adapter } = subject
      for (const { device, traits } of distinctTraits(subject)) {
        const overrides: Pick<Adapter, 'descriptor' | 'render'> = {
          descriptor: { ...adapter.descriptor, traits },
          render: (blocks, context) => adapter.render(blocks, { ...context, deviceCapabilities: device }),
        }
        const narrowSubject = { ...subject, adapter: { ...adapter, ...overrides } }
        for (const check of renderChecks)
          for await (const problem of check.run(narrowSubject))
            yield `${describeDevice(device)}: ${check.name}: ${problem}`
      }
    },
  },
]
