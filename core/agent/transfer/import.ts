/**
 * Import: the sections that are present replace those of the agent, each validated like its own resource. The document
 * that comes out is whole or there is none: nothing is ever half applied.
 */
import type { TSchema } from 'typebox'
import { type FieldError, isRefusal, type Refusal } from '../../errors.js'
import { agentLimits } from '../../limits.js'
import { finish, isSteps, type Steps } from '../../steps.js'
import { filledIntegration, integrationFaults, notificationsReplaced, schedulingReplaced } from '../capabilities.js'
import { instructionsReplaced, rulesReplaced } from '../character.js'
import {
  type AgentDocument,
  type DraftCampaign,
  emptyDocument,
  type ListSection,
  listSections,
  type SingleSection,
  singleSections,
  withSection,
} from '../document.js'
import { assignmentRefusal } from '../goals.js'
import { conflictOf, findBrokenInSteps, type IndexFinder } from '../integrity.js'
import { collectionsReplaced } from '../knowledge/collections.js'
import { replaceFactsInSteps } from '../knowledge/facts.js'
import { addressesToGeocode, replaceThingsInSteps, type ThingReaders, thingsRead } from '../knowledge/things.js'
import { findFlowErrorsInSteps, refusalOf } from '../lint/index.js'
import { draftsRefusal, peopleFieldsImported, segmentsReplaced } from '../people.js'
import type { Integration } from '../resources/capabilities.js'
import type { GoalAssignment } from '../resources/character.js'
import { FactsBody, ThingsBody } from '../resources/knowledge.js'
import { invalidFields, misshapen, type Outcome } from '../writing.js'
import { bindingsImported, outreachImported, playbooksImported } from './pieces.js'
import { sectionsIn } from './sections.js'

interface Import {
  readonly document: AgentDocument
  readonly value: unknown
  readonly readers: ThingReaders
  /** Things and facts were found to be of their shape before. */
  readonly isShaped: boolean
}
type Importer = (sent: Import) => Outcome | Steps<Outcome>

/** Says what a resource's own rules find under the name that the importer sees. */
function whole(section: ListSection | SingleSection): Importer {
  const schema = ({ ...listSections, ...singleSections } as Record<string, TSchema>)[section]!
  return ({ document, value }) => misshapen(schema, value, section) ?? withSection(document, section, value as never)
}

/** In this order, so that whatever is named stands before it is named. */
const importers: Readonly<Record<string, Importer>> = {
  identity: whole('identity'),
  personality: whole('personality'),
  goals: whole('goals'),
  defaultGoal({ document, value }) {
    if (value === null) return withSection(document, 'defaultGoal', undefined)
    const wrong = misshapen(singleSections.defaultGoal, value, 'defaultGoal')
    const goal = value as GoalAssignment
    return (
      wrong ??
      assignmentRefusal(document.goals, [{ at: 'defaultGoal', goal }]) ??
      withSection(document, 'defaultGoal', goal)
    )
  },
  objectives: whole('objectives'),
  standingInstructions: ({ document, value }) => instructionsReplaced(document, { standingInstructions: value }),
  guardrails: whole('guardrails'),
  rules: ({ document, value }) => rulesReplaced(document, { rules: value }),
  peopleFields: ({ document, value }) => peopleFieldsImported(document, value),
  segments: ({ document, value }) => segmentsReplaced(document, value),
  integrations({ document, value }) {
    const wrong = misshapen(listSections.integrations, value, 'integrations')
    if (wrong) return wrong
    const sent = value as Integration[]
    const faults = sent.flatMap((each, place) => integrationFaults(each, `integrations[${place}]`))
    return faults.length > 0
      ? invalidFields(faults)
      : withSection(document, 'integrations', sent.map(filledIntegration))
  },
  toolBindings: bindingsImported,
  /** Whether things leave a collection behind is judged when they are in place. */
  collections({ document, value }) {
    const alone = collectionsReplaced({ ...document, things: [] }, { collections: value })
    return isRefusal(alone) ? alone : withSection(document, 'collections', alone.collections)
  },
  things: ({ document, value, readers, isShaped }) =>
    replaceThingsInSteps({ ...document, things: [] }, { things: value }, readers, isShaped),
  messageTemplates: whole('messageTemplates'),
  playbooks: playbooksImported,
  facts: ({ document, value, isShaped }) =>
    replaceFactsInSteps({ ...document, facts: [] }, { facts: value }, undefined, isShaped),
  scheduling: ({ document, value }) => schedulingReplaced(document, value),
  notifications({ document, value }) {
    const written = notificationsReplaced(document, value)
    if (isRefusal(written)) return written
    const [secret] = Object.keys(written.secrets)
    return secret
      ? invalidFields([{ field: `notifications.${secret}`, message: 'is secret and does not travel' }])
      : written.document
  },
  outreach: outreachImported,
  templateRef: whole('templateRef'),
}

/** The addresses in it that have to be looked up before it is imported; what the agent has already tells nothing here. */
export function addressesToImport(sent: unknown, isShaped = false): string[] {
  const things = sectionsIn(sent).sections.get('things')
  return things ? addressesToGeocode(emptyDocument, { things: things.value }, isShaped) : []
}

/** What is wrong with the shape of a document, as far as its long lists go: the import itself says the rest. */
export function importFaults(sent: unknown): readonly FieldError[] {
  const { sections, faults } = sectionsIn(sent)
  if (faults.length > 0) return faults.slice(0, agentLimits.faults)
  const things = sections.get('things')
  const facts = sections.get('facts')
  const wrong =
    (things && relocated(misshapen(ThingsBody, thingsRead({ things: things.value })), 'things', things.at)) ??
    (facts && relocated(misshapen(FactsBody, { facts: facts.value }), 'facts', facts.at))
  return wrong?.errors ?? []
}

export function imported(...sent: Parameters<typeof importInSteps>): Outcome {
  return finish(importInSteps(...sent))
}

/** A section is a step. `draftCampaigns` are those that name a segment, and keep it. */
export function* importInSteps(
  before: AgentDocument,
  sent: unknown,
  readers: ThingReaders,
  indexOf?: IndexFinder,
  isShaped = false,
  draftCampaigns: readonly DraftCampaign[] = [],
): Steps<Outcome> {
  const { sections, faults } = sectionsIn(sent)
  if (faults.length > 0) return invalidFields(faults)
  let document = before
  for (const [section, importer] of Object.entries(importers)) {
    const given = sections.get(section)
    if (!given) continue
    const made = importer({ document, value: given.value, readers, isShaped })
    const outcome = isSteps(made) ? yield* made : made
    if (isRefusal(outcome)) return relocated(outcome, section, given.at)
    document = outcome
    yield
  }
  const broken =
    conflictOf(yield* findBrokenInSteps(before, document, indexOf)) ??
    (sections.has('segments') ? draftsRefusal(before, document, draftCampaigns) : undefined)
  if (broken || !sections.has('playbooks')) return broken ?? document
  const unowned = ownerFaults(document)
  return unowned.length > 0
    ? invalidFields(unowned)
    : (refusalOf(yield* findFlowErrorsInSteps(document, document.playbooks.entries())) ?? document)
}

/** A playbook that says it is owned has an owner that says the same. */
function ownerFaults({ playbooks, outreach }: AgentDocument): FieldError[] {
  const owned = new Map(outreach.map(({ id, playbookId }) => [id, playbookId]))
  return playbooks.flatMap(({ id, outreachId }, place) =>
    outreachId === undefined || owned.get(outreachId) === id
      ? []
      : [
          {
            field: `playbooks[${place}].outreachId`,
            message: `There is no outreach ${outreachId} that owns this playbook`,
          },
        ],
  )
}

/** Paths begin where the caller wrote the section. */
function relocated<R extends Refusal | undefined>(refusal: R, section: string, at: string): R | Refusal {
  if (section === at || !refusal?.errors) return refusal
  const moved = (field: string) => (field.startsWith(section) ? at + field.slice(section.length) : field)
  const errors = refusal.errors.map((error) => ({ ...error, field: moved(error.field) }))
  return { ...refusal, errors, ...(refusal.detail && { detail: moved(refusal.detail) }) }
}
