/** What a person did that an adapter does not understand, as a message that says so: the agent can ask about it. */
import type { Inbound } from '../../core/conversation/hear.js'
import { adapter as limits } from '../../core/limits.js'

/** `what` begins with an article, such as `a contact card`; `said` is what can be told of it. */
export function notUnderstood(what: string, said?: string): Extract<Inbound, { readonly kind: 'content' }> {
  const text = `[The person sent ${what} that cannot be shown here${said ? `: ${said}` : ''}]`
  return { kind: 'content', content: { text: text.slice(0, limits.textChars) } }
}
