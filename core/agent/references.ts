/** The reference graph of an agent as one table: referrer, field, target, and the lint code of a missing target. */
import { itemCost, runToEnd, type StepBudget, type Steps } from '../steps.js'
import type { AgentDocument, DraftCampaign, Item, ListSection } from './document.js'
import { handoffPlaybookId, readAction, stepTemplateId, stepText } from './flows/steps.js'
import { type Marker, markersIn } from './markers.js'
import type { GoalAssignment } from './resources/character.js'
import { customFieldIn, slotsOf } from './templates/slots.js'
import { usesPrefix } from './uses.js'

type ReferringSection = ListSection | 'defaultGoal' | 'scheduling' | 'draftCampaigns'
type ReferrerOf<F extends ReferringSection> = F extends ListSection
  ? Item<F>
  : F extends 'draftCampaigns'
    ? DraftCampaign
    : NonNullable<AgentDocument[F & keyof AgentDocument]>

export interface Edge {
  readonly from: ReferringSection
  readonly field: string
  readonly target: ListSection
  readonly code: string
}

/** Called for each reference of an item; the path starts at the item. */
export type ReferenceVisitor = (edge: Edge, path: string, id: string) => void

/** Reads one or more rows of the table from an item: from its fields, or from markers in its texts. */
type Reader = FieldReader | TextReader

interface FieldReader {
  readonly edges: readonly Edge[]
  readonly read: (item: object, visit: ReferenceVisitor) => void
}

/** Texts may be long, so the caller decides when they are scanned. */
interface TextReader {
  readonly edges: readonly Edge[]
  readonly texts: (item: object, visit: TextVisitor) => void
  readonly edgeOf: (kind: Marker['kind']) => Edge
}

type FieldVisitor = (path: string, id: string) => void

function fieldReader<F extends ReferringSection>(
  from: F,
  field: string,
  target: ListSection,
  code: string,
  read: (item: ReferrerOf<F>, visit: FieldVisitor) => void,
): FieldReader {
  const edge: Edge = { from, field, target, code }
  return { edges: [edge], read: (item, visit) => read(item as ReferrerOf<F>, (path, id) => visit(edge, path, id)) }
}

/** The section that each kind of marker refers to. */
const markerSections: readonly (readonly [Marker['kind'], ListSection, string])[] = [
  ['template', 'messageTemplates', 'template'],
  ['things', 'things', 'thing'],
  ['collection', 'collections', 'collection'],
  ['image', 'media', 'image'],
]

type TextVisitor = (path: string, text: string | undefined) => void

/** Four rows: references by markers in the texts of one kind of item. Each text is scanned once. */
function markerReader<F extends ReferringSection>(
  from: F,
  field: string,
  codePrefix: string,
  texts: (item: ReferrerOf<F>, visit: TextVisitor) => void,
): TextReader {
  const edges = markerSections.map(
    ([kind, target, noun]): Edge => ({
      from,
      field: `${field} (${kind})`,
      target,
      code: `${codePrefix}.${noun}.unknown`,
    }),
  )
  const byKind = new Map(markerSections.map(([kind], at) => [kind, edges[at]!]))
  return { edges, texts: (item, visit) => texts(item as ReferrerOf<F>, visit), edgeOf: (kind) => byKind.get(kind)! }
}

type OptionalGoal = { readonly [K in keyof GoalAssignment]: GoalAssignment[K] } | undefined

function visitGoals(goal: OptionalGoal, at: string, visit: FieldVisitor): void {
  if (!goal) return
  visit(`${at}goalId`, goal.goalId)
  if (goal.then !== undefined) visit(`${at}then`, goal.then)
}

function visitConditionField(goal: OptionalGoal, at: string, visit: FieldVisitor): void {
  const key = goal?.unless && customFieldIn(goal.unless.field)
  if (key) visit(`${at}unless.field`, key)
}

type Playbook = Item<'playbooks'>
type Step = NonNullable<Playbook['flow']>['steps'][number]

function visitSteps({ flow }: Playbook, read: (step: Step, at: string) => void): void {
  if (flow) for (const [index, step] of flow.steps.entries()) read(step, `flow.steps[${index}]`)
}

const sayPath = ({ say }: Step, at: string) => (typeof say === 'object' ? `${at}.say.text` : `${at}.say`)

const readers: readonly Reader[] = [
  fieldReader('defaultGoal', 'goalId, then', 'goals', 'goal.unknown', (goal, visit) => visitGoals(goal, '', visit)),
  fieldReader('defaultGoal', 'unless', 'peopleFields', 'goal.field.unknown', (goal, visit) =>
    visitConditionField(goal, '', visit),
  ),
  fieldReader('playbooks', 'goal', 'goals', 'goal.unknown', ({ goal }, visit) => visitGoals(goal, 'goal.', visit)),
  fieldReader('playbooks', 'goal.unless', 'peopleFields', 'goal.field.unknown', ({ goal }, visit) =>
    visitConditionField(goal, 'goal.', visit),
  ),
  fieldReader('playbooks', 'flow.steps[].say', 'messageTemplates', 'flow.template.unknown', (playbook, visit) =>
    visitSteps(playbook, (step, at) => {
      const id = stepTemplateId(step)
      if (id !== undefined) visit(sayPath(step, at), id)
    }),
  ),
  markerReader('playbooks', 'flow.steps[].say', 'flow', (playbook, visit) =>
    visitSteps(playbook, (step, at) => visit(sayPath(step, at), stepText(step))),
  ),
  fieldReader('playbooks', 'flow.steps[].call', 'playbooks', 'flow.playbook.unknown', (playbook, visit) =>
    visitSteps(playbook, ({ call }, at) => call !== undefined && visit(`${at}.call`, call)),
  ),
  fieldReader('playbooks', 'flow.steps[].handoff', 'playbooks', 'flow.playbook.unknown', (playbook, visit) =>
    visitSteps(playbook, ({ handoff, end }, at) => {
      const target = handoff ?? end?.handoff
      const id = target === undefined ? undefined : handoffPlaybookId(target)
      if (id !== undefined) visit(handoff === undefined ? `${at}.end.handoff` : `${at}.handoff`, id)
    }),
  ),
  fieldReader('playbooks', 'flow.steps[].action', 'integrations', 'flow.integration.unknown', (playbook, visit) =>
    visitSteps(playbook, ({ action }, at) => {
      const read = action === undefined ? undefined : readAction(action)
      if (read && 'integration' in read) visit(`${at}.action`, read.integration)
    }),
  ),
  fieldReader('playbooks', 'flow.slots[].bind', 'peopleFields', 'flow.bind.undeclared', ({ flow }, visit) => {
    for (const [index, { bind }] of (flow?.slots ?? []).entries()) {
      const id = bind === undefined ? undefined : customFieldIn(bind)
      if (id !== undefined) visit(`flow.slots[${index}].bind`, id)
    }
  }),
  fieldReader('playbooks', 'uses[]', 'integrations', 'playbook.uses.unknown', ({ uses }, visit) => {
    for (const [index, use] of (uses ?? []).entries()) {
      if (use.startsWith(usesPrefix)) visit(`uses[${index}]`, use.slice(usesPrefix.length))
    }
  }),
  fieldReader(
    'playbooks',
    'messageTemplateRefs[]',
    'messageTemplates',
    'playbook.template.unknown',
    (playbook, visit) => {
      for (const [index, id] of (playbook.messageTemplateRefs ?? []).entries())
        visit(`messageTemplateRefs[${index}]`, id)
    },
  ),
  markerReader('playbooks', 'body, whenToUse, examples', 'playbook', ({ body, whenToUse, examples }, visit) => {
    visit('body', body)
    visit('whenToUse', whenToUse)
    for (const [example, lines] of (examples ?? []).entries()) {
      for (const [line, { content }] of lines.entries()) visit(`examples[${example}][${line}].content`, content)
    }
  }),
  markerReader('messageTemplates', 'body', 'template', ({ body }, visit) => visit('body', body)),
  fieldReader('messageTemplates', 'body (slots)', 'peopleFields', 'template.field.unknown', ({ body }, visit) => {
    for (const { path } of slotsOf(body)) {
      const id = customFieldIn(path)
      if (id !== undefined) visit('body', id)
    }
  }),
  markerReader('facts', 'answer', 'fact', ({ answer }, visit) => visit('answer', answer)),
  fieldReader('facts', 'scope.playbooks[]', 'playbooks', 'fact.scope.unknown', ({ scope }, visit) => {
    for (const [index, id] of (scope?.playbooks ?? []).entries()) visit(`scope.playbooks[${index}]`, id)
  }),
  fieldReader('things', 'collections[]', 'collections', 'thing.collection.unknown', ({ collections }, visit) => {
    for (const [index, id] of (collections ?? []).entries()) visit(`collections[${index}]`, id)
  }),
  fieldReader('things', 'media', 'media', 'thing.media.unknown', ({ media }, visit) => {
    if (media !== undefined) visit('media', media)
  }),
  fieldReader(
    'outreach',
    'openerTemplateId, followUp',
    'messageTemplates',
    'outreach.template.unknown',
    (outreach, visit) => {
      visit('openerTemplateId', outreach.openerTemplateId)
      if (outreach.followUp) visit('followUp.templateId', outreach.followUp.templateId)
    },
  ),
  fieldReader('outreach', 'playbookId', 'playbooks', 'outreach.playbook.unknown', ({ playbookId }, visit) =>
    visit('playbookId', playbookId),
  ),
  fieldReader('outreach', 'goal', 'goals', 'goal.unknown', ({ goal }, visit) => visitGoals(goal, 'goal.', visit)),
  fieldReader('outreach', 'goal.unless', 'peopleFields', 'goal.field.unknown', ({ goal }, visit) =>
    visitConditionField(goal, 'goal.', visit),
  ),
  fieldReader(
    'scheduling',
    'reminders.playbookId',
    'playbooks',
    'scheduling.playbook.unknown',
    ({ reminders }, visit) => {
      if (reminders?.playbookId !== undefined) visit('reminders.playbookId', reminders.playbookId)
    },
  ),
  fieldReader('draftCampaigns', 'segmentId', 'segments', 'campaign.segment.unknown', ({ segmentId }, visit) => {
    if (segmentId !== undefined) visit('segmentId', segmentId)
  }),
]

export const edges: readonly Edge[] = readers.flatMap((reader) => reader.edges)

const readersBySection = new Map<string, Reader[]>()
for (const reader of readers) {
  const { from } = reader.edges[0]!
  readersBySection.set(from, [...(readersBySection.get(from) ?? []), reader])
}

/** Sections that can hold references. */
export const referringSections = [...readersBySection.keys()] as ReferringSection[]

/** Visits every reference of one item, once for each path. */
export function visitReferences(from: string, item: object, visit: ReferenceVisitor): void {
  runToEnd(visitReferencesInSteps(from, item, visit, neverPauses))
}

const neverPauses: StepBudget = () => false

/** An item may hold megabytes of text, so a step may end between two texts of it. */
export function* visitReferencesInSteps(
  from: string,
  item: object,
  visit: ReferenceVisitor,
  isStepOver: StepBudget,
): Steps<void> {
  if (isStepOver(itemCost)) yield
  for (const reader of readersBySection.get(from) ?? []) {
    if ('read' in reader) reader.read(item, visit)
    else {
      for (const [path, text] of textsOf(reader, item)) {
        for (const { kind, id } of markersIn(text)) visit(reader.edgeOf(kind), path, id)
        if (isStepOver(text.length)) yield
      }
    }
  }
}

function textsOf(reader: TextReader, item: object): [path: string, text: string][] {
  const texts: [string, string][] = []
  reader.texts(item, (path, text) => {
    if (text) texts.push([path, text])
  })
  return texts
}
