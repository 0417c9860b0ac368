/** Keys and records as properties draw them, and the order of keys told a second way. */
import fc from 'fast-check'
import type { Key, KeyPart } from '../../../runtime/store/contract.js'
import { anyText } from '../../harness/arbitraries.js'

/** Strings as they really come, and those that a byte order is most easily wrong about. */
const anyString = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '\0\0',
    '\x01',
    'a',
    'a\0',
    'a\0b',
    'a\xff',
    'ab',
    'b',
    '\ud800',
    'a\udc00',
    '\uffff',
    '😀',
  ),
  anyText({ maxLength: 8 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 }).map((units) => String.fromCharCode(...units)),
  fc.string({ minLength: 60, maxLength: 80 }),
)

const anyNumber = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, -0.5, 1e300, -1e300, 2 ** 53, 5e-324, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  fc.double({ noNaN: true }),
)

export const anyKey: fc.Arbitrary<Key> = fc
  .array(fc.oneof(anyString, anyNumber), { maxLength: 4 })
  .map((parts) => parts.map((part) => (part === 0 ? 0 : part)))

const anyFieldName = fc.oneof(anyString, fc.constantFrom('__proto__', 'constructor', 'toJSON', 'hasOwnProperty', '1'))

/** Any plain data: what a record may hold, however odd. */
export const anyRecord: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, undefined, true, false, -0, Number.NaN, 2 ** 40, -(2 ** 40)),
    fc.double(),
    fc.integer(),
    anyString,
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.tuple(anyFieldName, tie('value')), { maxLength: 6 }).map(objectOf),
  ),
})).value

/** By definition rather than assignment, so that `__proto__` is a name like any other. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  const object = {}
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
  }
  return object
}

export function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareParts(a[i]!, b[i]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

export function beginsWith(key: Key, prefix: Key): boolean {
  return key.length >= prefix.length && prefix.every((part, i) => compareParts(part, key[i]!) === 0)
}

function compareParts(a: KeyPart, b: KeyPart): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'number') return -1
  if (typeof b === 'number') return 1
  const x = Array.from(a, (char) => char.codePointAt(0)!)
  const y = Array.from(b, (char) => char.codePointAt(0)!)
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i]! - y[i]!
  return x.length - y.length
}
