/**
 * Messages of AMF/1 that are almost right: judging one gives it back, or says what is wrong at a path that is there.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type OutboundMessage, validateMessage } from '../../../core/amf/index.js'
import { isSignal } from '../../../core/amf/message.js'
import { tapsOf } from '../../../core/amf/taps.js'
import { amf as limits } from '../../../core/limits/index.js'
import type { Rng } from '../../sim/world/rng.js'
import { contentMessage } from '../amf/arbitrary.js'
import { mutateText, type Target } from './fuzz.js'

const signals: OutboundMessage[] = [{ spec: 'amf/1', signal: 'typing' }]
const messages = [...fc.sample(contentMessage, { numRuns: 120, seed: 1 }), ...signals].map((each) =>
  JSON.stringify(each),
)

const keys =
  'type text parts chips label kind url phone event place prompt intentId options slots items id start iso tz card cards native payload fallback signal spec mediaUrl __proto__ constructor toString'.split(
    ' ',
  )
const jsonTokens = [
  ...'{ } [ ] , : null true "" "a" 0 -1 1e400 \\ud800 \\u0000'.split(' '),
  ...keys.map((key) => `"${key}":`),
]

function oddValue(rng: Rng): unknown {
  const odd = [
    null,
    true,
    0,
    -1,
    1e308,
    '',
    ' ',
    'a',
    '\0',
    '\ud800',
    'http://a.example',
    'https://a.example',
    [],
    {},
    [[]],
    [null],
  ]
  const deep = () => JSON.parse('['.repeat(40) + ']'.repeat(40))
  const long = () => 'x'.repeat(rng.pick([limits.textChars, limits.textChars + 1, limits.nativeBytes + 1]))
  return rng.chance(0.02) ? rng.pick([deep, long])() : structuredClone(rng.pick(odd))
}

/** Every object and list of a value, in one list. */
function holdersOf(value: unknown, holders: Record<string, unknown>[] = []): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return holders
  holders.push(value as Record<string, unknown>)
  for (const each of Object.values(value)) holdersOf(each, holders)
  return holders
}

/** Changes one place of a value: something goes, comes, doubles, or is taken from another message. */
function mutateValue(rng: Rng, root: unknown): unknown {
  const holders = holdersOf(root)
  if (holders.length === 0) return oddValue(rng)
  const holder = rng.pick(holders)
  const key = rng.chance(0.8) && Object.keys(holder).length > 0 ? rng.pick(Object.keys(holder)) : rng.pick(keys)
  const member = Object.getOwnPropertyDescriptor(holder, key)?.value
  switch (rng.below(7)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key) || 0, 1)
      else delete holder[key]
      break
    case 1:
      put(holder, key, oddValue(rng))
      break
    case 2:
      put(holder, rng.pick(keys), member ?? 'a')
      break
    case 3:
      if (Array.isArray(holder))
        holder.push(...Array.from({ length: rng.pick([1, 2, 25]) }, () => structuredClone(member)))
      else if (Array.isArray(member)) member.push(structuredClone(member[0]))
      break
    case 4:
      put(holder, key, rng.pick(holdersOf(JSON.parse(rng.pick(messages)))))
      break
    case 5: {
      const other = rng.pick(holders)
      put(holder, key, structuredClone(other))
      break
    }
    default:
      if (typeof member === 'string') put(holder, key, mutateText(rng, member, jsonTokens, messages))
      else if (typeof member === 'number') put(holder, key, member * rng.between(-1000, 1000))
  }
  return root
}

/**
 * As JSON would bring it: lists have places alone, and a member is the object's own even under the prototype's name.
 */
function put(holder: Record<string, unknown>, key: string, value: unknown): void {
  if (Array.isArray(holder) && !/^\d+$/.test(key)) return
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

export const amfTarget: Target<unknown> = {
  name: 'amf',
  draw(rng) {
    let text = rng.pick(messages)
    if (rng.chance(0.2)) {
      for (let times = 1 + rng.below(2); times > 0; times--) text = mutateText(rng, text, jsonTokens, messages)
      try {
        return JSON.parse(text)
      } catch {
        text = rng.pick(messages)
      }
    }
    let value: unknown = JSON.parse(text)
    for (let times = rng.below(4); times > 0; times--) value = mutateValue(rng, value)
    return value
  },
  check(value) {
    const validated = validateMessage(value)
    if ('problems' in validated) {
      assert.ok(validated.problems.length >= 1 && validated.problems.length <= limits.problems)
      for (const { path, message, code } of validated.problems) {
        assert.ok(['invalidMessage', 'invalidSignal', 'unsupportedPart', 'tooLarge'].includes(code))
        assert.ok(message.length > 0 && message.length < 1_000)
        checkPath(value, path)
      }
      return false
    }
    const copy = JSON.parse(JSON.stringify(validated.message))
    assert.ok('message' in validateMessage(copy), 'it is valid as JSON too')
    if (!isSignal(validated.message)) assert.deepEqual(tapsOf(copy), tapsOf(validated.message))
    return true
  },
}

/** All of a path but its last step is there; the last may be what is missing. */
function checkPath(value: unknown, path: string): void {
  const steps = path.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.[\]]+/g) ?? []
  let at = value
  for (const step of steps.slice(0, -1)) {
    assert.ok(typeof at === 'object' && at !== null, `${path} leads nowhere`)
    const key = step.startsWith('[') ? String(JSON.parse(step.slice(1, -1))) : step
    at = Object.getOwnPropertyDescriptor(at, key)?.value
  }
  assert.ok(steps.length === 0 || (typeof at === 'object' && at !== null), `${path} leads nowhere`)
}
