/** The page's calls to the node that served it, authorized by a ticket. */
import type { Preview } from '../../../core/render/preview.js'
import type { TurnRecord } from '../../../core/turn/record.js'

export type Channel = 'rcs' | 'sms' | 'messengerA' | 'vendorMessages'

/** An agent with the phones around it. */
export interface EmulatorScene {
  readonly name: string
  readonly agentId: string
  readonly mode: 'managed' | 'webhook'
  /** What a person may write first. */
  readonly suggestions: readonly string[]
  readonly phones: readonly { readonly channel: Channel; readonly provider: string; readonly address: string }[]
  readonly chatUrl?: string
}

export interface Stage {
  readonly agents: readonly EmulatorScene[]
  readonly pollMs: number
  readonly compileAfterMs: number
  /** Longest picture in base64 characters. */
  readonly pictureChars: number
}

export type Act =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tap'; readonly label: string; readonly postback: string; readonly number: number }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly label?: string }
  /** Without `url` the picture is no longer stored. */
  | { readonly kind: 'media'; readonly type: string; readonly name: string; readonly url?: string }
  | { readonly kind: 'stop' | 'optOut' | 'offline' | 'online' | 'lose' | 'regain' }

/** A picture that a phone sends, in base64. */
export interface Picture {
  readonly name: string
  readonly type: string
  readonly data: string
}

export interface SentMessage {
  readonly number: number
  readonly providerId: string
  readonly body: unknown
  readonly at: number
}
export type State = 'queued' | 'sent' | 'delivered' | 'read' | 'failed'
export interface MessageStatus {
  readonly messageId: string
  readonly at: number
  readonly state: State
  readonly providerIds: readonly string[]
}
/** A message of the agent that the node refused. */
export interface RefusedMessage {
  readonly number: number
  readonly at: number
  readonly reason: string
}
export interface PerformedAct {
  readonly number: number
  readonly channel: Channel
  readonly at: number
  readonly act: Act
}
export interface Updates {
  readonly phones: readonly {
    readonly channel: Channel
    readonly isOffline: boolean
    readonly isLost: boolean
    readonly isOptedOut: boolean
    readonly sent: readonly SentMessage[]
    readonly fares: readonly MessageStatus[]
    readonly refusals: readonly RefusedMessage[]
  }[]
  readonly acts: readonly PerformedAct[]
  readonly chat: readonly TranscriptEntry[]
}
/** A transcript entry of the web chat, with enough of its text to recognize it. */
export interface TranscriptEntry {
  readonly cursor: number
  readonly at: number
  readonly by: 'agent' | 'visitor'
  readonly words: string
}

/** Everything on record about a bubble. */
export interface Details {
  readonly [member: string]: unknown
  /** The turn in which a managed agent sent the message. */
  readonly turn?: TurnRecord
}

export interface Diagnostic {
  readonly line: number
  readonly column: number
  readonly code: string
  readonly message: string
}
export interface CompileResult {
  readonly problems: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
  readonly message?: unknown
  readonly renderings?: Readonly<Record<string, Preview>>
}

/** The ticket is missing, or the node refused it: wrong, of another installation, or expired. */
export class TicketError extends Error {
  constructor(readonly wasRefused = false) {
    super()
  }
}

/** The node did not answer. */
export class Unreachable extends Error {
  override readonly message = 'The node does not answer. Nothing was sent.'
}

const key = 'parley-emulator-ticket'
let ticket = sessionStorage.getItem(key) ?? ''

/** Removes the ticket from the address, so that a copied address does not contain it. */
export function readTicket(): void {
  const received = location.hash.slice(1)
  if (!received.startsWith('ep1.')) return
  saveTicket(received)
  history.replaceState(null, '', location.pathname)
}

function saveTicket(value: string): void {
  ticket = value
  sessionStorage.setItem(key, value)
}

function ticketHeader(): Record<string, string> {
  if (!ticket) throw new TicketError()
  return { 'x-emulator-ticket': ticket }
}

async function call<R>(method: string, path: string, body?: unknown, headers = ticketHeader()): Promise<R> {
  const answer = await fetch(`v1/system/emulator/${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Unreachable()
  })
  if (answer.status === 401 || answer.status === 403) throw new TicketError(true)
  const answerBody = await answer.json()
  if (!answer.ok)
    throw new Error(answerBody.errors?.[0]?.message ?? answerBody.detail ?? answerBody.title ?? 'That did not work.')
  return answerBody as R
}

export async function signIn(apiKey: string): Promise<void> {
  const { ticket: newTicket } = await call<{ ticket: string }>('POST', 'tickets', undefined, {
    authorization: `Bearer ${apiKey}`,
  })
  saveTicket(newTicket)
}

const name = encodeURIComponent
const visitorQuery = (visitor: string | undefined) => (visitor === undefined ? '' : `visitor=${name(visitor)}`)

export const fetchStage = () => call<Stage>('GET', 'stage')

/** The calls about one agent. */
export function createAgentApi(agentId: string) {
  const path = `stage/${name(agentId)}`
  return {
    /** Transcript entries are those of this visitor. */
    fetchUpdates: (sent: number, acts: number, visitor?: string) =>
      call<Updates>('GET', `${path}/news?sent=${sent}&acts=${acts}&${visitorQuery(visitor)}`),
    act: (channel: Channel, userAct: Act) => call<unknown>('POST', `${path}/phones/${channel}/_act`, userAct),
    sendPicture: (channel: Channel, picture: Picture) =>
      call<unknown>('POST', `${path}/phones/${channel}/_picture`, picture),
    fetchMessage: (channel: Channel, id: string) =>
      call<Details>('GET', `${path}/phones/${channel}/messages/${name(id)}`),
    fetchAct: (number: number) => call<Details>('GET', `${path}/acts/${number}`),
    fetchTranscriptEntry: (cursor: number, visitor?: string) =>
      call<Details>('GET', `${path}/chat/lines/${cursor}?${visitorQuery(visitor)}`),
    sendAs: (channel: Channel | 'webchat', aml: string, visitor?: string) =>
      call<{ readonly accepted: boolean; readonly reason?: string }>('POST', `${path}/_say`, { channel, aml, visitor }),
    compile: (aml: string) => call<CompileResult>('POST', `${path}/_compile`, { aml }),
  }
}
export type AgentApi = ReturnType<typeof createAgentApi>
