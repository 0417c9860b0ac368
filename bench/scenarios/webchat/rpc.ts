/** What a candidate and the process of its visitors say to each other. */
import type { Sample, Window } from '../../harness/sample.js'

export interface ChatTarget {
  readonly port: number
  /** Of the chat. */
  readonly path: string
  /** Whether visitors need tokens, which they ask for at the chat. */
  readonly hasTokens: boolean
  /** What agents call with. */
  readonly agentToken: string
}

export type VisitorsRequest =
  | { readonly ask: 'connect'; readonly target: ChatTarget; readonly visitors: number }
  /** Each says one thing, so that the agent knows them all. */
  | { readonly ask: 'greet' }
  /** `people` are the visitors as the agent knows them; without them the visitors talk, with them the agent does. */
  | { readonly ask: 'talk'; readonly window: Window; readonly people?: readonly string[] }
  | { readonly ask: 'disconnect' }

export type VisitorsResponse =
  | { readonly answer: 'done' }
  | { readonly answer: 'measuring' }
  | { readonly answer: 'talked'; readonly sample: Sample }
  | { readonly answer: 'failed'; readonly why: string }

/** What a visitor calls the first thing it says. */
export const greetingOf = (visitor: number) => `hello-${visitor}`
export const visitorOfGreeting = (id: string) => (id.startsWith('hello-') ? Number(id.slice(6)) : undefined)
