/** Mutated bodies, drawn from a seed so that a finding can be reproduced. */
import { isRecord } from '../../../core/json.js'
import { readJson } from '../http.js'

type Random = () => number

const randomBelow = (random: Random, count: number) => Math.floor(random() * count)

export function randomBytes(random: Random, maxLength: number): Uint8Array {
  return Uint8Array.from({ length: randomBelow(random, maxLength + 1) }, () => randomBelow(random, 256))
}

/** Flips one bit of one byte. */
export function flipBit(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = copy[at]! ^ 1
  return copy
}

/** Replaces, removes or doubles some bytes. */
export function mutateBytes(random: Random, bytes: Uint8Array): Uint8Array {
  const at = randomBelow(random, bytes.length + 1)
  const until = Math.min(bytes.length, at + randomBelow(random, 8))
  const middle = random() < 0.5 ? randomBytes(random, 8) : bytes.subarray(at, until)
  return Buffer.concat([bytes.subarray(0, at), middle, middle, bytes.subarray(until)])
}

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '0',
  '-1',
  'NaN',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  'x'.repeat(5_000),
  'p1..0',
  'p1.x.99999',
  [],
  [null],
  [[]],
  {},
  { length: 1 },
  { toString: null, valueOf: null },
]

/** Replaces one value of a JSON body by an odd one, or removes it; undefined for a body that is not JSON. */
export function mutateJson(random: Random, bytes: Uint8Array): Uint8Array | undefined {
  const value = readJson(bytes)
  if (!isRecord(value) && !Array.isArray(value)) return undefined
  return Buffer.from(JSON.stringify(mutateValue(random, value)) ?? 'null')
}

function mutateValue(random: Random, value: unknown): unknown {
  const isOpen = isRecord(value) || Array.isArray(value)
  const entries: [string, unknown][] = isOpen ? Object.entries(value) : []
  if (entries.length === 0 || random() < 0.15) return oddValues[randomBelow(random, oddValues.length)]
  const chosen = randomBelow(random, entries.length)
  const changed = entries.flatMap(([name, inner], at): [string, unknown][] => {
    if (at !== chosen) return [[name, inner]]
    return random() < 0.2 ? [] : [[name, mutateValue(random, inner)]]
  })
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed)
}
