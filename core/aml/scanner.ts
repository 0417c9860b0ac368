/**
 * Splits AML into text and markers. Each character is read a bounded number of times; `steps` counts the reads, so that
 * a test can check linear time for any text.
 */
import { amf as limits } from '../limits/index.js'
import type { AmlProblem, Position, ProblemCode } from './contract.js'

export interface Line {
  readonly text: string
  readonly at: Position
}

export interface Marker {
  readonly kind: 'marker'
  readonly name: string
  /** The text after the name, up to the end of the line or of the marker. */
  readonly head: string
  /** The lines of a block that are not blank. */
  readonly lines: readonly Line[]
  readonly at: Position
}

export type Piece = { readonly kind: 'text'; readonly text: string; readonly at: Position } | Marker

export type MarkerForm = 'line' | 'block'

interface ScanResults {
  readonly pieces: Piece[]
  readonly problems: AmlProblem[]
  readonly warnings: AmlProblem[]
}

interface ScanState extends ScanResults {
  readonly aml: string
  readonly positionAt: (offset: number) => Position
  /** Unknown markers are text. */
  readonly lenient: boolean
  steps: number
}

export function scan(
  source: string,
  forms: ReadonlyMap<string, MarkerForm>,
  lenient = false,
): Pick<Readonly<ScanState>, 'pieces' | 'problems' | 'warnings' | 'steps'> {
  const aml = source.replaceAll('\r\n', '\n')
  const results = { pieces: [], problems: [], warnings: [] }
  const state: ScanState = { aml, positionAt: createPositionLookup(aml), ...results, lenient, steps: source.length }
  let textFrom = 0
  for (;;) {
    const start = nextMarker(state, textFrom)
    addText(state, textFrom, start ?? aml.length)
    if (start === undefined) return state
    textFrom = readMarker(state, start, forms)
  }
}

/** The next `[[` that is not escaped. Of more brackets in a row the last two open the marker. */
function nextMarker(state: ScanState, from: number): number | undefined {
  const { aml } = state
  let start = findFrom(state, '[[', from)
  while (start >= 0 && aml[start - 1] === '\\') start = findFrom(state, '[[', start + 2)
  if (start < 0) return
  for (; aml[start + 2] === '['; start++) state.steps++
  return start
}

function findFrom(state: ScanState, text: string, from: number): number {
  const index = state.aml.indexOf(text, from)
  state.steps += (index < 0 ? state.aml.length : index) - from + 1
  return index
}

function addText({ aml, positionAt, pieces }: ScanState, from: number, end: number): void {
  if (end > from) pieces.push({ kind: 'text', text: unescapeMarkers(aml.slice(from, end)), at: positionAt(from) })
}

/** Returns the offset where text continues. After a problem that is the next readable position. */
function readMarker(state: ScanState, start: number, forms: ReadonlyMap<string, MarkerForm>): number {
  const { aml, positionAt, pieces } = state
  const at = positionAt(start)
  const { end, endedBy } = headEnd(state, start + 2)
  const [, name = '', rest = ''] = /^\s*([A-Za-z][\w.-]*)?(.*)$/s.exec(aml.slice(start + 2, end)) ?? []
  const head = unescapeMarkers(rest)
  const afterMarker = endedBy === ']]' ? end + 2 : end
  const form = forms.get(name)
  if (!form) {
    const target = state.lenient ? state.warnings : state.problems
    // There may be a marker every two characters: only the first ones are reported.
    if (target.length < limits.problems)
      target.push({ ...at, code: 'unknownMarker', message: unknownMarkerMessage(name, forms) })
    if (state.lenient) pieces.push({ kind: 'text', text: unescapeMarkers(aml.slice(start, afterMarker)), at })
    return afterMarker
  }
  if (endedBy === ']]') {
    pieces.push({ kind: 'marker', name, head, lines: [], at })
    return afterMarker
  }
  if (form === 'line') {
    addProblem(state, at, 'unclosedMarker', `[[${name} has no ]] on its line`)
    return afterMarker
  }
  const block = endedBy === 'line' ? readBlock(state, end + 1) : { lines: [], end, isClosed: false }
  if (block.isClosed) pieces.push({ kind: 'marker', name, head, lines: block.lines, at })
  else addProblem(state, at, 'unclosedBlock', `[[${name} is not closed: a block ends with a line ]]`)
  return block.end
}

/** The end of a marker's head: at its `]]`, at the next marker, or at the end of its line. */
function headEnd(state: ScanState, from: number): { end: number; endedBy: ']]' | '[[' | 'line' } {
  const { aml } = state
  for (let end = from; end < aml.length; end++) {
    state.steps++
    if (aml[end] === '\n') return { end, endedBy: 'line' }
    if (aml.startsWith(']]', end) && aml[end + 2] !== ']') return { end, endedBy: ']]' }
    if (!aml.startsWith('[[', end)) continue
    if (aml[end - 1] !== '\\') return { end, endedBy: '[[' }
    end++
  }
  return { end: aml.length, endedBy: 'line' }
}

/** A line that starts with a marker ends the block as unclosed. */
function readBlock(state: ScanState, from: number): { lines: Line[]; end: number; isClosed: boolean } {
  const { aml, positionAt } = state
  const lines: Line[] = []
  for (let start = from; start < aml.length; ) {
    const newline = findFrom(state, '\n', start)
    const end = newline < 0 ? aml.length : newline
    const raw = aml.slice(start, end)
    const text = raw.trim()
    const begin = start + raw.length - raw.trimStart().length
    if (text.startsWith(']]')) return { lines, end: begin + 2, isClosed: true }
    if (text.startsWith('[[')) return { lines, end: begin, isClosed: false }
    if (text !== '') lines.push({ text: unescapeMarkers(text), at: positionAt(begin) })
    start = end + 1
  }
  return { lines, end: aml.length, isClosed: false }
}

function addProblem({ problems }: ScanState, at: Position, code: ProblemCode, message: string): void {
  if (problems.length < limits.problems) problems.push({ ...at, code, message })
}

function unescapeMarkers(text: string): string {
  return text.replaceAll('\\[[', '[[')
}

function unknownMarkerMessage(name: string, forms: ReadonlyMap<string, MarkerForm>): string {
  const hint = name === '' ? 'A marker has a name' : `There is no marker ${name.slice(0, 40)}`
  return `${hint}; there are ${[...forms.keys()].join(', ')}, and [[ as text is written \\[[`
}

/** Positions of increasing offsets, in one pass over the text. */
function createPositionLookup(text: string): (offset: number) => Position {
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
