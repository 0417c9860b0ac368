/**
 * A person as an agent keeps one: what operators say of them, what the runtime knows, and the identities by which they
 * can be reached. Everything here is plain data and lives in the agent's shard.
 */
import type { ChannelName } from '../channelnames.js'

export const personStatuses = ['new', 'contacted', 'qualified', 'converted', 'lost'] as const
export type PersonStatus = (typeof personStatuses)[number]

export const consentStatuses = ['granted', 'denied', 'unknown'] as const
export type ConsentStatus = (typeof consentStatuses)[number]

/** Fields that hold text and that everybody has: operators, profiles and inputs may write them. */
export const textFields = [
  'fullName',
  'firstName',
  'lastName',
  'email',
  'phone',
  'company',
  'title',
  'notes',
  'timezone',
  'assignedRepresentativeId',
] as const
export type TextField = (typeof textFields)[number]

export interface Person extends Readonly<Partial<Record<TextField, string>>> {
  /** Begins with the time of its making, so people are in that order by their ids. */
  readonly id: string
  readonly status: PersonStatus
  readonly source: string
  readonly tags?: readonly string[]
  readonly customFields?: Readonly<Record<string, string>>
  /** Names of fields, custom ones included, that only an operator changes. */
  readonly lockedFields?: readonly string[]
  readonly consent: { readonly status: ConsentStatus; readonly updatedAt?: number }
  /** The runtime alone adds to them. No two people of an agent hold the same. */
  readonly identities: readonly PersonIdentity[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastCallAt?: number
  readonly scheduledCallAt?: number
  /** The import that read them in last, and all that did, oldest first, as far as they are kept. */
  readonly importBatchId?: string
  readonly importBatches?: readonly string[]
  /** Ids of records that were merged into this one, oldest first, as far as they are kept. */
  readonly formerIds?: readonly string[]
  /** What outreach remembers of them. */
  readonly outreach?: OutreachHistory
  /** It is a persona's: in no live list, and not to be addressed as a person. */
  readonly sandbox?: true
}

export interface PersonIdentity {
  readonly asid: string
  readonly channel: ChannelName
  /** For the provider and for callers who may export people, and for nobody else. */
  readonly address: string
  /** A copy of what the conversation decided, for lists; the conversation itself has the last word at every send. */
  readonly optedOutAt?: number
  /** When they last opted out or in: what happened before that is old news. */
  readonly consentAt?: number
  readonly lastSeenAt?: number
  /** At a number that is not the person's phone any more: kept for this send, with which it goes. */
  readonly reservedFor?: string
}

export interface OutreachHistory {
  /** When a marketing opening last went out to them. */
  readonly marketingAt?: number
  /** Outreaches whose opening went out to them. */
  readonly received?: readonly string[]
}

/** What a conversation tells the people of its agent: somebody was heard of, or opted out or in again. */
export interface IdentityEvent {
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
  readonly at: number
  readonly kind: 'seen' | 'optedOut' | 'optedIn'
  /** With `seen`: since when the identity has been opted out, if it is. */
  readonly optedOutAt?: number
}
