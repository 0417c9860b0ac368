/**
 * Import: the sections of the input replace those of the agent, each validated like its own resource. An import is
 * atomic: it returns a whole document or a refusal.
 */
import type { TSchema } from 'typebox'
import { type FieldError, isRefusal, type Refusal } from '../../errors.js'
import { agentLimits } from '../../limits/index.js'
import { isSteps, runToEnd, type Steps } from '../../steps.js'
import { integrationFaults, replaceNotifications, replaceScheduling, withIntegrationDefaults } from '../capabilities.js'
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
import { conflictOf, findBrokenReferencesInSteps, type IndexLoader } from '../integrity.js'
import { replaceCollections } from '../knowledge/collections.js'
import { replaceFactsInSteps } from '../knowledge/facts.js'
import { addressesToGeocode, normalizeThings, replaceThingsInSteps, type ThingReaders } from '../knowledge/things.js'
import { findFlowErrorsInSteps, refusalOf } from '../lint/index.js'
import { invalidFields, type Outcome, schemaError } from '../outcome.js'
import { draftsRefusal, importPeopleFields, replaceSegments } from '../people.js'
import { replaceInstructions, replaceRules } from '../personality.js'
import type { Integration } from '../resources/capabilities.js'
import type { GoalAssignment } from '../resources/character.js'
import { FactsBody, ThingsBody } from '../resources/knowledge.js'
import { importBindings, importOutreach, importPlaybooks } from './listsections.js'
import { sectionsIn } from './sections.js'

interface SectionInput {
  readonly document: AgentDocument
  readonly value: unknown
  readonly readers: ThingReaders
  /** The shapes of things and facts have been checked before. */
  readonly isValidated: boolean
}
type Importer = (input: SectionInput) => Outcome | Steps<Outcome>

/** Validates a whole section; a fault names the section as the importer does. */
function wholeSection(section: ListSection | SingleSection): Importer {
  const schema = ({ ...listSections, ...singleSections } as Record<string, TSchema>)[section]!
  return ({ document, value }) => schemaError(schema, value, section) ?? withSection(document, section, value as never)
}

/** In this order, so that a target is imported before its referrers. */
const importers: Readonly<Record<string, Importer>> = {
  identity: wholeSection('identity'),
  personality: wholeSection('personality'),
  goals: wholeSection('goals'),
  defaultGoal({ document, value }) {
    if (value === null) return withSection(document, 'defaultGoal', undefined)
    const error = schemaError(singleSections.defaultGoal, value, 'defaultGoal')
    const goal = value as GoalAssignment
    return (
      error ??
      assignmentRefusal(document.goals, [{ at: 'defaultGoal', goal }]) ??
      withSection(document, 'defaultGoal', goal)
    )
  },
  objectives: wholeSection('objectives'),
  standingInstructions: ({ document, value }) => replaceInstructions(document, { standingInstructions: value }),
  guardrails: wholeSection('guardrails'),
  rules: ({ document, value }) => replaceRules(document, { rules: value }),
  peopleFields: ({ document, value }) => importPeopleFields(document, value),
  segments: ({ document, value }) => replaceSegments(document, value),
  integrations({ document, value }) {
    const error = schemaError(listSections.integrations, value, 'integrations')
    if (error) return error
    const input = value as Integration[]
    const faults = input.flatMap((each, index) => integrationFaults(each, `integrations[${index}]`))
    return faults.length > 0
      ? invalidFields(faults)
      : withSection(document, 'integrations', input.map(withIntegrationDefaults))
  },
  toolBindings: importBindings,
  /** Things may leave a collection behind: that is checked after their own import. */
  collections({ document, value }) {
    const updated = replaceCollections({ ...document, things: [] }, { collections: value })
    return isRefusal(updated) ? updated : withSection(document, 'collections', updated.collections)
  },
  things: ({ document, value, readers, isValidated }) =>
    replaceThingsInSteps({ ...document, things: [] }, { things: value }, readers, isValidated),
  messageTemplates: wholeSection('messageTemplates'),
  playbooks: importPlaybooks,
  facts: ({ document, value, isValidated }) =>
    replaceFactsInSteps({ ...document, facts: [] }, { facts: value }, undefined, isValidated),
  scheduling: ({ document, value }) => replaceScheduling(document, value),
  notifications({ document, value }) {
    const updated = replaceNotifications(document, value)
    if (isRefusal(updated)) return updated
    const [secret] = Object.keys(updated.secrets)
    return secret
      ? invalidFields([{ field: `notifications.${secret}`, message: 'is secret and does not travel' }])
      : updated.document
  },
  outreach: importOutreach,
  templateRef: wholeSection('templateRef'),
}

/** The addresses in the input that need geocoding before the import, independent of what the agent has stored. */
export function addressesToImport(input: unknown, isValidated = false): string[] {
  const things = sectionsIn(input).sections.get('things')
  return things ? addressesToGeocode(emptyDocument, { things: things.value }, isValidated) : []
}

/** Faults of the input's long lists; the import itself checks everything else. */
export function importFaults(input: unknown): readonly FieldError[] {
  const { sections, faults } = sectionsIn(input)
  if (faults.length > 0) return faults.slice(0, agentLimits.faults)
  const things = sections.get('things')
  const facts = sections.get('facts')
  const error =
    (things &&
      relocateErrors(schemaError(ThingsBody, normalizeThings({ things: things.value })), 'things', things.at)) ??
    (facts && relocateErrors(schemaError(FactsBody, { facts: facts.value }), 'facts', facts.at))
  return error?.errors ?? []
}

export function importDocument(...input: Parameters<typeof importDocumentInSteps>): Outcome {
  return runToEnd(importDocumentInSteps(...input))
}

/** One step for each section. Each of `draftCampaigns` may name a segment, which the import then must not remove. */
export function* importDocumentInSteps(
  before: AgentDocument,
  input: unknown,
  readers: ThingReaders,
  loadIndex?: IndexLoader,
  isValidated = false,
  draftCampaigns: readonly DraftCampaign[] = [],
): Steps<Outcome> {
  const { sections, faults } = sectionsIn(input)
  if (faults.length > 0) return invalidFields(faults)
  let document = before
  for (const [section, importer] of Object.entries(importers)) {
    const sectionValue = sections.get(section)
    if (!sectionValue) continue
    const result = importer({ document, value: sectionValue.value, readers, isValidated })
    const outcome = isSteps(result) ? yield* result : result
    if (isRefusal(outcome)) return relocateErrors(outcome, section, sectionValue.at)
    document = outcome
    yield
  }
  const broken =
    conflictOf(yield* findBrokenReferencesInSteps(before, document, loadIndex)) ??
    (sections.has('segments') ? draftsRefusal(before, document, draftCampaigns) : undefined)
  if (broken || !sections.has('playbooks')) return broken ?? document
  const ownerErrors = ownerFaults(document)
  return ownerErrors.length > 0
    ? invalidFields(ownerErrors)
    : (refusalOf(yield* findFlowErrorsInSteps(document, document.playbooks.entries())) ?? document)
}

/** A playbook with `outreachId` must be the playbook of that outreach. */
function ownerFaults({ playbooks, outreach }: AgentDocument): FieldError[] {
  const owned = new Map(outreach.map(({ id, playbookId }) => [id, playbookId]))
  return playbooks.flatMap(({ id, outreachId }, index) =>
    outreachId === undefined || owned.get(outreachId) === id
      ? []
      : [
          {
            field: `playbooks[${index}].outreachId`,
            message: `There is no outreach ${outreachId} that owns this playbook`,
          },
        ],
  )
}

/** Faults name the path at which the caller wrote the section. */
function relocateErrors<R extends Refusal | undefined>(refusal: R, section: string, at: string): R | Refusal {
  if (section === at || !refusal?.errors) return refusal
  const relocate = (field: string) => (field.startsWith(section) ? at + field.slice(section.length) : field)
  const errors = refusal.errors.map((error) => ({ ...error, field: relocate(error.field) }))
  return { ...refusal, errors, ...(refusal.detail && { detail: relocate(refusal.detail) }) }
}
