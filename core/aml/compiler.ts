/**
 * Compiles AML to AMF/1. A model writes AML, so any text is accepted: compiling never throws, takes time linear in the
 * text, and reports each fault with its line. The resulting message is validated by the rules of AMF.
 */
import { type ContentMessage, isSignal, type OutboundMessage } from '../amf/message.js'
import { inspectMessage } from '../amf/validation.js'
import { amf as limits } from '../limits/index.js'
import { blockMarkers } from './blockmarkers.js'
import type { AmlProblem, Compiled, CompileOptions } from './contract.js'
import { addPart, addProblem, createDraft, type Draft, originOf } from './draft.js'
import { inlineMarkers, lineMarkers, type MarkerReader } from './linemarkers.js'
import { type MarkerForm, type Piece, scan } from './scanner.js'
import { createTextBuffer, splitPages } from './text.js'
import { addWarnings } from './warnings.js'

export function compile(aml: string, options: CompileOptions = {}): Compiled {
  return compileWithSteps(aml, options).compiled
}

const readers = new Map<string, MarkerReader>([...Object.entries(lineMarkers), ...Object.entries(blockMarkers)])
const forms = new Map<string, MarkerForm>([
  ...Object.keys(lineMarkers).map((name): [string, MarkerForm] => [name, 'line']),
  ...Object.keys(blockMarkers).map((name): [string, MarkerForm] => [name, 'block']),
])

/** Also returns the scanner's steps, by which tests check linear time; readers pass a piece once. */
export function compileWithSteps(aml: string, options: CompileOptions): { compiled: Compiled; steps: number } {
  if (aml.length > limits.amlChars) return { compiled: { problems: [tooLongProblem(aml)], warnings: [] }, steps: 0 }
  const { pieces, problems, warnings, steps } = scan(aml, forms, options.lenient)
  const draft = createDraft(options)
  draft.warnings.push(...warnings)
  addPieces(draft, pieces)
  const message = messageOf(draft, { isBlank: aml.trim() === '', isParsed: problems.length === 0 })
  const all = sortProblems([...problems, ...draft.problems, ...messageProblems(draft, message)])
  if (!message || all.length > 0) return { compiled: { problems: all, warnings: sortProblems(draft.warnings) }, steps }
  if (!isSignal(message)) addWarnings(draft, message)
  for (const finish of draft.afterValidation) finish()
  const { references } = draft
  return {
    compiled: {
      message,
      problems: [],
      warnings: sortProblems(draft.warnings),
      ...(references.length > 0 && { references }),
    },
    steps,
  }
}

/** No message may be that long, so the text is not compiled for further problems. */
function tooLongProblem(aml: string): AmlProblem {
  const message = `The text must have at most ${limits.amlChars} characters, and has ${aml.length}`
  return { line: 1, column: 1, code: 'tooLarge', message }
}

function addPieces(draft: Draft, pieces: readonly Piece[]): void {
  const text = createTextBuffer()
  const endText = () => {
    const content = text.flush()
    for (const page of content ? splitPages(content.text, limits.textChars) : [])
      addPart(draft, { type: 'text', text: page }, content!.at)
  }
  for (const piece of pieces) {
    if (piece.kind === 'text') text.add(piece.text, piece.at)
    else {
      if (!inlineMarkers.has(piece.name)) endText()
      readers.get(piece.name)?.(piece, draft)
    }
  }
  endText()
}

/** The message before validation. Undefined when there is nothing to validate. */
function messageOf(
  draft: Draft,
  { isBlank, isParsed }: { isBlank: boolean; isParsed: boolean },
): OutboundMessage | undefined {
  const { parts, chips, signals, references } = draft
  const [signal, second] = signals
  const hasContent = parts.length > 0 || chips.length > 0 || references.length > 0
  if (signal && (second || hasContent)) {
    return addProblem(
      draft,
      second?.at ?? signal.at,
      'signalNotAlone',
      'A signal stands alone: send it as a message of its own',
    )
  }
  if (signal) {
    draft.origins.set('signal', signal.at)
    return { spec: 'amf/1', signal: signal.name } as OutboundMessage
  }
  const isWhole = isParsed && draft.problems.length === 0
  if (parts.length === 0 && references.length === 0 && isWhole) {
    const message = isBlank
      ? 'The text is empty: there is nothing to send'
      : 'Chips stand below a message: write what it says'
    return addProblem(draft, originOf(draft, 'chips').at, 'empty', message)
  }
  const content = { spec: 'amf/1', parts, ...(chips.length > 0 && { chips }) }
  return content as unknown as ContentMessage
}

/** The findings of AMF about the message, at their position in the source. */
function messageProblems(draft: Draft, message: OutboundMessage | undefined): AmlProblem[] {
  if (!message) return []
  const findings = inspectMessage(message).filter(({ path }) => path !== 'parts' || draft.parts.length > 0)
  return findings.map(({ path, message, code, rule }) => {
    const { at, name } = originOf(draft, path)
    return {
      line: at.line,
      column: at.column,
      code: rule ?? code,
      message: name === '' ? message : `${name} ${message}`,
    }
  })
}

/** Sorted by position; problems at one position keep their order. */
function sortProblems(problems: readonly AmlProblem[]): readonly AmlProblem[] {
  return [...problems]
    .sort((one, other) => one.line - other.line || one.column - other.column)
    .slice(0, limits.problems)
}
