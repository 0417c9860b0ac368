/** Renders a message template as plain text, exactly as SMS would send the message. */
import type { AgentDocument, Rendered, SlotReader } from '../agent/index.js'
import { traitsOf } from '../channel/channeltraits.js'
import { floorText, render } from '../render/index.js'
import { renderOpenerWith } from './opener.js'

export interface OpenerText extends Rendered {
  /** Why nothing would be sent, in a sentence. */
  readonly problem?: string
}

/** The zone is a default for moments without one, and compiled templates always give one. */
const reader = { locale: 'en-US', zone: 'UTC' }

/** Text is empty when the message is omitted, and null when it must not be sent or cannot be compiled. */
export function renderOpenerText(document: AgentDocument, templateId: string, read: SlotReader): OpenerText {
  const opener = renderOpenerWith(document, templateId, read)
  const { missing: missingSlots = [] } = opener
  if ('message' in opener) {
    const renderedText = floorText(render(opener.message, traitsOf('sms'), reader))
    return { renderedText, missingSlots, blocked: false }
  }
  const { blocked: problem, isEmpty: leavesNothing = false } = opener
  return { renderedText: leavesNothing ? '' : null, missingSlots, blocked: !leavesNothing, problem }
}
