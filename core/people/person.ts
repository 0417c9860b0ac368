/**
 * A person in an agent's people: fields that operators set, data of the runtime, and the identities by which they can
 * be reached. All of it is plain data and lives in the agent's shard.
 */
import type { ChannelName } from '../channelnames.js'

export const personStatuses = ['new', 'contacted', 'qualified', 'converted', 'lost'] as const
export type PersonStatus = (typeof personStatuses)[number]

export const consentStatuses = ['granted', 'denied', 'unknown'] as const
export type ConsentStatus = (typeof consentStatuses)[number]

/** Text fields that every person has: operators, profiles and inputs may write them. */
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
  /** Starts with the time of creation, so people sort by id in that order. */
  readonly id: string
  readonly status: PersonStatus
  readonly source: string
  readonly tags?: readonly string[]
  readonly customFields?: Readonly<Record<string, string>>
  /** Names of fields, custom ones included, that only an operator changes. */
  readonly lockedFields?: readonly string[]
  readonly consent: { readonly status: ConsentStatus; readonly updatedAt?: number }
  /** Only the runtime adds identities. No two people of an agent hold the same one. */
  readonly identities: readonly PersonIdentity[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastCallAt?: number
  readonly scheduledCallAt?: number
  /** The last import that contained the person, and all that did, oldest first, up to a limit. */
  readonly importBatchId?: string
  readonly importBatches?: readonly string[]
  /** Ids of records that were merged into this one, oldest first, up to a limit. */
  readonly formerIds?: readonly string[]
  /** The person's outreach so far. */
  readonly outreach?: OutreachHistory
  /** A persona's person: in no live list, and never addressed as a person. */
  readonly sandbox?: true
}

/** The person as an agent may know them: notes and tags are for operators alone. */
export function withoutOperatorFields({ notes: _notes, tags: _tags, ...person }: Person): Person {
  return person
}

export interface PersonIdentity {
  readonly asid: string
  readonly channel: ChannelName
  /** Only for the provider and for callers who may export people. */
  readonly address: string
  /** A copy of the conversation's decision, for lists; every send asks the conversation itself. */
  readonly optedOutAt?: number
  /** When they last opted out or in: earlier events are stale. */
  readonly consentAt?: number
  readonly lastSeenAt?: number
  /** At a number that no longer is the person's phone: the identity is removed when this send has left. */
  readonly reservedFor?: string
}

export interface OutreachHistory {
  /** When a marketing opener last went out to them. */
  readonly marketingAt?: number
  /** Outreaches whose opener went out to them. */
  readonly received?: readonly string[]
}

/** A conversation's report to the people of its agent: an identity was seen, opted out or opted in again. */
export interface IdentityEvent {
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
  readonly at: number
  readonly kind: 'seen' | 'optedOut' | 'optedIn'
  /** With `seen`: since when the identity has been opted out, if it is. */
  readonly optedOutAt?: number
}
