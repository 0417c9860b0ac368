/**
 * The greeting that an agent opens with when a person asked for a message: that of its default playbook, or a stock
 * one.
 */
import type { AgentDocument } from '../agent/index.js'
import type { ContentMessage } from '../amf/index.js'
import { missingSlotNotes, renderOpener } from '../outreach/opener.js'
import type { OpenRequest } from '../outreach/port.js'
import type { Person } from '../people/person.js'
import { escapeMarkdown } from '../render/escape.js'

/** A default playbook that refers to the message template with this id greets with it. */
export const greetingTemplate = 'greeting'

export interface GreetingInput {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly person: Person
}

export type GreetingMessage = Pick<OpenRequest, 'message'> & Required<Pick<OpenRequest, 'notes'>>

/** Includes the log notes about the template. */
export function buildGreeting({ document, agent, person }: GreetingInput): GreetingMessage {
  const playbook = document.playbooks.find(({ isDefault }) => isDefault)
  if (!playbook?.messageTemplateRefs?.includes(greetingTemplate))
    return { message: defaultGreeting(agent.name), notes: [] }
  const opener = renderOpener({ document, agent, templateId: greetingTemplate, person })
  const message = 'message' in opener ? opener.message : defaultGreeting(agent.name)
  return { message, notes: missingSlotNotes(greetingTemplate, opener) }
}

/** Escapes the name, so that it shows as written. */
export function defaultGreeting(name: string): ContentMessage {
  return {
    spec: 'amf/1',
    parts: [{ type: 'text', text: `Hello, this is ${escapeMarkdown(name)}. How can I help you?` }],
  }
}
