/** Composes what a turn says into as few messages as possible: compiled, with every reference resolved, and valid. */
import { type AgentDocument, renderNested, type SlotReader } from '../agent/index.js'
import type { MessageTemplate } from '../agent/resources/templates.js'
import { escapeSlots, markSlots } from '../agent/templates/escape.js'
import { type Chip, type ContentMessage, intentTypes, isSignal, type Part, validateMessage } from '../amf/index.js'
import { compile } from '../aml/index.js'
import { resolveReferences } from '../content/references.js'
import type { FlowSay } from '../flow/contract.js'
import { amf, turn as limits } from '../limits/index.js'
import { renderOpenerWith } from '../outreach/opener.js'
import { escapeMarkdown } from '../render/escape.js'
import type { TurnWarning } from './record.js'

export type Say = FlowSay | { readonly kind: 'message'; readonly message: ContentMessage }

export interface ComposeContext {
  readonly document: AgentDocument
  /** Reads the slots of message templates for the person. */
  readonly readSlot: SlotReader
  readonly zone: string
}

export interface Composed {
  readonly messages: readonly ContentMessage[]
  readonly warnings: readonly TurnWarning[]
}

export function composeMessages(says: readonly Say[], context: ComposeContext): Composed {
  const warnings: TurnWarning[] = []
  const messages: ContentMessage[] = []
  let current: { parts: Part[]; chips: Chip[] } = { parts: [], chips: [] }
  const flush = () => {
    const { parts, chips } = current
    current = { parts: [], chips: [] }
    if (parts.length === 0) return
    const message: ContentMessage = { spec: 'amf/1', parts, ...(chips.length > 0 && { chips }) }
    const validated = validateMessage(message)
    if ('message' in validated) messages.push(message)
    else
      warnings.push({
        code: 'aml.stripped',
        message: `${validated.problems[0]?.path}: ${validated.problems[0]?.message}`,
      })
  }
  for (const say of says) {
    const { parts, chips = [] } = messageOf(say, context, warnings)
    const isFull = current.parts.length + parts.length > amf.parts
    if (current.chips.length > 0 || isFull || (hasIntent(current.parts) && hasIntent(parts))) flush()
    current = { parts: [...current.parts, ...parts], chips: [...current.chips, ...chips].slice(0, amf.chips) }
  }
  flush()
  return { messages: messages.slice(0, limits.messages), warnings }
}

function hasIntent(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => (intentTypes as readonly string[]).includes(type))
}

const nothing = { parts: [] } as const

function messageOf(
  say: Say,
  context: ComposeContext,
  warnings: TurnWarning[],
): Pick<ContentMessage, 'parts' | 'chips'> {
  switch (say.kind) {
    case 'message':
      return say.message
    case 'part':
      return { parts: [say.part] }
    case 'text':
      return withChips(compileText(say.aml, context, warnings), say.chips)
    case 'template': {
      const rendered = renderOpenerWith(context.document, say.templateId, context.readSlot)
      if ('message' in rendered) return withChips(rendered.message, say.chips)
      if (!rendered.isEmpty) warnings.push({ code: 'template.blocked', message: rendered.blocked })
      return nothing
    }
  }
}

function withChips(message: Pick<ContentMessage, 'parts' | 'chips'>, labels: readonly string[] = []) {
  const chips = [...(message.chips ?? []), ...labels.map((label) => ({ label }))]
  return { parts: message.parts, ...(chips.length > 0 && { chips }) }
}

/** Text of an operator. What does not compile is said without its markers. */
function compileText(
  aml: string,
  context: ComposeContext,
  warnings: TurnWarning[],
): Pick<ContentMessage, 'parts' | 'chips'> {
  const { document, zone } = context
  const {
    message,
    problems,
    references = [],
  } = compile(expandTemplates(aml, context, warnings), {
    managed: true,
    lenient: true,
    zone,
  })
  if (message && !isSignal(message)) {
    const { message: resolved, missing } = resolveReferences(document, message, references)
    for (const each of missing) warnings.push({ code: 'flow.missing', message: each })
    return resolved
  }
  const [problem] = problems
  if (problem) warnings.push({ code: 'aml.stripped', message: `line ${problem.line}: ${problem.message}` })
  const plain = aml.replace(marker, '').trim().slice(0, amf.textChars)
  return plain === '' ? nothing : { parts: [{ type: 'text', text: plain }] }
}

const marker = /\[\[[^\]]{0,4000}\]\]/g
const templateMarker = /\[\[[ \t]*template[ \t]*:([^[\]\n]*)\]\]/g

/** A template in a text is rendered in its place; one that must not be sent is left out. */
function expandTemplates(aml: string, { document, readSlot }: ComposeContext, warnings: TurnWarning[]): string {
  return aml.replace(templateMarker, (found, inner: string, at: number) => {
    if (aml[at - 1] === '\\') return found
    const templates = document.messageTemplates as readonly MessageTemplate[]
    const { renderedText, problem } = renderNested(templates, inner.trim(), markSlots(readSlot))
    if (problem !== undefined) warnings.push({ code: 'template.blocked', message: problem })
    return renderedText === null ? '' : escapeSlots(renderedText)
  })
}

/** Plain text as AML: it is shown as it is written, and only its markers have an effect. */
export function plainTextToAml(text: string): string {
  return text
    .split(/(\[\[[^\]]{0,4000}\]\])/)
    .map((piece, at) => (at % 2 === 1 ? piece : escapeMarkdown(piece)))
    .join('')
}
