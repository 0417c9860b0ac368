/** What a message template says once it is sent, as plain text: what SMS makes of the very message that goes out. */
import type { AgentDocument, Rendered, SlotReader } from '../agent/index.js'
import { traitsOf } from '../channel/channeltraits.js'
import { floorText, render } from '../render/index.js'
import { renderOpenerWith } from './opener.js'

export interface OpenerText extends Rendered {
  /** Why nothing would be sent, in a sentence. */
  readonly problem?: string
}

/** The zone is for moments that have none of their own, and what is compiled from a template leaves none. */
const reader = { locale: 'en-US', zone: 'UTC' }

/** Text that is left out is empty, and null is text that must not be sent or that nothing can be made of. */
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
