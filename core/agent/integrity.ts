/**
 * Referential integrity: what a change would leave naming something that it takes away. An index leads from what is
 * named to those who name it, so that a check costs by the references it touches and not by the size of the agent.
 */

import { type FieldError, type Refusal, refuseFields } from '../errors.js'
import { finish, type Pace, paceOf, type Steps } from '../steps.js'
import type { AgentDocument, ListSection } from './document.js'
import { changedItems, idOf, listSections, placeOf } from './document.js'
import { eachNamedInSteps, holders, type Tell } from './references.js'

/** Keys are `section/id`; a part of which there is one has its section alone. */
export interface ReferenceIndex {
  readonly items: Map<string, object>
  /** From what is named to the items that name it. */
  readonly namedBy: Map<string, Set<string>>
}

export interface Reference {
  /** Where it stands in the document: `playbooks[2].flow.steps[0].say`. */
  readonly field: string
  readonly code: string
  readonly message: string
  readonly from: { readonly section: string; readonly id?: string; readonly name?: string }
  readonly to: { readonly section: ListSection; readonly id: string }
}

interface Touched {
  readonly section: string
  readonly key: string
  readonly was?: object
  readonly is?: object
}

const sections = [...new Set([...Object.keys(listSections), ...holders])] as (keyof AgentDocument)[]

const keyOf = (section: string, id: string) => `${section}/${id}`

/** Finds the index of the document that a check begins with, or makes it. */
export type IndexFinder = () => Steps<ReferenceIndex>

/** Costs as much as the agent is large; whoever holds a document holds its index beside it. */
export function* indexInSteps(document: AgentDocument): Steps<ReferenceIndex> {
  const index: ReferenceIndex = { items: new Map(), namedBy: new Map() }
  yield* advanceInSteps(index, {} as AgentDocument, document)
  return index
}

export function indexOf(document: AgentDocument): ReferenceIndex {
  return finish(indexInSteps(document))
}

/** Makes the index of `before` that of `after`: to be done once the change is kept. Half done it is of no use. */
export function* advanceInSteps(index: ReferenceIndex, before: AgentDocument, after: AgentDocument): Steps<void> {
  const isStepOver = paceOf()
  for (const touched of touchedBetween(before, after)) yield* enter(index, touched, isStepOver)
}

export function advance(index: ReferenceIndex, before: AgentDocument, after: AgentDocument): void {
  finish(advanceInSteps(index, before, after))
}

function* enter(
  { items, namedBy: incoming }: ReferenceIndex,
  { section, key, was, is }: Touched,
  isStepOver: Pace,
): Steps<void> {
  if (was) {
    items.delete(key)
    const leave = (target: string) => incoming.get(target)?.delete(key)
    yield* eachNamedInSteps(section, was, (edge, _path, id) => leave(keyOf(edge.names, id)), isStepOver)
  }
  if (!is) return
  items.set(key, is)
  const join = (target: string) => {
    const users = incoming.get(target)
    if (users) users.add(key)
    else incoming.set(target, new Set([key]))
  }
  yield* eachNamedInSteps(section, is, (edge, _path, id) => join(keyOf(edge.names, id)), isStepOver)
}

/**
 * The references that stand in `after` and name something that `before` had and `after` has not: those the change would
 * newly break, and no others. Parts that both documents share are not looked at.
 */
export function* findBrokenInSteps(
  before: AgentDocument,
  after: AgentDocument,
  indexOfBefore: IndexFinder = () => indexInSteps(before),
): Steps<Reference[]> {
  const touched = new Map(touchedBetween(before, after).map((each) => [each.key, each]))
  const gone = new Set<string>()
  for (const { section, key, was, is } of touched.values()) if (was && !is && section in listSections) gone.add(key)
  if (gone.size === 0) return []
  const index = yield* indexOfBefore()
  const users = new Map<string, { section: string; item: object }>()
  for (const { section, key, is } of touched.values()) if (is) users.set(key, { section, item: is })
  for (const target of gone) {
    for (const key of index.namedBy.get(target) ?? []) {
      const item = index.items.get(key)
      if (item && !touched.has(key)) users.set(key, { section: sectionOf(key), item })
    }
  }
  const broken: Reference[] = []
  const isStepOver = paceOf()
  for (const { section, item } of users.values()) {
    const found = (reference: Reference) => broken.push(reference)
    yield* findIn(before, after, section, item, gone, found, isStepOver)
  }
  return broken
}

export function brokenBy(before: AgentDocument, after: AgentDocument, known?: ReferenceIndex): Reference[] {
  return finish(findBrokenInSteps(before, after, known && knownIndex(known)))
}

/** Of an index that was made already. */
function knownIndex(index: ReferenceIndex): IndexFinder {
  // biome-ignore lint/correctness/useYield: it has no step.
  return function* () {
    return index
  }
}

function sectionOf(key: string): string {
  const slash = key.indexOf('/')
  return slash < 0 ? key : key.slice(0, slash)
}

function* findIn(
  before: AgentDocument,
  after: AgentDocument,
  section: string,
  item: object,
  gone: ReadonlySet<string>,
  tell: (broken: Reference) => void,
  isStepOver: Pace,
): Steps<void> {
  const named: Tell = (edge, path, id) => {
    if (!gone.has(keyOf(edge.names, id))) return
    const { from, place } = userOf(before, after, section, item)
    tell({
      field: `${place}.${path}`,
      code: edge.code,
      message: `${said(from)} names the ${nouns[edge.names]} ${id}`,
      from,
      to: { section: edge.names, id },
    })
  }
  yield* eachNamedInSteps(section, item, named, isStepOver)
}

/** The place is that of the kept document, which callers can read; of the candidate only for an item that it adds. */
function userOf(
  before: AgentDocument,
  after: AgentDocument,
  section: string,
  item: object,
): { from: Reference['from']; place: string } {
  const list = after[section as keyof AgentDocument]
  if (!Array.isArray(list)) return { from: { section }, place: section }
  const { name, question } = item as { name?: string; question?: string }
  const called = name ?? question
  const kept = placeOf((before[section as keyof AgentDocument] ?? []) as readonly object[], idOf(item))
  return {
    from: { section, id: idOf(item), ...(called && { name: called }) },
    place: `${section}[${kept < 0 ? list.indexOf(item) : kept}]`,
  }
}

/** What one item of a section is called. */
export const nouns: Readonly<Record<string, string>> = {
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

function said({ section, id }: Reference['from']): string {
  const noun = nouns[section] ?? section
  return id === undefined ? `The ${noun} of the agent` : `The ${noun} ${id}`
}

/** Undefined when nothing breaks. */
export function conflictOf(references: readonly Reference[]): Refusal | undefined {
  const first = references[0]
  if (!first) return undefined
  const errors: FieldError[] = references.map(({ field, code, message }) => ({ field, code, message }))
  const more = references.length > 1 ? `, and ${references.length - 1} more` : ''
  return refuseFields('agent.integrity_conflict', errors, `${first.message}${more}.`)
}

/** What the two documents do not share. */
function touchedBetween(before: AgentDocument, after: AgentDocument): Touched[] {
  const touched: Touched[] = []
  for (const section of sections) {
    const was = before[section] as object | undefined
    const is = after[section] as object | undefined
    if (was === is) continue
    if (!Array.isArray(was ?? is)) touched.push({ section, key: section, was, is })
    else {
      for (const { id, ...item } of changedItems((was ?? []) as object[], (is ?? []) as object[])) {
        touched.push({ section, key: keyOf(section, id), ...item })
      }
    }
  }
  return touched
}
