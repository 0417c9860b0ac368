/**
 * AML cut into text and markers. Every character is looked at a bounded number of times, and `steps` counts how often,
 * so that a test can hold the scanner to linear time whatever a model writes.
 */
import { amf as limits } from '../limits.js'
import type { AmlProblem, Place, ProblemCode } from './contract.js'

export interface Line {
  readonly text: string
  readonly at: Place
}

export interface Marker {
  readonly kind: 'marker'
  readonly name: string
  /** What follows the name up to the end of its line, or to its end. */
  readonly head: string
  /** The lines of a block that say something. */
  readonly lines: readonly Line[]
  readonly at: Place
}

export type Piece = { readonly kind: 'text'; readonly text: string; readonly at: Place } | Marker

export type Form = 'line' | 'block'

interface Scan {
  readonly aml: string
  readonly placeOf: (offset: number) => Place
  readonly pieces: Piece[]
  readonly problems: AmlProblem[]
  readonly warnings: AmlProblem[]
  /** Markers that do not exist are text. */
  readonly lenient: boolean
  steps: number
}

export function scan(
  written: string,
  forms: ReadonlyMap<string, Form>,
  lenient = false,
): Pick<Readonly<Scan>, 'pieces' | 'problems' | 'warnings' | 'steps'> {
  const aml = written.replaceAll('\r\n', '\n')
  const found = { pieces: [], problems: [], warnings: [] }
  const state: Scan = { aml, placeOf: forwardPlaces(aml), ...found, lenient, steps: written.length }
  let textFrom = 0
  for (;;) {
    const open = nextMarker(state, textFrom)
    addText(state, textFrom, open ?? aml.length)
    if (open === undefined) return state
    textFrom = readMarker(state, open, forms)
  }
}

/** The next `[[` that is no literal. Of more brackets in a row the last two open the marker. */
function nextMarker(state: Scan, from: number): number | undefined {
  const { aml } = state
  let open = find(state, '[[', from)
  while (open >= 0 && aml[open - 1] === '\\') open = find(state, '[[', open + 2)
  if (open < 0) return
  for (; aml[open + 2] === '['; open++) state.steps++
  return open
}

function find(state: Scan, what: string, from: number): number {
  const found = state.aml.indexOf(what, from)
  state.steps += (found < 0 ? state.aml.length : found) - from + 1
  return found
}

function addText({ aml, placeOf, pieces }: Scan, from: number, end: number): void {
  if (end > from) pieces.push({ kind: 'text', text: unescaped(aml.slice(from, end)), at: placeOf(from) })
}

/** Gives back where text goes on. Behind a problem that is the next thing that could be read. */
function readMarker(state: Scan, open: number, forms: ReadonlyMap<string, Form>): number {
  const { aml, placeOf, pieces } = state
  const at = placeOf(open)
  const { end, by } = headEnd(state, open + 2)
  const [, name = '', rest = ''] = /^\s*([A-Za-z][\w.-]*)?(.*)$/s.exec(aml.slice(open + 2, end)) ?? []
  const head = unescaped(rest)
  const behind = by === ']]' ? end + 2 : end
  const form = forms.get(name)
  if (!form) {
    const noted = state.lenient ? state.warnings : state.problems
    // There may be a marker every two characters, and only the first are told.
    if (noted.length < limits.problems) noted.push({ ...at, code: 'unknownMarker', message: unknownText(name, forms) })
    if (state.lenient) pieces.push({ kind: 'text', text: unescaped(aml.slice(open, behind)), at })
    return behind
  }
  if (by === ']]') {
    pieces.push({ kind: 'marker', name, head, lines: [], at })
    return behind
  }
  if (form === 'line') {
    addProblem(state, at, 'unclosedMarker', `[[${name} has no ]] on its line`)
    return behind
  }
  const block = by === 'line' ? readBlock(state, end + 1) : { lines: [], end, isClosed: false }
  if (block.isClosed) pieces.push({ kind: 'marker', name, head, lines: block.lines, at })
  else addProblem(state, at, 'unclosedBlock', `[[${name} is not closed: a block ends with a line ]]`)
  return block.end
}

/** Where the head of a marker ends: at its `]]`, at the next marker, or with its line. */
function headEnd(state: Scan, from: number): { end: number; by: ']]' | '[[' | 'line' } {
  const { aml } = state
  for (let end = from; end < aml.length; end++) {
    state.steps++
    if (aml[end] === '\n') return { end, by: 'line' }
    if (aml.startsWith(']]', end) && aml[end + 2] !== ']') return { end, by: ']]' }
    if (!aml.startsWith('[[', end)) continue
    if (aml[end - 1] !== '\\') return { end, by: '[[' }
    end++
  }
  return { end: aml.length, by: 'line' }
}

/** A line that begins with a marker says that the end of the block was forgotten. */
function readBlock(state: Scan, from: number): { lines: Line[]; end: number; isClosed: boolean } {
  const { aml, placeOf } = state
  const lines: Line[] = []
  for (let start = from; start < aml.length; ) {
    const newline = find(state, '\n', start)
    const end = newline < 0 ? aml.length : newline
    const raw = aml.slice(start, end)
    const text = raw.trim()
    const begin = start + raw.length - raw.trimStart().length
    if (text.startsWith(']]')) return { lines, end: begin + 2, isClosed: true }
    if (text.startsWith('[[')) return { lines, end: begin, isClosed: false }
    if (text !== '') lines.push({ text: unescaped(text), at: placeOf(begin) })
    start = end + 1
  }
  return { lines, end: aml.length, isClosed: false }
}

function addProblem({ problems }: Scan, at: Place, code: ProblemCode, message: string): void {
  if (problems.length < limits.problems) problems.push({ ...at, code, message })
}

function unescaped(text: string): string {
  return text.replaceAll('\\[[', '[[')
}

function unknownText(name: string, forms: ReadonlyMap<string, Form>): string {
  const what = name === '' ? 'A marker has a name' : `There is no marker ${name.slice(0, 40)}`
  return `${what}; there are ${[...forms.keys()].join(', ')}, and [[ as text is written \\[[`
}

/** Places of offsets that never go back, so that the text is passed through once. */
function forwardPlaces(text: string): (offset: number) => Place {
  let line = 1
  let lineFrom = 0
  let nextBreak = text.indexOf('\n')
  return (offset) => {
    while (nextBreak >= 0 && nextBreak < offset) {
      line++
      lineFrom = nextBreak + 1
      nextBreak = text.indexOf('\n', lineFrom)
    }
    return { line, column: offset - lineFrom + 1 }
  }
}
