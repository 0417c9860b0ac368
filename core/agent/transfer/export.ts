/** An agent as one object that can be carried elsewhere: everything that was configured, and nothing that is secret. */
import type { Static, TSchema } from 'typebox'
import { type AgentDocument, type ListSection, listSections, type SingleSection, singleSections } from '../document.js'
import { playbookView } from '../playbooks.js'
import { canonicalize } from './canonical.js'

/** The version of the shape of exports. */
export const exportFormat = 'agent/1'

function list<S extends ListSection>(document: AgentDocument, section: S) {
  return canonicalize(listSections[section] as TSchema, document[section]) as Static<(typeof listSections)[S]>
}

function single<S extends SingleSection>(document: AgentDocument, section: S, under: string = section) {
  const part = document[section]
  return part === undefined ? {} : { [under]: canonicalize(singleSections[section] as TSchema, part) }
}

/**
 * Lists are always there, empty ones too, so that an agent can be taken back to what it was; of the parts of which there
 * is one, only those that are set. Sources and media stay behind, since their bytes do not travel.
 */
export function exportDocument(document: AgentDocument) {
  return {
    format: exportFormat,
    ...single(document, 'identity'),
    ...single(document, 'personality'),
    goals: list(document, 'goals'),
    ...single(document, 'defaultGoal'),
    objectives: list(document, 'objectives'),
    playbooks: canonicalize(listSections.playbooks, document.playbooks.map(playbookView)),
    standingInstructions: document.standingInstructions ?? [],
    ...single(document, 'guardrails'),
    rules: list(document, 'rules'),
    messageTemplates: list(document, 'messageTemplates'),
    toolBindings: list(document, 'toolBindings'),
    capabilities: {
      knowledge: {
        collections: list(document, 'collections'),
        things: list(document, 'things'),
        facts: list(document, 'facts'),
      },
      ...single(document, 'scheduling'),
      ...single(document, 'notifications'),
      people: { fields: list(document, 'peopleFields'), segments: list(document, 'segments') },
    },
    integrations: { custom: list(document, 'integrations') },
    outreach: list(document, 'outreach'),
    ...single(document, 'templateRef'),
  }
}
export type AgentExport = ReturnType<typeof exportDocument>
