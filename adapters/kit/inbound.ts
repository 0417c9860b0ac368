/** What a person did and no message of the contract can say, as a message that says so: the agent can ask about it. */
import type { Inbound } from '../../core/channel/inbound.js'
import { adapter as limits } from '../../core/limits/index.js'

type Note = Extract<Inbound, { readonly kind: 'content' }>

/** `what` begins with an article, such as `a contact card`; `text` is what can be told of it. */
export function notUnderstood(what: string, text?: string): Note {
  return note(`The person sent ${what} that cannot be shown here${text ? `: ${text}` : ''}`)
}

/** A message that a person wrote before and now reads otherwise. It answers no question and is no keyword. */
export function editNotice(text: string): Note {
  return note(`The person edited a message, which now says: ${text}`)
}

/** A wish about what they are sent, which is not an opt-out: `preference` goes on after "The person". */
export function preferenceNotice(preference: string): Note {
  return note(`The person ${preference}`)
}

function note(sentence: string): Note {
  return { kind: 'content', content: { text: `[${sentence}]`.slice(0, limits.textChars) } }
}
