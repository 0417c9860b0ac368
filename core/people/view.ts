/** People as callers read them: times as text, and addresses only for those who may export people. */
import type { Appointment } from './appointment.js'
import type { Person, TextField } from './person.js'
import { textFields } from './person.js'

export interface JournalEntry {
  readonly at: number
  readonly author: 'agent' | 'operator'
  readonly text: string
}

export interface PersonViewOptions {
  /** The caller holds people:export. */
  readonly showsAddresses: boolean
  /** Newest first; absent in lists. */
  readonly journal?: readonly JournalEntry[]
}

const iso = (at: number) => new Date(at).toISOString()

export function personView(person: Person, { showsAddresses, journal }: PersonViewOptions) {
  const { id, status, source, tags, customFields, lockedFields, consent, importBatchId } = person
  return {
    id,
    ...textsOf(person),
    status,
    source,
    tags: [...(tags ?? [])],
    customFields: { ...customFields },
    lockedFields: [...(lockedFields ?? [])],
    consent: { status: consent.status, ...time('updatedAt', consent.updatedAt) },
    identities: person.identities.map(({ asid, channel, address, optedOutAt, lastSeenAt }) => ({
      asid,
      channel,
      ...(showsAddresses && { address }),
      optedOut: optedOutAt !== undefined,
      ...time('lastSeenAt', lastSeenAt),
    })),
    ...(journal && { journal: journal.map(({ at, author, text }) => ({ at: iso(at), author, text })) }),
    ...time('lastCallAt', person.lastCallAt),
    ...time('scheduledCallAt', person.scheduledCallAt),
    ...(importBatchId !== undefined && { importBatchId }),
    createdAt: iso(person.createdAt),
    updatedAt: iso(person.updatedAt),
  }
}
export type PersonView = ReturnType<typeof personView>

/** The text fields of a person that are set. */
export function textsOf(person: Person): Partial<Record<TextField, string>> {
  const present = textFields.filter((field) => person[field] !== undefined)
  return Object.fromEntries(present.map((field) => [field, person[field]]))
}

function time<N extends string>(name: N, at: number | undefined): { [K in N]?: string } {
  return (at === undefined ? {} : { [name]: iso(at) }) as { [K in N]?: string }
}

export function appointmentView({ startUtc, history, createdAt, representativeId: _id, ...rest }: Appointment) {
  return {
    ...rest,
    startUtc: iso(startUtc),
    history: history.map(({ at, callId: _call, ...step }) => ({ at: iso(at), ...step })),
    ...time('createdAt', createdAt),
  }
}

/** The approximate size of a person's text, which limits the number of people in one answer. */
export function charsOf(person: Person): number {
  let chars = 0
  for (const field of textFields) chars += person[field]?.length ?? 0
  for (const value of Object.values(person.customFields ?? {})) chars += value.length
  return chars
}
