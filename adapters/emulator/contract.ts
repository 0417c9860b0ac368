/** What a provider's wire is to the emulator: how it reads calls, what it tells, and what a person can do on it. */
import type { ActiveFaults } from './faults.js'

export const providerNames = ['rbm', 'twilio', 'smpp', 'whatsapp', 'messenger', 'instagram', 'apple', 'slack'] as const
export type ProviderName = (typeof providerNames)[number]

/** One customer of a provider. `auth` goes into a binding as it is. */
export interface Account {
  readonly id: string
  readonly wire: ProviderName
  readonly auth: Readonly<Record<string, unknown>>
  /** Where the provider tells what happens; absent, nobody is told. */
  readonly ingressUrl?: string
  /** People read what they get by themselves, as far as the provider tells of it. */
  readonly reads: boolean
}

/** One message that the provider accepted. */
export interface AcceptedMessage {
  /** Counts everything accepted in this process, so that a reader can go on from there. */
  readonly number: number
  readonly account: string
  readonly wire: ProviderName
  readonly address: string
  readonly providerId: string
  /** As it came: the JSON, the form or the PDU. */
  readonly body: unknown
  readonly at: number
}

export interface EmulatorRequest {
  readonly method: string
  /** Below the prefix of the wire. */
  readonly path: string
  readonly query: URLSearchParams
  readonly header: (name: string) => string
  readonly body: Buffer
}

/** `body` is JSON unless it is a text or bytes with a `type` of its own. */
export interface EmulatorAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly type?: string
}

/** What a call wants, before anything was done about it: an answer at once, or something about one person. */
export type ParsedCall = EmulatorAnswer | PersonCall

export interface PersonCall {
  readonly account: Account
  readonly address: string
  /** Faults are for messages, unless they are for all calls. */
  readonly what: 'message' | 'other'
  /** What comes in place of the wire's usual answer to whoever is not let in. */
  readonly unauthorized?: EmulatorAnswer
  perform(accept: Accept): Promise<EmulatorAnswer> | EmulatorAnswer
}

/** Keeps a message and has its receipts told. Resolves when the call may be answered. */
export type Accept = (providerId: string, body: unknown, receipts: readonly Receipt[]) => Promise<void>

/** How a person stands to an account at the provider. */
export type RecipientStatus = 'well' | 'unreachable' | 'blocked' | 'optedOut'

export type ReceiptState = 'sent' | 'delivered' | 'read' | 'failed' | 'echo'
export interface Receipt {
  readonly state: ReceiptState
  /** The provider's own word for a failure. */
  readonly code?: number
}

/** One call of the provider to its customer. */
export interface WebhookCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}
/** The same over a line that the customer holds open. */
export interface SmppCall {
  readonly pdu: Readonly<Record<string, unknown>>
}
export type Call = WebhookCall | SmppCall

/** Something in a message that can be tapped. */
export interface Tap {
  readonly label: string
  readonly postback: string
  readonly row?: true
  /** What the provider repeats of it when it is tapped. */
  readonly part: unknown
}

export type Act =
  | { readonly kind: 'text'; readonly text: string }
  /**
   * By its label, by what it returns, or by its place among what can be tapped; in the message of that number, or in the
   * newest that has it.
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
  /** The phone is switched off or on: nobody is told, and what is sent meanwhile arrives afterwards. */
  | { readonly kind: 'offline' | 'online' }
  /** The person takes up another device, which can do this and no more; from then on the provider tells so in its way. */
  | { readonly kind: 'device'; readonly abilities: readonly string[] }

/** A file that a person sent, which its provider gives to the account alone. */
export interface SentFile {
  readonly address: string
  /** Where it is; `data:` holds the file itself. */
  readonly url: string
  readonly type: string
}

/** An act that became something for the wire to tell; a tap has found what it taps. */
export type UserAct =
  | Exclude<Act, { kind: 'tap' | 'row' } | { kind: 'offline' | 'online' } | { kind: 'device' }>
  | { readonly kind: 'tap'; readonly tap: Tap; readonly accepted: AcceptedMessage }

/** What a wire is given to work with. */
export interface EmulatorContext {
  now(): number
  /** A new id of the provider's, in hex. */
  newId(bytes: number): string
  accounts(wire: ProviderName): readonly Account[]
  recipientStatus(account: Account, address: string): RecipientStatus
  /** What the person's device can do, in words of the provider: everything, unless another was taken up. */
  abilities(account: Account, address: string): readonly string[]
  /** When the person last did something towards the account. */
  lastActiveAt(account: Account, address: string): number | undefined
  /** Whether the provider called something that the person did by that name. */
  hasId(account: Account, id: string): boolean
  recordId(account: Account, id: string): void
  /** Keeps a file under a name of the provider's. The oldest is forgotten when there are too many. */
  saveFile(account: Account, name: string, file: SentFile): void
  fileOf(account: Account, name: string): SentFile | undefined
  setOptedOut(account: Account, address: string, optedOut: boolean): void
  /** Everything that was kept for the person, oldest first. */
  messagesFor(account: Account, address: string): readonly AcceptedMessage[]
  find(account: Account, providerId: string): AcceptedMessage | undefined
  /** False when it has arrived already. */
  revoke(account: Account, providerId: string): boolean
  /** The faults that were drawn for the call it came with. */
  faultsFor(accepted: AcceptedMessage): ActiveFaults
}

export type Mint = (field: string, length: number, alphabet?: string) => string

export interface ServerAddresses {
  /** Where the wire of this account is served. */
  readonly httpUrl: string
  readonly smppHost: string
  readonly smppPort: number
}

export interface EmulatedProvider {
  readonly name: ProviderName
  /** First part of the path of its calls; absent for a wire that is no HTTP. */
  readonly prefix?: string
  /** What devices can do, where the provider tells. */
  readonly abilities?: readonly string[]
  /** Waits before each further try of a call that was not taken. */
  readonly retryAfterMs: readonly number[]
  /** How long a call may take. */
  readonly timeoutMs: number
  /** What an operator copies into a binding. The same for the same account, each time. */
  credentials(
    mint: Mint,
    addresses: ServerAddresses,
    seed: (label: string) => Buffer,
  ): Readonly<Record<string, unknown>>
  /** The one spelling of an address on this wire. */
  address(text: string): string
  /** Undefined for what is not for this wire. */
  read?(request: EmulatorRequest, context: EmulatorContext): ParsedCall | undefined
  /** A refusal that has nothing to do with what was asked. */
  refusal?(status: number, retryAfterSeconds?: number): EmulatorAnswer
  receiptCallback(
    account: Account,
    accepted: AcceptedMessage,
    receipt: Receipt,
    context: EmulatorContext,
  ): Call | undefined
  /** What the provider tells of a deed, or why there is no such thing here. */
  callbacksFor(account: Account, address: string, userAct: UserAct, context: EmulatorContext): readonly Call[] | string
  taps(body: unknown): readonly Tap[]
  /** How the provider makes itself known at a new address, and what has to come back. */
  greeting?(account: Account, context: EmulatorContext): { readonly call: WebhookCall; readonly answer: string }
}
