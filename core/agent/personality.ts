/** Writes of personality, guardrails, standing instructions and rules: replace, patch, and copy from the catalog. */
import { findInCatalog } from '../catalogs/index.js'
import { type FieldError, refuse } from '../errors.js'
import { agentLimits } from '../limits/index.js'
import { type AgentDocument, withSection } from './document.js'
import { invalidFields, type Outcome, schemaError, withoutUndefined } from './outcome.js'
import { isPattern, readPattern } from './pattern/index.js'
import {
  type Guardrails,
  GuardrailsPatch,
  Guardrails as GuardrailsSchema,
  guardrailLists,
  type Personality,
  Personality as PersonalitySchema,
  type Rule,
  RulesBody,
  StandingInstructionsBody,
} from './resources/character.js'

const { rules: limits } = agentLimits

/** PUT. The template it was copied from stays on record, for `personalityDiff`. */
export function replacePersonality(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(PersonalitySchema, body)
  if (error) return error
  const { description, text } = body as Personality
  return withSection(
    document,
    'personality',
    withoutUndefined({ description, text, derivedFrom: document.personality?.derivedFrom }),
  )
}

export function copyPersonality(templateId: string): Personality | undefined {
  const template = findInCatalog('personality-templates', templateId)
  if (!template) return undefined
  const { description, promptFragment, version } = template
  return { description, text: promptFragment, derivedFrom: { templateId, version } }
}

export function importPersonality(document: AgentDocument, templateId: string): Outcome {
  const copy = copyPersonality(templateId)
  return copy
    ? withSection(document, 'personality', copy)
    : refuse('resource.not_found', { detail: `The catalog has no personality ${templateId}.` })
}

/** All null without a personality; a personality that was not copied has no baseline and differs in every field. */
export function personalityDiff({ personality: current }: AgentDocument) {
  if (!current) return { current: null, baseline: null, divergence: null }
  const baseline = current.derivedFrom ? (copyPersonality(current.derivedFrom.templateId) ?? null) : null
  const differs = (field: 'description' | 'text') => !baseline || (current[field] ?? '') !== (baseline[field] ?? '')
  return { current, baseline, divergence: { description: differs('description'), text: differs('text') } }
}

const empty: Guardrails = {}

/** PUT replaces the lists; the record of merged templates stays unless the body has it. */
export function replaceGuardrails(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(GuardrailsSchema, body)
  if (error) return error
  const { derivedFromTemplates = document.guardrails?.derivedFromTemplates, ...lists } = body as Guardrails
  return withSection(document, 'guardrails', withoutUndefined({ ...lists, derivedFromTemplates }) as Guardrails)
}

/** PATCH: for each list in the body, items to remove and items to append. */
export function patchGuardrails(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(GuardrailsPatch, body)
  if (error) return error
  const updated: Guardrails = { ...(document.guardrails as Guardrails | undefined) }
  for (const list of guardrailLists) {
    const change = (body as GuardrailsPatch)[list]
    if (!change) continue
    const removed = new Set(change.remove)
    updated[list] = [...new Set([...(updated[list] ?? []).filter((each) => !removed.has(each)), ...(change.add ?? [])])]
  }
  return validateGuardrails(document, updated)
}

/** A patched or merged list has the same limits as a list that is sent. */
function validateGuardrails(document: AgentDocument, guardrails: Guardrails): Outcome {
  return schemaError(GuardrailsSchema, guardrails) ?? withSection(document, 'guardrails', guardrails)
}

/** The only import that merges: existing entries keep their order, new ones are appended, duplicates are dropped. */
export function mergeGuardrails(guardrails: Guardrails = empty, templateId: string): Guardrails | undefined {
  const template = findInCatalog('guardrail-templates', templateId)
  if (!template) return undefined
  const merged: Guardrails = { ...guardrails }
  for (const list of guardrailLists) {
    if (template[list]) merged[list] = [...new Set([...(merged[list] ?? []), ...template[list]])]
  }
  merged.derivedFromTemplates = [...new Set([...(guardrails.derivedFromTemplates ?? []), templateId])]
  return merged
}

export function importGuardrails(document: AgentDocument, templateId: string): Outcome {
  const merged = mergeGuardrails(document.guardrails as Guardrails | undefined, templateId)
  return merged
    ? validateGuardrails(document, merged)
    : refuse('resource.not_found', { detail: `The catalog has no guardrail ${templateId}.` })
}

export function replaceInstructions(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(StandingInstructionsBody, body)
  if (error) return error
  const { standingInstructions } = body as { standingInstructions: string[] }
  return withSection(document, 'standingInstructions', standingInstructions)
}

const tooManyStates = `is too much: written out, the patterns of all enabled rules may have ${limits.states} states together`

/** Refuses a pattern that cannot be parsed or could not run in linear time, with the pattern's path. */
export function replaceRules(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(RulesBody, body)
  if (error) return error
  const { rules } = body as { rules: Rule[] }
  const faults: FieldError[] = []
  let states = 0
  for (const [index, { check, enabled = true }] of rules.entries()) {
    for (const [patternIndex, pattern] of check.patterns.entries()) {
      const field = `rules[${index}].check.patterns[${patternIndex}]`
      const read = readPattern(pattern)
      if (!isPattern(read)) faults.push({ field, message: read.problem })
      else if (enabled && states <= limits.states) {
        states += read.states
        if (states > limits.states) faults.push({ field, message: tooManyStates })
      }
    }
  }
  if (faults.length > 0) return invalidFields(faults)
  const filled = rules.map((rule) => ({
    ...rule,
    action: rule.action ?? ('block' as const),
    enabled: rule.enabled ?? true,
  }))
  return withSection(document, 'rules', filled)
}
