/**
 * AML to AMF/1. A model writes AML, so whatever comes is taken: compiling never throws, takes time linear in the text, and
 * says of each fault on which line it is. The message that comes out is judged by the format's own rules.
 */
import { type ContentMessage, isSignal, type OutboundMessage } from '../amf/message.js'
import { inspectMessage } from '../amf/validate.js'
import { amf as limits } from '../limits.js'
import { blockMarkers } from './blocks.js'
import type { AmlProblem, Compiled, CompileOptions } from './contract.js'
import { addPart, type Draft, newDraft, originOf, problem } from './draft.js'
import { besideText, lineMarkers, type Read } from './lines.js'
import { type Form, type Piece, scan } from './scan.js'
import { gatherText, pagesOf } from './text.js'
import { warnOf } from './warnings.js'

export function compile(aml: string, options: CompileOptions = {}): Compiled {
  return compileCounting(aml, options).compiled
}

const readers = new Map<string, Read>([...Object.entries(lineMarkers), ...Object.entries(blockMarkers)])
const forms = new Map<string, Form>([
  ...Object.keys(lineMarkers).map((name): [string, Form] => [name, 'line']),
  ...Object.keys(blockMarkers).map((name): [string, Form] => [name, 'block']),
])

/** The same, with the steps that the scanner took, by which tests hold it to linear time; readers pass a piece once. */
export function compileCounting(aml: string, options: CompileOptions): { compiled: Compiled; steps: number } {
  if (aml.length > limits.amlChars) return { compiled: { problems: [tooLong(aml)], warnings: [] }, steps: 0 }
  const { pieces, problems, warnings, steps } = scan(aml, forms, options.lenient)
  const draft = newDraft(options)
  draft.warnings.push(...warnings)
  fill(draft, pieces)
  const message = messageOf(draft, { isBlank: aml.trim() === '', isRead: problems.length === 0 })
  const all = inOrder([...problems, ...draft.problems, ...faultsOf(draft, message)])
  if (!message || all.length > 0) return { compiled: { problems: all, warnings: inOrder(draft.warnings) }, steps }
  if (!isSignal(message)) warnOf(draft, message)
  for (const finish of draft.whenJudged) finish()
  const { references } = draft
  return {
    compiled: {
      message,
      problems: [],
      warnings: inOrder(draft.warnings),
      ...(references.length > 0 && { references }),
    },
    steps,
  }
}

/** No message holds that much, so nobody waits for what else there is to say of it. */
function tooLong(aml: string): AmlProblem {
  const message = `The text must have at most ${limits.amlChars} characters, and has ${aml.length}`
  return { line: 1, column: 1, code: 'tooLarge', message }
}

function fill(draft: Draft, pieces: readonly Piece[]): void {
  const text = gatherText()
  const endText = () => {
    const said = text.take()
    for (const page of said ? pagesOf(said.text, limits.textChars) : [])
      addPart(draft, { type: 'text', text: page }, said!.at)
  }
  for (const piece of pieces) {
    if (piece.kind === 'text') text.add(piece.text, piece.at)
    else {
      if (!besideText.has(piece.name)) endText()
      readers.get(piece.name)?.(piece, draft)
    }
  }
  endText()
}

/** Not judged yet. Absent when there is nothing to judge. */
function messageOf(
  draft: Draft,
  { isBlank, isRead }: { isBlank: boolean; isRead: boolean },
): OutboundMessage | undefined {
  const { parts, chips, signals, references } = draft
  const [signal, another] = signals
  const hasContent = parts.length > 0 || chips.length > 0 || references.length > 0
  if (signal && (another || hasContent)) {
    return problem(
      draft,
      another?.at ?? signal.at,
      'signalNotAlone',
      'A signal stands alone: send it as a message of its own',
    )
  }
  if (signal) {
    draft.origins.set('signal', signal.at)
    return { spec: 'amf/1', signal: signal.name } as OutboundMessage
  }
  const isWhole = isRead && draft.problems.length === 0
  if (parts.length === 0 && references.length === 0 && isWhole) {
    const told = isBlank
      ? 'The text is empty: there is nothing to send'
      : 'Chips stand below a message: write what it says'
    return problem(draft, originOf(draft, 'chips').at, 'empty', told)
  }
  const content = { spec: 'amf/1', parts, ...(chips.length > 0 && { chips }) }
  return content as unknown as ContentMessage
}

/** What the format says of the message, at the place where it was written. */
function faultsOf(draft: Draft, message: OutboundMessage | undefined): AmlProblem[] {
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

/** By their places; one place keeps the order in which they were found. */
function inOrder(problems: readonly AmlProblem[]): readonly AmlProblem[] {
  return [...problems]
    .sort((one, other) => one.line - other.line || one.column - other.column)
    .slice(0, limits.problems)
}
