/** Long answers as JSON, written in slices: after each one everybody else has a turn of the event loop. */
import { systemClock } from '../clock.js'
import { nextTurn } from '../turns.js'

const sliceChars = 64 * 1024
/** Lists that may be long stand this deep in what is answered. */
const deepest = 3
const shortItems = 100

/** Whether a value holds a list that is better written in slices. */
export function isLong(value: unknown, depth = 0): boolean {
  if (Array.isArray(value)) return value.length > shortItems
  if (typeof value !== 'object' || value === null || depth >= deepest) return false
  return Object.values(value).some((each) => isLong(each, depth + 1))
}

/** The text that `JSON.stringify` gives, piece by piece. */
export async function* jsonInSlices(value: unknown): AsyncGenerator<string> {
  let slice = ''
  for (const piece of piecesOf(value, 0)) {
    slice += piece
    if (slice.length < sliceChars) continue
    yield slice
    slice = ''
    await nextTurn(systemClock)
  }
  yield slice
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > deepest) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  let before = ''
  if (Array.isArray(value)) {
    yield '['
    for (const each of value) {
      yield `${before}${JSON.stringify(each) ?? 'null'}`
      before = ','
    }
    yield ']'
    return
  }
  yield '{'
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* piecesOf(each, depth + 1)
    before = ','
  }
  yield '}'
}
