/** The messages between a candidate and the process of its visitors. */
import type { Sample, Window } from '../../harness/sample.js'

export interface ChatTarget {
  readonly port: number
  /** Path of the chat. */
  readonly path: string
  /** Whether visitors need tokens, which they get from the chat. */
  readonly hasTokens: boolean
  /** The token of the agent's calls. */
  readonly agentToken: string
}

export type VisitorsRequest =
  | { readonly ask: 'connect'; readonly target: ChatTarget; readonly visitors: number }
  /** Each visitor writes once, so that the agent knows them all. */
  | { readonly ask: 'greet' }
  /** `people` are the visitors' ids at the agent. Without them the visitors write, with them the agent does. */
  | { readonly ask: 'talk'; readonly window: Window; readonly people?: readonly string[] }
  | { readonly ask: 'disconnect' }

export type VisitorsResponse =
  | { readonly answer: 'done' }
  | { readonly answer: 'measuring' }
  | { readonly answer: 'talked'; readonly sample: Sample }
  | { readonly answer: 'failed'; readonly why: string }

/** The id of a visitor's first message. */
export const greetingOf = (visitor: number) => `hello-${visitor}`
export const visitorOfGreeting = (id: string) => (id.startsWith('hello-') ? Number(id.slice(6)) : undefined)
