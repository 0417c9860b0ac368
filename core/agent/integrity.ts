/**
 * Referential integrity: finds references that a change would leave without a target. An index maps each target to its
 * referrers, so a check costs by the references it touches, not by the size of the agent.
 */

import { type FieldError, type Refusal, refuseFields } from '../errors.js'
import { createStepBudget, runToEnd, type StepBudget, type Steps } from '../steps.js'
import type { AgentDocument, ListSection } from './document.js'
import { changedItems, idOf, itemIndexOf, listSections } from './document.js'
import { type ReferenceVisitor, referringSections, visitReferencesInSteps } from './references.js'

/** Keys are `section/id`; a single section has its name alone. */
export interface ReferenceIndex {
  readonly items: Map<string, object>
  /** From a target to the items that refer to it. */
  readonly referencedBy: Map<string, Set<string>>
}

export interface Reference {
  /** Path in the document: `playbooks[2].flow.steps[0].say`. */
  readonly field: string
  readonly code: string
  readonly message: string
  readonly from: { readonly section: string; readonly id?: string; readonly name?: string }
  readonly to: { readonly section: ListSection; readonly id: string }
}

interface Change {
  readonly section: string
  readonly key: string
  readonly previous?: object
  readonly current?: object
}

const sections = [...new Set([...Object.keys(listSections), ...referringSections])] as (keyof AgentDocument)[]

const keyOf = (section: string, id: string) => `${section}/${id}`

/** Finds or builds the index of the document that a check starts from. */
export type IndexLoader = () => Steps<ReferenceIndex>

/** Costs as much as the agent is large; callers cache the index beside the document. */
export function* buildIndexInSteps(document: AgentDocument): Steps<ReferenceIndex> {
  const index: ReferenceIndex = { items: new Map(), referencedBy: new Map() }
  yield* updateIndexInSteps(index, {} as AgentDocument, document)
  return index
}

export function buildIndex(document: AgentDocument): ReferenceIndex {
  return runToEnd(buildIndexInSteps(document))
}

/**
 * Turns the index of `before` into that of `after`. Call it once the change is stored; a partly updated index is
 * unusable.
 */
export function* updateIndexInSteps(index: ReferenceIndex, before: AgentDocument, after: AgentDocument): Steps<void> {
  const isStepOver = createStepBudget()
  for (const change of changesBetween(before, after)) yield* applyChange(index, change, isStepOver)
}

export function updateIndex(index: ReferenceIndex, before: AgentDocument, after: AgentDocument): void {
  runToEnd(updateIndexInSteps(index, before, after))
}

function* applyChange(
  { items, referencedBy: incoming }: ReferenceIndex,
  { section, key, previous, current }: Change,
  isStepOver: StepBudget,
): Steps<void> {
  if (previous) {
    items.delete(key)
    const removeReferrer = (target: string) => incoming.get(target)?.delete(key)
    yield* visitReferencesInSteps(
      section,
      previous,
      (edge, _path, id) => removeReferrer(keyOf(edge.target, id)),
      isStepOver,
    )
  }
  if (!current) return
  items.set(key, current)
  const addReferrer = (target: string) => {
    const referrers = incoming.get(target)
    if (referrers) referrers.add(key)
    else incoming.set(target, new Set([key]))
  }
  yield* visitReferencesInSteps(section, current, (edge, _path, id) => addReferrer(keyOf(edge.target, id)), isStepOver)
}

/**
 * The references in `after` to targets that `before` had and `after` has not: only those that the change newly breaks.
 * Parts that both documents share are not read.
 */
export function* findBrokenReferencesInSteps(
  before: AgentDocument,
  after: AgentDocument,
  loadIndex: IndexLoader = () => buildIndexInSteps(before),
): Steps<Reference[]> {
  const changes = new Map(changesBetween(before, after).map((each) => [each.key, each]))
  const removed = new Set<string>()
  for (const { section, key, previous, current } of changes.values())
    if (previous && !current && section in listSections) removed.add(key)
  if (removed.size === 0) return []
  const index = yield* loadIndex()
  const referrers = new Map<string, { section: string; item: object }>()
  for (const { section, key, current } of changes.values()) if (current) referrers.set(key, { section, item: current })
  for (const target of removed) {
    for (const key of index.referencedBy.get(target) ?? []) {
      const item = index.items.get(key)
      if (item && !changes.has(key)) referrers.set(key, { section: sectionOf(key), item })
    }
  }
  const broken: Reference[] = []
  const isStepOver = createStepBudget()
  for (const { section, item } of referrers.values()) {
    const collect = (reference: Reference) => broken.push(reference)
    yield* findBrokenInItem(before, after, section, item, removed, collect, isStepOver)
  }
  return broken
}

export function findBrokenReferences(before: AgentDocument, after: AgentDocument, index?: ReferenceIndex): Reference[] {
  return runToEnd(findBrokenReferencesInSteps(before, after, index && loaderOf(index)))
}

/** A loader for an existing index. */
function loaderOf(index: ReferenceIndex): IndexLoader {
  // biome-ignore lint/correctness/useYield: it has no step.
  return function* () {
    return index
  }
}

function sectionOf(key: string): string {
  const slash = key.indexOf('/')
  return slash < 0 ? key : key.slice(0, slash)
}

function* findBrokenInItem(
  before: AgentDocument,
  after: AgentDocument,
  section: string,
  item: object,
  removed: ReadonlySet<string>,
  report: (broken: Reference) => void,
  isStepOver: StepBudget,
): Steps<void> {
  const visit: ReferenceVisitor = (edge, path, id) => {
    if (!removed.has(keyOf(edge.target, id))) return
    const { from, basePath } = referrerOf(before, after, section, item)
    report({
      field: `${basePath}.${path}`,
      code: edge.code,
      message: `${referrerText(from)} names the ${sectionNouns[edge.target]} ${id}`,
      from,
      to: { section: edge.target, id },
    })
  }
  yield* visitReferencesInSteps(section, item, visit, isStepOver)
}

/** The path in the stored document, which callers can read; in the candidate only for an item that it adds. */
function referrerOf(
  before: AgentDocument,
  after: AgentDocument,
  section: string,
  item: object,
): { from: Reference['from']; basePath: string } {
  const list = after[section as keyof AgentDocument]
  if (!Array.isArray(list)) return { from: { section }, basePath: section }
  const { name, question } = item as { name?: string; question?: string }
  const label = name ?? question
  const storedIndex = itemIndexOf((before[section as keyof AgentDocument] ?? []) as readonly object[], idOf(item))
  return {
    from: { section, id: idOf(item), ...(label && { name: label }) },
    basePath: `${section}[${storedIndex < 0 ? list.indexOf(item) : storedIndex}]`,
  }
}

/** The noun for one item of a section. */
export const sectionNouns: Readonly<Record<string, string>> = {
  goals: 'goal',
  objectives: 'objective',
  playbooks: 'playbook',
  rules: 'rule',
  messageTemplates: 'message template',
  things: 'thing',
  collections: 'collection',
  facts: 'fact',
  sources: 'source',
  media: 'media item',
  integrations: 'integration',
  outreach: 'outreach',
  peopleFields: 'People field',
  segments: 'segment',
  toolBindings: 'tool binding',
  draftCampaigns: 'draft campaign',
  defaultGoal: 'default goal',
  scheduling: 'scheduling',
}

function referrerText({ section, id }: Reference['from']): string {
  const noun = sectionNouns[section] ?? section
  return id === undefined ? `The ${noun} of the agent` : `The ${noun} ${id}`
}

/** Undefined when no reference breaks. */
export function conflictOf(references: readonly Reference[]): Refusal | undefined {
  const first = references[0]
  if (!first) return undefined
  const errors: FieldError[] = references.map(({ field, code, message }) => ({ field, code, message }))
  const more = references.length > 1 ? `, and ${references.length - 1} more` : ''
  return refuseFields('agent.integrity_conflict', errors, `${first.message}${more}.`)
}

/** The items and single sections that differ between the two documents. */
function changesBetween(before: AgentDocument, after: AgentDocument): Change[] {
  const changes: Change[] = []
  for (const section of sections) {
    const previous = before[section] as object | undefined
    const current = after[section] as object | undefined
    if (previous === current) continue
    if (!Array.isArray(previous ?? current)) changes.push({ section, key: section, previous, current })
    else {
      for (const { id, ...item } of changedItems((previous ?? []) as object[], (current ?? []) as object[])) {
        changes.push({ section, key: keyOf(section, id), ...item })
      }
    }
  }
  return changes
}
