/** What an agent opens with when somebody asked to be written to: the greeting of its default playbook, or a stock one. */
import type { AgentDocument } from '../agent/index.js'
import type { ContentMessage } from '../amf/index.js'
import type { OpeningFor } from '../outreach/contact.js'
import { missingSlotNotes, openerFor } from '../outreach/opener.js'
import type { Person } from '../people/person.js'
import { escapeMarkdown } from '../render/escape.js'

/** A default playbook that refers to the message template of this id greets with it. */
export const greetingTemplate = 'greeting'

export interface Greeting {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly person: Person
}

export type Greeted = Pick<OpeningFor, 'message'> & Required<Pick<OpeningFor, 'notes'>>

/** With what is to be logged of the template. */
export function greetingOf({ document, agent, person }: Greeting): Greeted {
  const playbook = document.playbooks.find(({ isDefault }) => isDefault)
  if (!playbook?.messageTemplateRefs?.includes(greetingTemplate))
    return { message: stockGreeting(agent.name), notes: [] }
  const opener = openerFor({ document, agent, templateId: greetingTemplate, person })
  const message = 'message' in opener ? opener.message : stockGreeting(agent.name)
  return { message, notes: missingSlotNotes(greetingTemplate, opener) }
}

/** Names are text, whatever they look like. */
export function stockGreeting(name: string): ContentMessage {
  return {
    spec: 'amf/1',
    parts: [{ type: 'text', text: `Hello, this is ${escapeMarkdown(name)}. How can I help you?` }],
  }
}
