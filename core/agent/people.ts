/** What an agent's people have beyond the fields that everybody has: declared as one list. */
import { type AgentDocument, withSection } from './document.js'
import { type PeopleField, PeopleFieldsBody } from './resources/capabilities.js'
import { misshapen, type Outcome } from './writing.js'

export function peopleFieldsReplaced(document: AgentDocument, body: unknown): Outcome {
  const wrong = misshapen(PeopleFieldsBody, body)
  return wrong ?? withSection(document, 'peopleFields', (body as { fields: PeopleField[] }).fields)
}
