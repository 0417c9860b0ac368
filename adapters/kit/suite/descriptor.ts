/** Checks of the descriptor: identity, traits and credential form. */
import { chipKinds } from '../../../core/amf/message.js'
import { contractVersion } from '../../../core/channel/adapter.js'
import { ProviderForm } from '../../../core/channel/form.js'
import type { Traits } from '../../../core/channel/traits.js'
import { channelNames } from '../../../core/channelnames.js'
import { slugPattern } from '../../../core/ids.js'
import { isRecord } from '../../../core/json.js'
import { media as mediaLimits } from '../../../core/limits/index.js'
import { compileForm, schemaProblems } from './forms.js'
import type { Check, Subject } from './harness.js'

const slug = { type: 'string', pattern: slugPattern } as const

export const descriptorChecks: readonly Check[] = [
  {
    name: 'The descriptor names the contract, a channel that has providers, and the provider as a slug',
    *run({ adapter: { descriptor } }: Subject) {
      const { contract, channel, provider, headers } = descriptor
      if (contract !== contractVersion) yield `\`contract\` is not ${contractVersion}`
      if (!channelNames.includes(channel)) yield '`channel` is not a channel of the contract'
      if (channel === 'webchat') yield 'webchat is served by the gateway itself'
      if (schemaProblems(slug, provider).length > 0) yield `\`provider\` does not match ${slugPattern}`
      if (!Array.isArray(headers)) yield '`headers` is not a list'
    },
  },
  {
    name: 'Every header that is read is declared once, in lower case',
    *run({ adapter: { descriptor } }: Subject) {
      const { headers } = descriptor
      if (new Set(headers).size !== headers.length) yield 'a header is declared twice'
      for (const header of headers) if (!/^[a-z0-9-]+$/.test(header)) yield `${header} is no header in lower case`
    },
  },
  {
    name: 'What the provider lets through a second, where that is said, is a number above zero or unlimited',
    *run({ adapter: { descriptor } }: Subject) {
      const { bulkPerSecond } = descriptor
      if (bulkPerSecond === undefined || bulkPerSecond === 'unlimited') return
      const isRate = Number.isFinite(bulkPerSecond) && bulkPerSecond > 0
      if (!isRate) yield '`bulkPerSecond` is neither a number above zero nor "unlimited"'
    },
  },
  {
    name: 'The traits are those of the channel and within reason',
    *run({ adapter: { descriptor } }: Subject) {
      const { traits, channel } = descriptor
      if (traits.channel !== channel) yield '`traits.channel` is another channel'
      yield* traitsErrors(traits)
    },
  },
  {
    name: 'The credential form is a closed JSON Schema, and what is secret in it is write-only',
    *run({ adapter: { descriptor } }: Subject) {
      const { form, provider } = descriptor
      yield* schemaProblems(ProviderForm, form).map((problem) => `\`form\`: ${problem}`)
      if (form.provider !== provider) yield '`form.provider` is another provider'
      yield* credentialSchemaErrors(form.credentials, 'credentials')
      const compiled = compileForm(form.credentials)
      if ('problem' in compiled) yield `the form is no JSON Schema that can be checked: ${compiled.problem}`
    },
  },
]

const secretNames = /(password|secret|token|private_?key|api_?key)$/i

/** Finds open object schemas, and fields that must be write-only by their name. */
function* credentialSchemaErrors(schema: unknown, path: string): Generator<string> {
  if (!isRecord(schema)) return
  const { type, properties, additionalProperties } = schema
  if (type === 'object' && additionalProperties !== false) yield `${path} takes fields that it does not name`
  if (!isRecord(properties)) return
  for (const [name, field] of Object.entries(properties)) {
    const isText = isRecord(field) && field.type === 'string'
    if (isText && secretNames.test(name) && field.writeOnly !== true) yield `${path}.${name} is not \`writeOnly\``
    yield* credentialSchemaErrors(field, `${path}.${name}`)
  }
}

interface Range {
  readonly least: number
  readonly most: number
}

const anyLabel: Range = { least: 1, most: 1_000 }
const anyText: Range = { least: 0, most: 10_000 }
/** Allowed range of each number in the traits; a number that is not listed is not in the contract. */
const ranges: Readonly<Record<string, Readonly<Record<string, Range>>>> = {
  text: { max: { least: 60, most: 100_000 }, besideMax: { least: 20, most: 100_000 } },
  chips: { min: { least: 1, most: 10 }, max: { least: 1, most: 100 }, labelMax: anyLabel },
  card: { titleMax: anyText, descriptionMax: anyText, chipsMax: { least: 0, most: 20 }, chipLabelMax: anyLabel },
  carousel: { min: { least: 1, most: 10 }, max: { least: 2, most: 50 } },
  list: { min: { least: 1, most: 50 }, max: { least: 2, most: 1_000 }, labelMax: anyLabel, descriptionMax: anyText },
  timePicker: { max: { least: 2, most: 1_000 } },
  media: { maxBytes: { least: 1, most: mediaLimits.maxBytes } },
}

/** Finds numbers out of range and unknown words. */
export function* traitsErrors(traits: Traits): Generator<string> {
  const groups = traits as unknown as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>
  for (const [name, fields] of Object.entries(ranges)) {
    const group = groups[name]
    if (group === undefined) continue
    for (const [field, { least, most }] of Object.entries(fields)) {
      const value = group[field]
      if (value === undefined && field === 'besideMax') continue
      const isInRange = Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      if (!isInRange) yield `traits.${name}.${field} is not a whole number from ${least} to ${most}`
    }
    const { min, max } = group
    if (typeof min === 'number' && typeof max === 'number' && min > max) yield `traits.${name} has a min above its max`
  }
  yield* enumErrors(traits)
}

function* enumErrors({ markup, text, chips, card, media, receipts, typing, windowHours }: Traits): Generator<string> {
  const isKnown = (kinds: readonly string[]) =>
    Array.isArray(kinds) && kinds.length > 0 && kinds.every((kind) => chipKinds.some((chipKind) => chipKind === kind))
  if (!['plain', 'commonmark', 'whatsapp', 'slack'].includes(markup)) yield 'traits.markup is unknown'
  if (!['characters', 'bytes'].includes(text?.unit)) yield 'traits.text.unit is unknown'
  if (!['gsm7', 'unicode'].includes(text?.encoding)) yield 'traits.text.encoding is unknown'
  if (chips && !isKnown(chips.kinds)) yield 'traits.chips.kinds are not kinds of chips'
  if (card && !isKnown(card.chipKinds)) yield 'traits.card.chipKinds are not kinds of chips'
  if (media && !media.types.every((type) => /^[a-z]+\/[a-z0-9.+-]+$/.test(type)))
    yield 'traits.media.types are no types'
  const flags = [receipts?.delivered, receipts?.read, typing]
  if (!flags.every((flag) => typeof flag === 'boolean')) yield 'traits.receipts or traits.typing is missing'
  const isWindow = windowHours === null || (Number.isFinite(windowHours) && windowHours > 0)
  if (!isWindow) yield 'traits.windowHours is neither null nor a number of hours'
}
