/**
 * Checks of `render`: payloads keep every text and tap of the blocks, in order, as plain data, and send nothing more.
 */
import type { ContentMessage } from '../../../core/amf/index.js'
import type { RenderContext } from '../../../core/channel/adapter.js'
import { payloadError, payloadsError } from '../../../core/channel/adaptervalidation.js'
import type { Block } from '../../../core/channel/blocks.js'
import type { Reader } from '../../../core/render/contract.js'
import { render } from '../../../core/render/index.js'
import { corpusFor } from './corpus.js'
import { type Check, describeError, leaksSecret, messageId, type Subject } from './harness.js'
import { joinByPath, positionOf, postbacksOf, stringsIn, textsOf } from './texts.js'

const reader: Reader = { locale: 'en-US', zone: 'America/New_York' }

interface Rendered {
  readonly name: string
  readonly blocks: readonly Block[]
  readonly payloads: readonly unknown[]
}

export const addressedOf = ({ samples }: Pick<Subject, 'samples'>): RenderContext => ({
  address: samples.address,
  messageId,
  lastInboundId: 'heard_0sample',
})

export function messagesFor({ adapter, samples }: Subject): readonly (readonly [string, ContentMessage])[] {
  return Object.entries({ ...corpusFor(adapter.descriptor.channel), ...samples.messages })
}

/**
 * The payloads of every message. Messages whose rendering throws are skipped; the check about exceptions reports them.
 */
function* renderAll(subject: Subject): Generator<Rendered> {
  for (const [name, message] of messagesFor(subject)) {
    const { blocks } = render(message, subject.adapter.descriptor.traits, reader)
    try {
      const payloads = subject.adapter.render(blocks, addressedOf(subject))
      if (payloadsError(payloads) === undefined) yield { name, blocks, payloads }
    } catch {
      // The first check reports it.
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
          const payloads: unknown = adapter.render(deepFreeze(blocks), addressedOf(subject))
          const problem = payloadsError(payloads)
          if (problem) yield `${name}: ${problem}`
          else if ((payloads as unknown[]).length === 0 && blocks.length > 0) yield `${name}: nothing is sent`
          if (leaksSecret(secrets, payloads)) yield `${name}: a secret stands in what was rendered`
        } catch (error) {
          yield `${name}: \`render\` threw ${describeError(subject, error)}`
        }
      }
    },
  },
  {
    name: 'The same blocks always give the same requests',
    *run(subject: Subject) {
      for (const { name, blocks, payloads } of renderAll(subject)) {
        const second = subject.adapter.render(structuredClone(blocks), addressedOf(subject))
        if (JSON.stringify(second) !== JSON.stringify(payloads)) yield `${name}: they are others the second time`
      }
    },
  },
  {
    name: 'Everything that a person should read is sent, in the order of the message',
    *run(subject: Subject) {
      for (const { name, blocks, payloads } of renderAll(subject)) {
        const byPayload = payloads.map((payload) => stringsIn(payload).join('\n'))
        const joined = [joinByPath(payloads)]
        let from = 0
        for (const block of blocks) {
          // Within one request texts may be in any order, since a provider has its own places for them.
          const texts = textsOf(block)
          const positions = texts.map((text) => {
            const position = positionOf(text, byPayload, from)
            return position < 0 && positionOf(text, joined, 0) === 0 ? from : position
          })
          const missing = texts[positions.indexOf(-1)]
          if (missing !== undefined)
            yield `${name}: a ${block.kind} loses ${JSON.stringify(missing.slice(0, 60))}, or says it too early`
          else if (positions.length > 0) from = Math.min(...positions)
        }
      }
    },
  },
  {
    name: 'Every reply brings back its message and place, in order, and nothing else does',
    *run(subject: Subject) {
      for (const { name, blocks, payloads } of renderAll(subject)) yield* postbackProblems(name, blocks, payloads)
    },
  },
  {
    name: 'Typing is shown where the traits have it, and signals are plain data',
    *run(subject: Subject) {
      const { adapter, samples } = subject
      const { typing } = adapter.descriptor.traits
      for (const signal of ['typing', 'read'] as const) {
        for (const context of [addressedOf(subject), { address: samples.address, messageId }]) {
          try {
            const payload = adapter.signal?.(signal, context)
            const problem = payload === undefined ? undefined : payloadError(payload)
            if (problem) yield `${signal}: ${problem}`
            if (signal === 'typing' && payload !== undefined && !typing)
              yield 'typing is sent where the traits have none'
            if (signal === 'typing' && payload === undefined && typing && context.lastInboundId !== undefined)
              yield 'the traits have typing, and nothing is sent for it'
          } catch (error) {
            yield `${signal}: \`signal\` threw ${describeError(subject, error)}`
          }
        }
      }
    },
  },
]

/** Frozen input: an adapter that changed it would change it for the next attempt, too. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}

function* postbackProblems(name: string, blocks: readonly Block[], payloads: readonly unknown[]): Generator<string> {
  const ownPostback = /p1\.msg_0sample\.\d+(?!\d)/g
  const byPayload = payloads.map((payload) => new Set(stringsIn(payload).join('\n').match(ownPostback) ?? []))
  const expected = new Set<string>()
  let from = 0
  let most = 0
  for (const block of blocks) {
    const { required, all } = postbacksOf(block, messageId)
    for (const postback of all) expected.add(postback)
    most = Math.max(most, all.length)
    const positions = required.map((postback) => byPayload.findIndex((payload) => payload.has(postback)))
    if (positions.includes(-1)) yield `${name}: ${required[positions.indexOf(-1)]} of a ${block.kind} is not sent`
    if (positions.some((position, at) => position >= 0 && position < (positions[at - 1] ?? from)))
      yield `${name}: taps are out of order`
    from = Math.max(from, ...positions)
  }
  for (const payload of byPayload) {
    if (payload.size > most) yield `${name}: one request has ${payload.size} taps, and no block more than ${most}`
    for (const postback of payload) if (!expected.has(postback)) yield `${name}: ${postback} is no tap of the message`
  }
}
