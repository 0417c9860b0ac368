/**
 * Validates a value as a message of AMF/1. The input is untrusted: validation never throws, takes time linear in the
 * value, and reports each fault with its path and the expected form. A valid message is returned unchanged.
 */
import Type from 'typebox'
import { channelNames } from '../channelnames.js'
import { isRecord } from '../json.js'
import { amf as limits } from '../limits/index.js'
import {
  addFinding,
  addFindingAt,
  type Check,
  createValidationContext,
  type Finding,
  type ProblemCode,
  quote,
  type ValidationContext,
} from './findings.js'
import { Card, Delivery, type OutboundMessage, partTypes, plainParts, signals } from './message.js'
import { checkPayload } from './payload.js'
import { checkOf, listOf, membersOf, oneOf, textOf } from './shapes.js'
import { Id } from './values.js'

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

/** The first faults, in the order of the message. */
export function inspectMessage(value: unknown): readonly Finding[] {
  const context = createValidationContext()
  checkMessage(value, context)
  return context.findings
}

const plain = new Map(Object.entries(plainParts).map(([type, shape]): [string, Check] => [type, checkOf(shape)]))
const types = new Set<string>(partTypes)
const partBounds = { minItems: 1, maxItems: limits.parts }

const checkNative = membersOf(
  new Map<string, Check>([
    ['type', oneOf(['native'])],
    ['channel', oneOf(channelNames)],
    ['payload', checkPayload],
    ['fallback', listOf((value, context) => checkPart(value, context, true), partBounds)],
  ]),
  ['channel', 'payload', 'fallback'],
)

function checkPart(value: unknown, context: ValidationContext, inFallback: boolean): boolean {
  if (!isRecord(value)) return addFinding(context, 'must be an object with a type')
  const { type } = value
  if (type === undefined) return addFindingAt(context, 'type', 'is required')
  if (typeof type !== 'string' || !types.has(type)) {
    const code = typeof type === 'string' ? 'unsupportedPart' : 'invalidMessage'
    return addFindingAt(context, 'type', `must be one of ${partTypes.join(', ')}, not ${quote(type)}`, { code })
  }
  if (type !== 'native') return plain.get(type)?.(value, context) ?? false
  if (!inFallback) return checkNative(value, context)
  return addFindingAt(context, 'type', 'must not be native: a fallback has to show on every channel')
}

const id = checkOf(Id)
const spec = oneOf(['amf/1'])

const checkContent = membersOf(
  new Map<string, Check>([
    ['spec', spec],
    ['parts', listOf((value, context) => checkPart(value, context, false), partBounds)],
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

function checkMessage(value: unknown, context: ValidationContext): boolean {
  if (!isRecord(value)) return addFinding(context, 'A message must be an object')
  const { signal, parts } = value
  if (signal === undefined && parts === undefined) return addFinding(context, 'A message must have parts or a signal')
  if (signal === undefined) return checkContent(value, context)
  if (parts === undefined) return checkSignal(value, context)
  return addFindingAt(context, 'signal', 'stands alone: a message has parts or a signal, not both')
}

const localeText = textOf(Type.String({ minLength: 1, maxLength: limits.localeChars }))

function checkLocale(value: unknown, context: ValidationContext): boolean {
  if (!localeText(value, context)) return false
  try {
    Intl.getCanonicalLocales(value as string)
    return true
  } catch {
    return addFinding(context, 'must be a language tag of BCP 47 such as en-US')
  }
}
