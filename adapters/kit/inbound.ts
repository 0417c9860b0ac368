/** What a person did and no message of the contract can say, as a message that says so: the agent can ask about it. */
import type { Inbound } from '../../core/channel/inbound.js'
import { adapter as limits } from '../../core/limits.js'

type Note = Extract<Inbound, { readonly kind: 'content' }>

/** `what` begins with an article, such as `a contact card`; `said` is what can be told of it. */
export function notUnderstood(what: string, said?: string): Note {
  return note(`The person sent ${what} that cannot be shown here${said ? `: ${said}` : ''}`)
}

/** A message that a person wrote before and now reads otherwise. It answers no question and is no keyword. */
export function edited(said: string): Note {
  return note(`The person edited a message, which now says: ${said}`)
}

/** A wish about what they are sent, which is not an opt-out: `wish` goes on after "The person". */
export function wished(wish: string): Note {
  return note(`The person ${wish}`)
}

function note(sentence: string): Note {
  return { kind: 'content', content: { text: `[${sentence}]`.slice(0, limits.textChars) } }
}
