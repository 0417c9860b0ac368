/** Notes to the agent about acts of a person that the contract has no message for. */
import type { Inbound } from '../../core/channel/inbound.js'
import { adapter as limits } from '../../core/limits/index.js'

type Note = Extract<Inbound, { readonly kind: 'content' }>

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
