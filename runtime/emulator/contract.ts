/** What the emulator page works with: phones of one agent, each with an account at an emulated provider. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'

/** The phone of a person on one channel. */
export interface Phone {
  readonly channel: ChannelName
  readonly provider: string
  /** At the emulated provider. */
  readonly account: string
  readonly address: string
  /** Whose conversation it is. */
  readonly asid: string
}

/** The agent that people meet on the page, and what they meet it with. */
export interface EmulatorScene extends AgentRef {
  readonly name: string
  readonly zone: string
  readonly phones: readonly Phone[]
  /** Web chat as a page of its own; absent while the agent has none. */
  readonly chatUrl?: string
  /** The conversation of a visitor of the web chat. */
  readonly asidOfVisitor: (visitorId: string) => string
}

/** One message that an emulated provider accepted. */
export interface SentMessage {
  readonly number: number
  readonly account: string
  readonly providerId: string
  readonly body: unknown
  readonly at: number
}

export type ActOutcome =
  | { readonly kind: 'performed'; readonly calls: number; readonly taken: boolean }
  | { readonly kind: 'impossible'; readonly why: string }

/** The emulated providers, as far as a page needs them. */
export interface EmulatedProviders {
  sent(after: number, of: { readonly account: string }): readonly SentMessage[]
  act(account: string, address: string, act: PhoneAct): Promise<ActOutcome>
  /** Has the phone not be reached on that channel any more, or again. */
  setReachable(account: string, reachable: boolean): void
}

/** A picture, which its address holds. */
export interface PictureAct {
  readonly kind: 'media'
  readonly url: string
  readonly type: string
  readonly name: string
}

/** What a person does with a phone, as emulated providers understand it. */
export type PhoneAct =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tap'; readonly postback: string; readonly number: number }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly label?: string }
  | PictureAct
  | { readonly kind: 'typing' | 'read' | 'stop' | 'optOut' | 'optIn' | 'offline' | 'online' }

/** The same on the page, where phones can also go out of a channel's reach, and where taps are called as they are seen. */
export type PageAct =
  | Exclude<PhoneAct, { kind: 'tap' }>
  | (Extract<PhoneAct, { kind: 'tap' }> & { readonly label: string })
  | { readonly kind: 'lose' | 'regain' }
