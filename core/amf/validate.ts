/**
 * Whether a value is a message of AMF/1. It takes whatever a stranger sent: it never throws, it takes time linear in the
 * value, and it says of each fault where it is and what would be right. A message that passes is returned as it was given.
 */
import Type from 'typebox'
import { channelNames } from '../channelnames.js'
import { isRecord } from '../json.js'
import { amf as limits } from '../limits.js'
import { Card, Delivery, type OutboundMessage, partTypes, plainParts, signals } from './message.js'
import { checkPayload } from './payload.js'
import { checkOf, listOf, membersOf, oneOf, textOf } from './shapes.js'
import { Id } from './values.js'
import { type Check, type Finding, newWalk, note, noteAt, type ProblemCode, quoted, type Walk } from './walk.js'

export interface Problem {
  readonly path: string
  readonly message: string
  readonly code: ProblemCode
}

export function validateMessage(value: unknown): { message: OutboundMessage } | { problems: Problem[] } {
  const findings = inspectMessage(value)
  if (findings.length === 0) return { message: value as OutboundMessage }
  return { problems: findings.map(({ path, message, code }) => ({ path, message, code })) }
}

/** The first faults, in the order in which the message has them. */
export function inspectMessage(value: unknown): readonly Finding[] {
  const walk = newWalk()
  checkMessage(value, walk)
  return walk.findings
}

const plain = new Map(Object.entries(plainParts).map(([type, shape]): [string, Check] => [type, checkOf(shape)]))
const types = new Set<string>(partTypes)
const partBounds = { minItems: 1, maxItems: limits.parts }

const checkNative = membersOf(
  new Map<string, Check>([
    ['type', oneOf(['native'])],
    ['channel', oneOf(channelNames)],
    ['payload', checkPayload],
    ['fallback', listOf((value, walk) => checkPart(value, walk, true), partBounds)],
  ]),
  ['channel', 'payload', 'fallback'],
)

function checkPart(value: unknown, walk: Walk, inFallback: boolean): boolean {
  if (!isRecord(value)) return note(walk, 'must be an object with a type')
  const { type } = value
  if (type === undefined) return noteAt(walk, 'type', 'is required')
  if (typeof type !== 'string' || !types.has(type)) {
    const code = typeof type === 'string' ? 'unsupportedPart' : 'invalidMessage'
    return noteAt(walk, 'type', `must be one of ${partTypes.join(', ')}, not ${quoted(type)}`, { code })
  }
  if (type !== 'native') return plain.get(type)?.(value, walk) ?? false
  if (!inFallback) return checkNative(value, walk)
  return noteAt(walk, 'type', 'must not be native: a fallback has to show on every channel')
}

const id = checkOf(Id)
const spec = oneOf(['amf/1'])

const checkContent = membersOf(
  new Map<string, Check>([
    ['spec', spec],
    ['parts', listOf((value, walk) => checkPart(value, walk, false), partBounds)],
    ['chips', checkOf(Card.properties.chips)],
    ['delivery', checkOf(Delivery)],
    ['id', id],
    ['locale', checkLocale],
  ]),
  ['spec', 'parts'],
)

const checkSignal = membersOf(
  new Map<string, Check>([
    ['spec', spec],
    ['signal', oneOf(signals, { code: 'invalidSignal' })],
    ['id', id],
  ]),
  ['spec'],
)

function checkMessage(value: unknown, walk: Walk): boolean {
  if (!isRecord(value)) return note(walk, 'A message must be an object')
  const { signal, parts } = value
  if (signal === undefined && parts === undefined) return note(walk, 'A message must have parts or a signal')
  if (signal === undefined) return checkContent(value, walk)
  if (parts === undefined) return checkSignal(value, walk)
  return noteAt(walk, 'signal', 'stands alone: a message has parts or a signal, not both')
}

const localeText = textOf(Type.String({ minLength: 1, maxLength: limits.localeChars }))

function checkLocale(value: unknown, walk: Walk): boolean {
  if (!localeText(value, walk)) return false
  try {
    Intl.getCanonicalLocales(value as string)
    return true
  } catch {
    return note(walk, 'must be a language tag of BCP 47 such as en-US')
  }
}
