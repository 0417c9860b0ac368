/** The opener of a send: a template rendered for one person, with its markers resolved against the agent. */

import {
  type AgentDocument,
  createSlotReader,
  type ExpandedTemplate,
  type MissingSlot,
  renderNested,
  type SlotReader,
} from '../agent/index.js'
import type { MessageTemplate } from '../agent/resources/templates.js'
import { escapeSlots, markSlots } from '../agent/templates/escape.js'
import { type ContentMessage, isSignal, validateMessage } from '../amf/index.js'
import { compile, type Reference } from '../aml/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import { resolveReferences } from '../content/references.js'
import { outreachSend as limits } from '../limits/index.js'
import { type Person, textFields } from '../people/person.js'

/**
 * `missing`: slots of the template without a value, with the action for each. `isEmpty`: the opener is blocked because
 * the missing values left nothing of it.
 */
export type Opener = ({ readonly message: ContentMessage } | { readonly blocked: string; readonly isEmpty?: true }) & {
  readonly missing?: readonly MissingSlot[]
}

export interface OpenerInput {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly templateId: string
  readonly person: Person
  /** Values of this send alone; they take precedence over the person's. */
  readonly inputs?: Readonly<Record<string, string>>
}

export function renderOpener({ document, agent, templateId, person, inputs }: OpenerInput): Opener {
  const { name, description } = agent
  const readSlot = createSlotReader({ ...withInputValues(person, inputs) }, { name, description, ...document.identity })
  return renderOpenerWith(document, templateId, readSlot)
}

/**
 * The same with slot values from any reader: an opener that is blocked with a value for each slot is blocked for all
 * people.
 */
export function renderOpenerWith(document: AgentDocument, templateId: string, read: SlotReader): Opener {
  const templates = document.messageTemplates as readonly MessageTemplate[]
  const rendered = renderNested(templates, templateId, markSlots(read))
  const { missingSlots: missing } = rendered
  const opener = compileOpener(document, rendered)
  return missing.length === 0 ? opener : { ...opener, missing }
}

function compileOpener(
  document: AgentDocument,
  { renderedText, missingSlots, problem: blocked }: ExpandedTemplate,
): Opener {
  if (blocked !== undefined || renderedText === null) return { blocked: blocked ?? 'It must not be sent.' }
  if (renderedText.trim() === '') {
    const missingPaths = missingSlots.map(({ path }) => path).join(', ') || 'words'
    return { blocked: `Nothing is left of the opening without ${missingPaths}.`, isEmpty: true }
  }
  const { message, problems, references = [] } = compile(escapeSlots(renderedText), { managed: true })
  const [problem] = problems
  if (!message || problem) return { blocked: `Line ${problem?.line}: ${problem?.message}` }
  if (isSignal(message)) return { blocked: 'The opening says nothing.' }
  return references.length === 0 ? { message } : resolveOpener(document, message, references)
}

/** Values of a send replace the person's under the same key. */
export function withInputValues<P extends Pick<Person, 'customFields'>>(
  person: P,
  inputs: Readonly<Record<string, string>> | undefined,
): P {
  if (!inputs) return person
  const names: readonly string[] = textFields
  const entries = Object.entries(inputs).filter(([, value]) => value.trim() !== '')
  const texts = Object.fromEntries(entries.filter(([key]) => names.includes(key)))
  const custom = Object.fromEntries(entries.filter(([key]) => !names.includes(key)))
  return { ...person, ...texts, customFields: { ...person.customFields, ...custom } }
}

/** An opener that names what the agent does not have is not sent. */
function resolveOpener(document: AgentDocument, compiled: ContentMessage, references: readonly Reference[]): Opener {
  const { message, missing } = resolveReferences(document, compiled, references)
  const [first] = missing
  if (first !== undefined) return { blocked: first }
  const validated = validateMessage(message)
  if ('problems' in validated) return { blocked: `${validated.problems[0]?.path}: ${validated.problems[0]?.message}` }
  return { message }
}

/** The log note about a template whose slots lacked values, if any did. */
export function missingSlotNotes(templateId: string, { missing }: Pick<Opener, 'missing'>): readonly LogNote[] {
  if (!missing) return []
  const slots = missing.slice(0, limits.missingSlotsLogged).map(({ path, action }) => ({ path, action }))
  return [{ event: 'template.slot_missing', data: { templateId, slots } }]
}
