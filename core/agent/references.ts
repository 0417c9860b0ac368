/** The reference graph of an agent as one table: who names whom, by which field, and the lint code when it is gone. */
import { finish, itemCost, type Pace, type Steps } from '../steps.js'
import type { AgentDocument, DraftCampaign, Item, ListSection } from './document.js'
import { playbookHandedTo, readAction, spoken, templateSaid } from './flows/steps.js'
import { type Marker, markersIn } from './markers.js'
import type { GoalAssignment } from './resources/character.js'
import { customFieldIn, slotsOf } from './templates/slots.js'
import { usesPrefix } from './uses.js'

type From = ListSection | 'defaultGoal' | 'scheduling' | 'draftCampaigns'
type Holder<F extends From> = F extends ListSection
  ? Item<F>
  : F extends 'draftCampaigns'
    ? DraftCampaign
    : NonNullable<AgentDocument[F & keyof AgentDocument]>

export interface Edge {
  readonly from: From
  readonly field: string
  readonly names: ListSection
  readonly code: string
}

/** Told of each place of an item that names something; the path begins at the item. */
export type Tell = (edge: Edge, path: string, id: string) => void

/** Reads one or more rows of the table off an item: from its fields, or from markers in its texts. */
type Reader = FieldReader | TextReader

interface FieldReader {
  readonly edges: readonly Edge[]
  readonly read: (item: object, tell: Tell) => void
}

/** Texts may be long, so whoever looks through them says when. */
interface TextReader {
  readonly edges: readonly Edge[]
  readonly texts: (item: object, tell: TellText) => void
  readonly edgeOf: (kind: Marker['kind']) => Edge
}

type Told = (path: string, id: string) => void

function row<F extends From>(
  from: F,
  field: string,
  names: ListSection,
  code: string,
  read: (item: Holder<F>, tell: Told) => void,
): FieldReader {
  const edge: Edge = { from, field, names, code }
  return { edges: [edge], read: (item, tell) => read(item as Holder<F>, (path, id) => tell(edge, path, id)) }
}

/** What every kind of marker names. */
const marked: readonly (readonly [Marker['kind'], ListSection, string])[] = [
  ['template', 'messageTemplates', 'template'],
  ['things', 'things', 'thing'],
  ['collection', 'collections', 'collection'],
  ['image', 'media', 'image'],
]

type TellText = (path: string, text: string | undefined) => void

/** Four rows: what texts of one kind of item name by markers. Each text is looked through once. */
function markers<F extends From>(
  from: F,
  field: string,
  word: string,
  texts: (item: Holder<F>, tell: TellText) => void,
): TextReader {
  const edges = marked.map(
    ([kind, names, noun]): Edge => ({ from, field: `${field} (${kind})`, names, code: `${word}.${noun}.unknown` }),
  )
  const byKind = new Map(marked.map(([kind], at) => [kind, edges[at]!]))
  return { edges, texts: (item, tell) => texts(item as Holder<F>, tell), edgeOf: (kind) => byKind.get(kind)! }
}

type Assigned = { readonly [K in keyof GoalAssignment]: GoalAssignment[K] } | undefined

function goals(goal: Assigned, at: string, tell: Told): void {
  if (!goal) return
  tell(`${at}goalId`, goal.goalId)
  if (goal.then !== undefined) tell(`${at}then`, goal.then)
}

function conditionField(goal: Assigned, at: string, tell: Told): void {
  const key = goal?.unless && customFieldIn(goal.unless.field)
  if (key) tell(`${at}unless.field`, key)
}

type Playbook = Item<'playbooks'>
type Step = NonNullable<Playbook['flow']>['steps'][number]

function eachStep({ flow }: Playbook, read: (step: Step, at: string) => void): void {
  if (flow) for (const [place, step] of flow.steps.entries()) read(step, `flow.steps[${place}]`)
}

const sayPath = ({ say }: Step, at: string) => (typeof say === 'object' ? `${at}.say.text` : `${at}.say`)

const readers: readonly Reader[] = [
  row('defaultGoal', 'goalId, then', 'goals', 'goal.unknown', (goal, tell) => goals(goal, '', tell)),
  row('defaultGoal', 'unless', 'peopleFields', 'goal.field.unknown', (goal, tell) => conditionField(goal, '', tell)),
  row('playbooks', 'goal', 'goals', 'goal.unknown', ({ goal }, tell) => goals(goal, 'goal.', tell)),
  row('playbooks', 'goal.unless', 'peopleFields', 'goal.field.unknown', ({ goal }, tell) =>
    conditionField(goal, 'goal.', tell),
  ),
  row('playbooks', 'flow.steps[].say', 'messageTemplates', 'flow.template.unknown', (playbook, tell) =>
    eachStep(playbook, (step, at) => {
      const id = templateSaid(step)
      if (id !== undefined) tell(sayPath(step, at), id)
    }),
  ),
  markers('playbooks', 'flow.steps[].say', 'flow', (playbook, tell) =>
    eachStep(playbook, (step, at) => tell(sayPath(step, at), spoken(step))),
  ),
  row('playbooks', 'flow.steps[].call', 'playbooks', 'flow.playbook.unknown', (playbook, tell) =>
    eachStep(playbook, ({ call }, at) => call !== undefined && tell(`${at}.call`, call)),
  ),
  row('playbooks', 'flow.steps[].handoff', 'playbooks', 'flow.playbook.unknown', (playbook, tell) =>
    eachStep(playbook, ({ handoff, end }, at) => {
      const given = handoff ?? end?.handoff
      const id = given === undefined ? undefined : playbookHandedTo(given)
      if (id !== undefined) tell(handoff === undefined ? `${at}.end.handoff` : `${at}.handoff`, id)
    }),
  ),
  row('playbooks', 'flow.steps[].action', 'integrations', 'flow.integration.unknown', (playbook, tell) =>
    eachStep(playbook, ({ action }, at) => {
      const read = action === undefined ? undefined : readAction(action)
      if (read && 'integration' in read) tell(`${at}.action`, read.integration)
    }),
  ),
  row('playbooks', 'flow.slots[].bind', 'peopleFields', 'flow.bind.undeclared', ({ flow }, tell) => {
    for (const [place, { bind }] of (flow?.slots ?? []).entries()) {
      const id = bind === undefined ? undefined : customFieldIn(bind)
      if (id !== undefined) tell(`flow.slots[${place}].bind`, id)
    }
  }),
  row('playbooks', 'uses[]', 'integrations', 'playbook.uses.unknown', ({ uses }, tell) => {
    for (const [place, use] of (uses ?? []).entries()) {
      if (use.startsWith(usesPrefix)) tell(`uses[${place}]`, use.slice(usesPrefix.length))
    }
  }),
  row('playbooks', 'messageTemplateRefs[]', 'messageTemplates', 'playbook.template.unknown', (playbook, tell) => {
    for (const [place, id] of (playbook.messageTemplateRefs ?? []).entries()) tell(`messageTemplateRefs[${place}]`, id)
  }),
  markers('playbooks', 'body, whenToUse, examples', 'playbook', ({ body, whenToUse, examples }, tell) => {
    tell('body', body)
    tell('whenToUse', whenToUse)
    for (const [example, lines] of (examples ?? []).entries()) {
      for (const [line, { content }] of lines.entries()) tell(`examples[${example}][${line}].content`, content)
    }
  }),
  markers('messageTemplates', 'body', 'template', ({ body }, tell) => tell('body', body)),
  row('messageTemplates', 'body (slots)', 'peopleFields', 'template.field.unknown', ({ body }, tell) => {
    for (const { path } of slotsOf(body)) {
      const id = customFieldIn(path)
      if (id !== undefined) tell('body', id)
    }
  }),
  markers('facts', 'answer', 'fact', ({ answer }, tell) => tell('answer', answer)),
  row('facts', 'scope.playbooks[]', 'playbooks', 'fact.scope.unknown', ({ scope }, tell) => {
    for (const [place, id] of (scope?.playbooks ?? []).entries()) tell(`scope.playbooks[${place}]`, id)
  }),
  row('things', 'collections[]', 'collections', 'thing.collection.unknown', ({ collections }, tell) => {
    for (const [place, id] of (collections ?? []).entries()) tell(`collections[${place}]`, id)
  }),
  row('things', 'media', 'media', 'thing.media.unknown', ({ media }, tell) => {
    if (media !== undefined) tell('media', media)
  }),
  row('outreach', 'openerTemplateId, followUp', 'messageTemplates', 'outreach.template.unknown', (outreach, tell) => {
    tell('openerTemplateId', outreach.openerTemplateId)
    if (outreach.followUp) tell('followUp.templateId', outreach.followUp.templateId)
  }),
  row('outreach', 'playbookId', 'playbooks', 'outreach.playbook.unknown', ({ playbookId }, tell) =>
    tell('playbookId', playbookId),
  ),
  row('outreach', 'goal', 'goals', 'goal.unknown', ({ goal }, tell) => goals(goal, 'goal.', tell)),
  row('outreach', 'goal.unless', 'peopleFields', 'goal.field.unknown', ({ goal }, tell) =>
    conditionField(goal, 'goal.', tell),
  ),
  row('scheduling', 'reminders.playbookId', 'playbooks', 'scheduling.playbook.unknown', ({ reminders }, tell) => {
    if (reminders?.playbookId !== undefined) tell('reminders.playbookId', reminders.playbookId)
  }),
  row('draftCampaigns', 'segmentId', 'segments', 'campaign.segment.unknown', ({ segmentId }, tell) => {
    if (segmentId !== undefined) tell('segmentId', segmentId)
  }),
]

export const edges: readonly Edge[] = readers.flatMap((reader) => reader.edges)

const byHolder = new Map<string, Reader[]>()
for (const reader of readers) {
  const { from } = reader.edges[0]!
  byHolder.set(from, [...(byHolder.get(from) ?? []), reader])
}

/** The parts of a document that can name others. */
export const holders = [...byHolder.keys()] as From[]

/** Tells everything that one item names, by each place once. */
export function eachNamed(from: string, item: object, tell: Tell): void {
  finish(eachNamedInSteps(from, item, tell, neverPauses))
}

const neverPauses: Pace = () => false

/** An item may hold megabytes of text, so a step may end between two texts of it. */
export function* eachNamedInSteps(from: string, item: object, tell: Tell, isStepOver: Pace): Steps<void> {
  if (isStepOver(itemCost)) yield
  for (const reader of byHolder.get(from) ?? []) {
    if ('read' in reader) reader.read(item, tell)
    else {
      for (const [path, text] of textsOf(reader, item)) {
        for (const { kind, id } of markersIn(text)) tell(reader.edgeOf(kind), path, id)
        if (isStepOver(text.length)) yield
      }
    }
  }
}

function textsOf(reader: TextReader, item: object): [path: string, text: string][] {
  const found: [string, string][] = []
  reader.texts(item, (path, text) => {
    if (text) found.push([path, text])
  })
  return found
}
