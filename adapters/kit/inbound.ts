/** Inbound items: bounds on their size, and notes to the agent about acts that the contract has no message for. */
import type { Item } from '../../core/channel/adapter.js'
import { itemError } from '../../core/channel/adaptervalidation.js'
import type { Inbound } from '../../core/channel/inbound.js'
import { adapter as limits } from '../../core/limits/index.js'

type Note = Extract<Inbound, { readonly kind: 'content' }>

/** An item over the contract's size limits becomes a problem. */
export function validItem(item: Item): Item {
  const error = itemError(item)
  return error === undefined ? item : { problem: error }
}

/** `description` begins with an article, such as `a contact card`; `text` is the readable part of it. */
export function notUnderstood(description: string, text?: string): Note {
  return note(`The person sent ${description} that cannot be shown here${text ? `: ${text}` : ''}`)
}

/** A person edited an earlier message. The notice answers no question and matches no keyword. */
export function editNotice(text: string): Note {
  return note(`The person edited a message, which now says: ${text}`)
}

/** A wish of the person about messages that is no opt-out; `preference` completes the sentence "The person". */
export function preferenceNotice(preference: string): Note {
  return note(`The person ${preference}`)
}

function note(sentence: string): Note {
  return { kind: 'content', content: { text: `[${sentence}]`.slice(0, limits.textChars) } }
}
