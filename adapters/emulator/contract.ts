/** The interface of an emulated provider: how it parses calls, what it reports to customers, which acts people have. */
import type { ActiveFaults } from './faults.js'

/** Providers of channels. */
const channelProviderNames = ['rbm', 'twilio', 'smpp', 'whatsapp', 'messenger', 'instagram', 'apple', 'slack'] as const
export type ChannelProviderName = (typeof channelProviderNames)[number]

/** Providers by which agents reach the team of the business: two of mail, and an incoming webhook of a chat. */
export const providerNames = [...channelProviderNames, 'sendgrid', 'mailgun', 'chathook'] as const
export type ProviderName = (typeof providerNames)[number]

/** One customer of a provider. `auth` is pasted into a binding unchanged. */
export interface Account {
  readonly id: string
  readonly wire: ProviderName
  readonly auth: Readonly<Record<string, unknown>>
  /** The address that the provider calls; without it the provider calls nowhere. */
  readonly ingressUrl?: string
  /** Whether read receipts come automatically, where the provider reports reads. */
  readonly reads: boolean
}

/** One message that the provider accepted. */
export interface AcceptedMessage {
  /** Counts all accepted messages of this process; readers page by it. */
  readonly number: number
  readonly account: string
  readonly provider: ProviderName
  readonly address: string
  readonly providerId: string
  /** The body as received: JSON, a form or a PDU. */
  readonly body: unknown
  readonly at: number
}

export interface EmulatorRequest {
  readonly method: string
  /** Without the path prefix of the provider. */
  readonly path: string
  readonly query: URLSearchParams
  readonly header: (name: string) => string
  readonly body: Buffer
}

/** `body` is JSON unless it is a text, or bytes with a `type` of their own. */
export interface EmulatorAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly type?: string
}

/** A parsed call: either an immediate answer, or a call about one person that is not performed yet. */
export type ParsedCall = EmulatorAnswer | PersonCall

export interface PersonCall {
  readonly account: Account
  readonly address: string
  /** Faults apply to messages only, unless a fault has `allCalls`. */
  readonly kind: 'message' | 'other'
  /** Replaces the provider's usual answer to a call that is not authenticated. */
  readonly unauthorized?: EmulatorAnswer
  perform(accept: Accept): Promise<EmulatorAnswer> | EmulatorAnswer
}

/** Stores a message and schedules its receipts. Resolves when the call may be answered. */
export type Accept = (providerId: string, body: unknown, receipts: readonly Receipt[]) => Promise<void>

/** The state of a person for an account at the provider. */
export type RecipientStatus = 'well' | 'unreachable' | 'blocked' | 'optedOut'

export type ReceiptState = 'sent' | 'delivered' | 'read' | 'failed' | 'echo'
export interface Receipt {
  readonly state: ReceiptState
  /** The provider's own error code. */
  readonly code?: number
}

/** One call of the provider to its customer. */
export interface WebhookCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}
/** One PDU over a session that the customer keeps open. */
export interface SmppCall {
  readonly pdu: Readonly<Record<string, unknown>>
}
export type Call = WebhookCall | SmppCall

/** The customer's answer to a call. */
export interface WebhookAnswer {
  readonly status: number
  readonly header: (name: string) => string
  readonly body: string
}

/** A tappable element of a message. */
export interface Tap {
  readonly label: string
  readonly postback: string
  readonly row?: true
  /** The part of the message that the provider repeats when the element is tapped. */
  readonly part: unknown
}

export type Act =
  | { readonly kind: 'text'; readonly text: string }
  /**
   * Finds the element by its label, its postback or its index, in the message of that number or in the newest message
   * that has it.
   */
  | {
      readonly kind: 'tap' | 'row'
      readonly label?: string
      readonly postback?: string
      readonly index?: number
      readonly number?: number
    }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly label?: string }
  | { readonly kind: 'media'; readonly url: string; readonly type: string; readonly name?: string }
  | { readonly kind: 'typing' | 'read' | 'stop' | 'optOut' | 'optIn' }
  /**
   * The phone is switched off or on. The provider reports nothing; receipts of messages sent meanwhile come after
   * `online`.
   */
  | { readonly kind: 'offline' | 'online' }
  /**
   * The person changes to a device with these capabilities only; the provider reports them from then on in its own way.
   */
  | { readonly kind: 'device'; readonly abilities: readonly string[] }

/** A file that a person sent and that its provider serves to the account only. */
export interface SentFile {
  readonly address: string
  /** The address of the file; a `data:` URL contains the file itself. */
  readonly url: string
  readonly type: string
}

/** An act as the provider reports it; a tap includes the element that was found. */
export type UserAct =
  | Exclude<Act, { kind: 'tap' | 'row' } | { kind: 'offline' | 'online' } | { kind: 'device' }>
  | { readonly kind: 'tap'; readonly tap: Tap; readonly accepted: AcceptedMessage }

/** What a provider uses while it handles a call. */
export interface EmulatorContext {
  now(): number
  /** A new id of the provider, in hex. */
  newId(bytes: number): string
  accounts(provider: ProviderName): readonly Account[]
  recipientStatus(account: Account, address: string): RecipientStatus
  /** Capabilities of the person's device, in words of the provider: all of them until a `device` act narrows them. */
  deviceCapabilities(account: Account, address: string): readonly string[]
  /** When the person was last active towards the account. */
  lastActiveAt(account: Account, address: string): number | undefined
  /** Whether `recordId` recorded this id for the account. */
  hasId(account: Account, id: string): boolean
  recordId(account: Account, id: string): void
  /** Stores a file under a name of the provider. Bounded: the oldest file is dropped. */
  saveFile(account: Account, name: string, file: SentFile): void
  fileOf(account: Account, name: string): SentFile | undefined
  setOptedOut(account: Account, address: string, optedOut: boolean): void
  /** All stored messages for the person, oldest first. */
  messagesFor(account: Account, address: string): readonly AcceptedMessage[]
  find(account: Account, providerId: string): AcceptedMessage | undefined
  /** False when the message was delivered already. */
  revoke(account: Account, providerId: string): boolean
  /** The faults drawn for the call that brought the message. */
  faultsFor(accepted: AcceptedMessage): ActiveFaults
}

export type Mint = (field: string, length: number, alphabet?: string) => string

export interface ServerAddresses {
  /** Where this account's provider is served. */
  readonly httpUrl: string
  readonly smppHost: string
  readonly smppPort: number
}

export interface EmulatedProvider {
  readonly name: ProviderName
  /** First part of the path of its calls; absent for a provider without HTTP. */
  readonly prefix?: string
  /** All device capabilities, where the provider reports them. */
  readonly deviceCapabilities?: readonly string[]
  /** Delays before each retry of a call that the customer did not accept. */
  readonly retryAfterMs: readonly number[]
  /** Headers of a call that is sent again, where the provider counts its retries. */
  retryHeaders?(retries: number): Readonly<Record<string, string>>
  /** Whether the customer's answer asks the provider not to call again. */
  refusesRetry?(answer: WebhookAnswer): boolean
  /** Timeout of a call to the customer. */
  readonly timeoutMs: number
  /** The credentials that an operator copies into a binding. The same account always gets the same ones. */
  credentials(
    mint: Mint,
    addresses: ServerAddresses,
    seed: (label: string) => Buffer,
  ): Readonly<Record<string, unknown>>
  /** Normalizes an address to the provider's spelling. */
  address(text: string): string
  /** Undefined for a request that is not for this provider. */
  read?(request: EmulatorRequest, context: EmulatorContext): ParsedCall | undefined
  /** The answer of a fault, independent of the request. */
  refusal?(status: number, retryAfterSeconds?: number): EmulatorAnswer
  receiptCallback(
    account: Account,
    accepted: AcceptedMessage,
    receipt: Receipt,
    context: EmulatorContext,
  ): Call | undefined
  /** The calls by which the provider reports an act, or a sentence why the provider has no such act. */
  callbacksFor(account: Account, address: string, userAct: UserAct, context: EmulatorContext): readonly Call[] | string
  taps(body: unknown): readonly Tap[]
  /** The call by which the provider verifies a new callback address, and the answer that it expects. */
  greeting?(account: Account, context: EmulatorContext): { readonly call: WebhookCall; readonly answer: string }
}
