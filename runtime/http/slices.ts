/** Long answers as JSON, written in slices: other work has a turn of the event loop after each. */
import { systemClock } from '../clock.js'
import { nextSlice } from '../slices.js'

const sliceChars = 64 * 1024
/** The depth to which answers have lists that may be long. */
const maxDepth = 3
const shortItems = 100

/** Whether a value has a list that is long enough to be written in slices. */
export function isLong(value: unknown, depth = 0): boolean {
  if (Array.isArray(value)) return value.length > shortItems
  if (typeof value !== 'object' || value === null || depth >= maxDepth) return false
  return Object.values(value).some((each) => isLong(each, depth + 1))
}

/** Yields the text of `JSON.stringify` in pieces. */
export async function* jsonInSlices(value: unknown): AsyncGenerator<string> {
  let slice = ''
  for (const piece of piecesOf(value, 0)) {
    slice += piece
    if (slice.length < sliceChars) continue
    yield slice
    slice = ''
    await nextSlice(systemClock)
  }
  yield slice
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > maxDepth) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  let separator = ''
  if (Array.isArray(value)) {
    yield '['
    for (const each of value) {
      yield `${separator}${JSON.stringify(each) ?? 'null'}`
      separator = ','
    }
    yield ']'
    return
  }
  yield '{'
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* piecesOf(each, depth + 1)
    separator = ','
  }
  yield '}'
}
