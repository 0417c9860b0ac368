/** How a person reaches the business: what the agent's identity says, as text and as chips. */
import type { AgentDocument } from '../agent/index.js'
import type { Chip, ContentMessage, Part } from '../amf/index.js'
import { validateMessage } from '../amf/index.js'
import { escapeMarkdown } from '../render/escape.js'
import { sayableText } from './sayable.js'
import { sentences } from './sentences.js'

/**
 * `contactAvailability` verbatim, the mail address as a contact, and phone and website as chips. Details that no
 * message may hold are left out.
 */
export function contactMessage(
  { identity = {} }: Pick<AgentDocument, 'identity'>,
  agentName: string,
  lead?: string,
): ContentMessage {
  const { contactEmail: email, contactPhone: phone, websiteUrl: url } = identity
  const availability = sayableText(identity.contactAvailability ?? '')
  const lines = [lead, escapeMarkdown(availability)].filter(Boolean)
  const isReachable = Boolean(email || phone || url)
  if (availability === '' && isReachable) lines.push(sentences.contact)
  // With a lead it is enough to have said that: nobody asked for a person.
  if (lines.length === 0) lines.push(sentences.noContact)
  const parts: Part[] = [{ type: 'text', text: lines.join('\n') }]
  const optional: ContentMessage[] = [
    ...(email ? [message([{ type: 'share.contact', name: agentName, email }])] : []),
    ...(phone ? [message([], { label: 'Call us', kind: 'dial', phone })] : []),
    ...(url ? [message([], { label: 'Website', kind: 'url', url })] : []),
  ].filter((each) => 'message' in validateMessage({ ...each, parts: [...parts, ...each.parts] }))
  const chips = optional.flatMap((each) => each.chips ?? [])
  return {
    spec: 'amf/1',
    parts: [...parts, ...optional.flatMap((each) => each.parts)],
    ...(chips.length > 0 && { chips }),
  }
}

function message(parts: readonly Part[], ...chips: readonly Chip[]): ContentMessage {
  return { spec: 'amf/1', parts, ...(chips.length > 0 && { chips }) }
}
