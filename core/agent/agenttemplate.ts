/** Applies an agent template: each section that the template carries replaces the agent's, all others stay. */
import { defaultPlaybookOf, findInCatalog } from '../catalogs/index.js'
import type { AgentTemplate } from '../catalogs/shapes.js'
import { type Refusal, refuse } from '../errors.js'
import { runToEnd, type Steps } from '../steps.js'
import { type AgentDocument, withSection } from './document.js'
import { conflictOf, findBrokenReferencesInSteps, type IndexLoader } from './integrity.js'
import { withoutUndefined } from './outcome.js'
import { copyPersonality, mergeGuardrails } from './personality.js'
import { copyPlaybook } from './playbooks.js'
import type { Guardrails, Objective } from './resources/character.js'
import type { Playbook } from './resources/playbook.js'
import { freeSlug } from './slug.js'
import { defaultUses } from './uses.js'

export interface TemplateApplication {
  readonly document: AgentDocument
  readonly appliedFrom: { readonly templateId: string; readonly templateName: string }
  /**
   * `applied`: sections that were replaced. `skipped`: sections that the template carries and agents no longer have.
   */
  readonly applied: readonly string[]
  readonly skipped: readonly string[]
}

type SectionApplier = (document: AgentDocument, template: AgentTemplate) => AgentDocument | undefined

/** Each applier returns undefined when the template does not carry its section. */
const sectionAppliers: Readonly<Record<string, SectionApplier>> = {
  identityPreamble: (document, { identityPreamble }) =>
    identityPreamble === undefined
      ? undefined
      : withSection(document, 'identity', { ...document.identity, identityPreamble }),
  personality(document, { personalityTemplateId: id }) {
    const copy = id === undefined ? undefined : copyPersonality(id)
    return copy && withSection(document, 'personality', copy)
  },
  objectives: (document, { objectiveTemplateIds: ids }) =>
    ids && withSection(document, 'objectives', objectivesOf(ids)),
  guardrails(document, { guardrailTemplateIds: ids }) {
    const merged = ids?.reduce<Guardrails>((lists, id) => mergeGuardrails(lists, id) ?? lists, {})
    return merged && withSection(document, 'guardrails', merged)
  },
  playbooks: (document, template) =>
    template.playbookTemplateIds && withSection(document, 'playbooks', playbooksOf(document, template)),
}

export function applyTemplate(before: AgentDocument, templateId: string): TemplateApplication | Refusal {
  return runToEnd(applyTemplateInSteps(before, templateId))
}

export function* applyTemplateInSteps(
  before: AgentDocument,
  templateId: string,
  loadIndex?: IndexLoader,
): Steps<TemplateApplication | Refusal> {
  const template = findInCatalog('agent-templates', templateId)
  if (!template) return refuse('resource.not_found', { detail: `The catalog has no agent template ${templateId}.` })
  let document = before
  const applied: string[] = []
  for (const [section, applySection] of Object.entries(sectionAppliers)) {
    const updated = applySection(document, template)
    if (!updated) continue
    document = updated
    applied.push(section)
  }
  document = withSection(document, 'templateRef', { templateId, version: template.version })
  const conflict = conflictOf(yield* findBrokenReferencesInSteps(before, document, loadIndex))
  if (conflict) return conflict
  const skipped = [
    ...(template.skillTemplateIds ? ['skills'] : []),
    ...(template.recommendedToolIds ? ['toolBindings'] : []),
  ]
  return { document, appliedFrom: { templateId, templateName: template.name }, applied, skipped }
}

/** The last word of a template's id becomes the id in the document: `@svc/playbook.booking` becomes `booking`. */
function shortId(templateId: string, isTaken: (id: string) => boolean): string {
  return freeSlug(templateId.slice(templateId.indexOf('.') + 1), 'piece', isTaken)
}

export function copyObjective(templateId: string): Omit<Objective, 'id'> | undefined {
  const template = findInCatalog('objective-templates', templateId)
  if (!template) return undefined
  const { name, description, body, version } = template
  return { name, description, body, derivedFrom: { templateId, version } }
}

function objectivesOf(ids: readonly string[]): Objective[] {
  const usedIds = new Set<string>()
  return ids.flatMap((templateId) => {
    const copy = copyObjective(templateId)
    if (!copy) return []
    const id = shortId(templateId, (each) => usedIds.has(each))
    usedIds.add(id)
    return [{ id, ...copy }]
  })
}

/**
 * The playbooks of the template with its resting playbook as the default, followed by the agent's playbooks that an
 * outreach owns.
 */
function playbooksOf(document: AgentDocument, template: AgentTemplate): AgentDocument['playbooks'] {
  const owned = document.playbooks.filter(({ outreachId }) => outreachId !== undefined)
  const usedIds = new Set(owned.map(({ id }) => id))
  const defaultTemplateId = defaultPlaybookOf(template).id
  const uses = defaultUses(document)
  const copies = (template.playbookTemplateIds ?? []).flatMap((templateId): Playbook[] => {
    const copy = copyPlaybook(templateId)
    if (!copy) return []
    const id = shortId(templateId, (each) => usedIds.has(each))
    usedIds.add(id)
    return [withoutUndefined({ id, ...copy, uses: [...uses], isDefault: templateId === defaultTemplateId }) as Playbook]
  })
  return [...copies, ...owned]
}
