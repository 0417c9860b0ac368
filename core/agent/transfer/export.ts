/** Export of an agent as one object: everything configured, without secrets. */
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
 * Lists are always present, empty ones too, so that an import can restore the agent; single sections only when they are
 * set. Sources and media are left out, since an export does not contain their bytes.
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
