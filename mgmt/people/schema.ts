/** Schemas of people as callers send and read them, and the filters of their list. */
import Type, { type TProperties } from 'typebox'
import { channelNames } from '../../core/channelnames.js'
import { person as limits, page } from '../../core/limits/index.js'
import { appointmentStatuses } from '../../core/people/appointment.js'
import { customPrefix } from '../../core/people/filter.js'
import {
  type ConsentStatus,
  consentStatuses,
  type PersonStatus,
  personStatuses,
  type TextField,
  textFields,
} from '../../core/people/person.js'

/** Common settings of the routes of people; the access to read, write and export. */
export const ofPeople = { plane: 'mgmt', tag: 'People' } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['people:read'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['people:write'] } as const
export const exportAccess = { who: 'member', role: 'viewer', scopes: ['people:export'] } as const

export const csvType = 'text/csv'

const optional = Type.Optional
const moment = Type.String({ format: 'date-time' })

function closed<P extends TProperties>(title: string, properties: P) {
  return Type.Object(properties, { additionalProperties: false, title })
}

/** One schema for each text field. */
function mapTextFields<S>(schemaOf: (field: TextField) => S): Record<TextField, S> {
  return Object.fromEntries(textFields.map((field) => [field, schemaOf(field)])) as Record<TextField, S>
}

const status = Type.Unsafe<PersonStatus>({ type: 'string', enum: [...personStatuses] })
const consentStatus = Type.Unsafe<ConsentStatus>({ type: 'string', enum: [...consentStatuses] })

const identityView = closed('PersonIdentity', {
  asid: Type.String(),
  channel: Type.Unsafe<string>({ type: 'string', enum: [...channelNames] }),
  address: optional(Type.String({ description: 'Only for callers that hold people:export.' })),
  optedOut: Type.Boolean(),
  lastSeenAt: optional(moment),
})

const journalEntry = closed('PersonJournalEntry', {
  at: moment,
  author: Type.Unsafe<'agent' | 'operator'>({ type: 'string', enum: ['agent', 'operator'] }),
  text: Type.String(),
})

export const personSchema = closed('Person', {
  id: Type.String(),
  ...mapTextFields(() => optional(Type.String())),
  status,
  source: Type.String(),
  tags: Type.Array(Type.String()),
  customFields: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  lockedFields: Type.Array(Type.String(), { description: 'Fields that only an operator changes.' }),
  consent: closed('PersonConsent', { status: consentStatus, updatedAt: optional(moment) }),
  identities: Type.Array(identityView),
  journal: optional(
    Type.Array(journalEntry, { description: `The last ${limits.shownJournalEntries}, newest first; not in lists.` }),
  ),
  lastCallAt: optional(moment),
  scheduledCallAt: optional(moment),
  importBatchId: optional(Type.String()),
  createdAt: moment,
  updatedAt: moment,
})

export const personList = closed('PersonList', {
  data: Type.Array(personSchema),
  nextPageToken: optional(
    Type.String({ description: 'There may be more, even where a page is short: a filter is looked for part by part.' }),
  ),
})

const texts = mapTextFields((field) => optional(Type.String({ maxLength: limits.textChars[field] })))
const textsOrNull = mapTextFields((field) =>
  optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: limits.textChars[field],
      description: 'Null clears it.',
    }),
  ),
)
const source = Type.String({ minLength: 1, maxLength: limits.sourceChars, pattern: '\\S' })
const tags = Type.Array(Type.String({ minLength: 1, maxLength: limits.tagChars }), { maxItems: limits.tags })
const lockedFields = Type.Array(Type.String({ minLength: 1, maxLength: limits.customKeyChars }), {
  maxItems: limits.lockedFields,
})
const customFields = Type.Unsafe<Record<string, string | number | boolean | null>>({
  type: 'object',
  maxProperties: limits.customFields,
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: limits.customValueChars },
  description: 'Key by key, kept as text; null takes a key away, and a key that is left out stays.',
})
const consent = closed('PersonConsentBody', { status: consentStatus })

const operatorFields = {
  status: optional(status),
  source: optional(source),
  tags: optional(tags),
  customFields: optional(customFields),
  lockedFields: optional(lockedFields),
  consent: optional(consent),
}

export const personCreate = closed('PersonCreate', { ...texts, ...operatorFields, scheduledCallAt: optional(moment) })

export const personPatch = closed('PersonPatch', {
  ...textsOrNull,
  ...operatorFields,
  scheduledCallAt: optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description: 'Null clears it.' }),
  ),
})

/** Core validates the values of filters, for lists, segments and campaigns alike. */
const filterText = Type.String()

const filters = {
  q: optional(
    Type.String({
      description:
        'A whole phone number or e-mail address, or words within names, contact or company; digits match a phone however it is written. Addresses of identities are searched for callers that hold people:export.',
    }),
  ),
  status: optional(filterText),
  tag: optional(filterText),
  consent: optional(filterText),
  source: optional(filterText),
  createdAfter: optional(filterText),
  createdBefore: optional(filterText),
}
const withCustomFields = {
  additionalProperties: false,
  patternProperties: { [`^${customPrefix.replace('.', '\\.')}.+$`]: { type: 'string' } },
}

export const personListQuery = Type.Object(
  {
    limit: optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: optional(Type.String({ maxLength: 1024 })),
    ...filters,
  },
  withCustomFields,
)
export const personExportQuery = Type.Object(filters, withCustomFields)

export const appointmentList = closed('AppointmentList', {
  data: Type.Array(
    closed('Appointment', {
      id: Type.String(),
      startUtc: moment,
      durationMinutes: Type.Integer(),
      prospectTimezone: Type.String(),
      status: Type.Unsafe<string>({ type: 'string', enum: [...appointmentStatuses] }),
      representativeName: optional(Type.String()),
      representativeTitle: optional(Type.String()),
      notes: optional(Type.String()),
      history: Type.Array(
        closed('AppointmentStep', {
          at: moment,
          action: Type.String(),
          from: optional(Type.String()),
          to: optional(Type.String()),
          reason: optional(Type.String()),
        }),
      ),
      createdAt: optional(moment),
    }),
  ),
})

export const mergeBody = closed('PersonMerge', {
  from: Type.String({ minLength: 1, maxLength: 64, description: 'Who turns out to be the same person, and goes.' }),
})

export const importAnswer = closed('PeopleImport', {
  importBatchId: Type.String(),
  created: Type.Integer(),
  updated: Type.Integer(),
  rejected: Type.Array(closed('PeopleImportRejected', { line: Type.Integer(), message: Type.String() }), {
    description: `The first ${limits.importRejectedShown} at most; rejectedCount says how many there are.`,
  }),
  rejectedCount: Type.Integer(),
  consentKept: Type.Integer({
    description: 'Rows that named another consent for a person whose consent is denied: the denial stays.',
  }),
  unknownColumns: Type.Array(Type.String(), {
    description: 'Columns that name no field of a person and no declared one: their cells became custom fields.',
  }),
})
