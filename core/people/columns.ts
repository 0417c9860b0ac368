/** Columns of a CSV file of people: from a header to a field, and from a row to a change of a person. */
import { channelNames } from '../channelnames.js'
import { type FieldError, invalidAll, type Refusal, refuse } from '../errors.js'
import { isRecord, parseJson } from '../json.js'
import { person as limits } from '../limits/index.js'
import { isMoment } from '../moment.js'
import type { Writable } from '../writable.js'
import { isPossiblePhone, phoneOf } from './address.js'
import { isCustomKey, nulError, type PersonChange, textError } from './change.js'
import { cellValue, type Delimiter, listText, listValues } from './csv.js'
import { type CustomFieldType, customTypeFaults, customValueError, type DeclaredField } from './customfields.js'
import { customPrefix } from './filter.js'
import { emailOf, type IndexKey } from './indexes.js'
import { numberOf, phoneNumberOf } from './numbers.js'
import {
  consentStatuses,
  type Person,
  type PersonIdentity,
  personStatuses,
  type TextField,
  textFields,
} from './person.js'

/** One row: the keys that find its person, and the change. */
export interface ImportRow {
  readonly id?: string
  readonly indexKeys: readonly IndexKey[]
  /** Addresses that have a number; only in a row without a phone. */
  readonly addresses?: readonly ReachableAddress[]
  readonly change: PersonChange
}

type ReachableAddress = Pick<PersonIdentity, 'channel' | 'address'>
type Draft = Writable<PersonChange> & { id?: string; addresses?: readonly ReachableAddress[] }

interface Column {
  /** The name in the header. */
  readonly name: string
  /** Reads a cell that is not blank into the draft, or returns its fault. Absent: an import ignores the column. */
  readonly read?: (cell: string, draft: Draft) => string | undefined
  readonly write: (person: Person) => string
}

const isoTime = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString())

function textColumn(field: TextField): Column {
  return {
    name: field,
    read(cell, draft) {
      draft[field] = cell
      return textError(field, cell)
    },
    write: (person) => (field === 'phone' ? (phoneNumberOf(person) ?? person.phone) : person[field]) ?? '',
  }
}

function choice<V extends string>(values: readonly V[], assign: (draft: Draft, value: V) => void): Column['read'] {
  return (cell, draft) => {
    const match = values.find((value) => value === cell.trim().toLowerCase())
    if (!match) return `must be one of ${values.join(', ')}`
    assign(draft, match)
    return undefined
  }
}

function listColumn(name: 'tags' | 'lockedFields', maxItems: number, maxChars: number): Column {
  return {
    name,
    read(cell, draft) {
      const values = listValues(cell)
      draft[name] = values
      if (values.length > maxItems) return `has more than ${maxItems} entries`
      return values.some((value) => value.length > maxChars) ? `has an entry of over ${maxChars} characters` : undefined
    },
    write: (person) => listText(person[name] ?? []),
  }
}

function customColumn(key: string, type?: CustomFieldType): Column {
  return {
    name: `${customPrefix}${key}`,
    read(cell, draft) {
      draft.customFields = { ...draft.customFields, [key]: cell }
      if (cell.length > limits.customValueChars) return `is longer than ${limits.customValueChars} characters`
      return customValueError(type, cell)
    },
    write: ({ customFields = {} }) => (Object.hasOwn(customFields, key) ? customFields[key]! : ''),
  }
}

/** Custom fields without a column of their own, as JSON. */
function otherCustomColumn(declared: readonly DeclaredField[]): Column {
  const declaredKeys = new Set(declared.map(({ key }) => key))
  return {
    name: 'customFields',
    read(cell, draft) {
      const fields = parseFields(cell)
      if (!fields) return 'must be a JSON object of texts'
      const [error] = customTypeFaults(fields, declared)
      if (error) return `${error.field} ${error.message}`
      draft.customFields = { ...fields, ...draft.customFields }
      return undefined
    },
    write({ customFields = {} }) {
      const rest = Object.entries(customFields).filter(([key]) => !declaredKeys.has(key))
      return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest))
    },
  }
}

function parseFields(cell: string): Record<string, string> | undefined {
  const fields = parseJson(cell)
  if (!isRecord(fields) || !Object.values(fields).every((value) => typeof value === 'string')) return undefined
  return fields as Record<string, string>
}

/** Other addresses are internal, and mean nothing outside. */
function parseAddresses(text: string): ReachableAddress[] {
  const [, channel, address] = /^([^:]*):(.*)$/s.exec(text) ?? []
  const name = channelNames.find((each) => each === channel)
  const number = name && numberOf({ channel: name, address: address! })
  return name && number !== undefined && isPossiblePhone(number) ? [{ channel: name, address: number }] : []
}

const personColumns: readonly Column[] = [
  {
    name: 'id',
    read(cell, draft) {
      draft.id = cell.trim()
      return undefined
    },
    write: ({ id }) => id,
  },
  ...textFields.map(textColumn),
  {
    name: 'status',
    read: choice(personStatuses, (draft, status) => {
      draft.status = status
    }),
    write: ({ status }) => status,
  },
  {
    name: 'source',
    read(cell, draft) {
      draft.source = cell
      return cell.length > limits.sourceChars ? `is longer than ${limits.sourceChars} characters` : undefined
    },
    write: ({ source }) => source,
  },
  listColumn('tags', limits.tags, limits.tagChars),
  {
    name: 'consent',
    read: choice(consentStatuses, (draft, status) => {
      draft.consent = { status }
    }),
    write: ({ consent }) => consent.status,
  },
  listColumn('lockedFields', limits.lockedFields, limits.customKeyChars),
  {
    name: 'scheduledCallAt',
    read(cell, draft) {
      draft.scheduledCallAt = Date.parse(cell)
      return isMoment(cell.trim()) ? undefined : 'must be a moment in ISO 8601'
    },
    write: ({ scheduledCallAt }) => isoTime(scheduledCallAt),
  },
  { name: 'lastCallAt', write: ({ lastCallAt }) => isoTime(lastCallAt) },
  {
    name: 'identities',
    read(cell, draft) {
      draft.addresses = listValues(cell).flatMap(parseAddresses).slice(0, limits.importAddresses)
      return undefined
    },
    write: ({ identities }) => listText(identities.map(({ channel, address }) => `${channel}:${address}`)),
  },
  { name: 'importBatchId', write: ({ importBatchId }) => importBatchId ?? '' },
  { name: 'createdAt', write: ({ createdAt }) => isoTime(createdAt) },
  { name: 'updatedAt', write: ({ updatedAt }) => isoTime(updatedAt) },
]

/** Headers that other programs use for the same columns, in letters and digits alone. */
const aliases = new Map(
  Object.entries({
    name: 'fullName',
    first: 'firstName',
    givenname: 'firstName',
    last: 'lastName',
    surname: 'lastName',
    familyname: 'lastName',
    emailaddress: 'email',
    mail: 'email',
    phonenumber: 'phone',
    mobile: 'phone',
    mobilephone: 'phone',
    mobilenumber: 'phone',
    cell: 'phone',
    cellphone: 'phone',
    telephone: 'phone',
    tel: 'phone',
    organization: 'company',
    organisation: 'company',
    companyname: 'company',
    jobtitle: 'title',
    note: 'notes',
    tag: 'tags',
    labels: 'tags',
  }),
)

const normalizeName = (header: string) => header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const byPlainName = new Map(personColumns.map((column) => [normalizeName(column.name), column]))

/** The columns of an export. */
export function exportColumns(declared: readonly DeclaredField[]): readonly Column[] {
  return [...personColumns, ...declared.map(({ key, type }) => customColumn(key, type)), otherCustomColumn(declared)]
}

/** Whether a name, in any spelling, is that of a standard field of people. */
export function isPersonField(name: string): boolean {
  return byPlainName.has(normalizeName(name)) || normalizeName(name) === normalizeName('customFields')
}

export interface ReadColumn extends Column {
  readonly header: string
  /** It names neither a standard field nor a declared one: its cells become custom fields of that name. */
  readonly isUnknown?: true
}

const delimiterNames: Readonly<Record<Delimiter, string>> = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab' }
/** A file needs one of these, or no row could identify a person. */
const identifyingColumns: readonly string[] = ['id', 'phone', 'email']

/** The columns of a file from its first line; an unknown header becomes a custom field. */
export function parseColumns(
  headers: readonly string[],
  declared: readonly DeclaredField[],
  delimiter: Delimiter = ',',
): ReadColumn[] | Refusal {
  if (headers.length > limits.importColumns) {
    return refuse('request.invalid', { detail: `The file has more than ${limits.importColumns} columns.` })
  }
  const errors: FieldError[] = []
  const usedNames = new Map<string, string>()
  const columns = headers.map((headerCell): ReadColumn => {
    const header = cellValue(headerCell).trim()
    const column = columnOf(header, declared)
    const usedBy = column && usedNames.get(column.name)
    if (!column) errors.push({ field: header || 'header', message: 'names no field of a person' })
    else if (usedBy !== undefined) errors.push({ field: header, message: `is the same field as ${usedBy}` })
    if (column) usedNames.set(column.name, header)
    return { header, ...(column ?? { ...personColumns[0]!, isUnknown: true }) }
  })
  if (!identifyingColumns.some((name) => usedNames.has(name))) return noIdentifierRefusal(columns, delimiter)
  return errors.length > 0 ? invalidAll(errors) : columns
}

/**
 * Reports how the first line was read, so that a strange header, a missing one and a strange delimiter are told apart.
 */
function noIdentifierRefusal(columns: readonly ReadColumn[], delimiter: Delimiter): Refusal {
  const firstHeaders = columns
    .slice(0, limits.headersShown)
    .map(({ header }) => header.slice(0, limits.headerCharsShown))
  const count = `${columns.length} ${columns.length === 1 ? 'column' : 'columns'}`
  const read = columns.length === 1 ? count : `${count} parted by ${delimiterNames[delimiter]}`
  const isValue = firstHeaders.some((header) => phoneOf(header) !== undefined || emailOf(header) !== undefined)
  const detail = isValue
    ? 'The first line holds values; it must name the columns, and one of them must be phone, email or id.'
    : `No column is phone, email or id. The first line was read as ${read}: ${firstHeaders.join(', ')}. Columns are parted by a comma, a semicolon or a tab.`
  const message = isValue ? 'is a value and no name of a column' : 'names no field of a person'
  const unknownHeaders = columns.flatMap(({ header, isUnknown }, index) =>
    index < limits.headersShown && isUnknown
      ? [{ field: header.slice(0, limits.headerCharsShown) || 'header', message }]
      : [],
  )
  return refuse('request.invalid', {
    detail,
    errors: unknownHeaders.length > 0 ? unknownHeaders : [{ field: 'body', message: detail }],
  })
}

function columnOf(
  header: string,
  declared: readonly DeclaredField[],
): (Column & { readonly isUnknown?: true }) | undefined {
  if (header === 'customFields') return otherCustomColumn(declared)
  const custom = (key: string) =>
    isCustomKey(key) ? customColumn(key, declared.find((each) => each.key === key)?.type) : undefined
  if (header.startsWith(customPrefix)) return custom(header.slice(customPrefix.length))
  const declaredField = declared.find(
    ({ key, label }) => header === key || normalizeName(header) === normalizeName(label),
  )
  const builtin =
    byPlainName.get(normalizeName(header)) ?? byPlainName.get(normalizeName(aliases.get(normalizeName(header)) ?? ''))
  if (builtin && !(declaredField && declaredField.key === header)) return builtin
  const column = custom(declaredField?.key ?? header)
  return column && !declaredField ? { ...column, isUnknown: true } : column
}

/** The content of a row, or a sentence that names the column of an invalid cell. */
export function parseRow(columns: readonly ReadColumn[], cells: readonly string[]): ImportRow | string {
  if (cells.length > columns.length) return `the row has ${cells.length} cells and the file ${columns.length} columns`
  const draft: Draft = {}
  for (const [index, cell] of cells.entries()) {
    const { header, read } = columns[index]!
    if (cell.trim() === '' || !read) continue
    if (cell.includes('\0')) return `${header}: ${nulError}`
    const error = read(cellValue(cell), draft)
    if (error !== undefined) return `${header}: ${error}`
  }
  const { id, addresses = [], ...change } = draft
  const phone = change.phone ? phoneOf(change.phone) : undefined
  const email = change.email ? emailOf(change.email) : undefined
  const indexKeys: IndexKey[] = []
  if (phone !== undefined) indexKeys.push({ kind: 'phone', value: phone }, { kind: 'address', value: phone })
  if (email !== undefined) indexKeys.push({ kind: 'email', value: email })
  if (indexKeys.length === 0)
    indexKeys.push(...addresses.map(({ address: value }) => ({ kind: 'address', value }) as const))
  if (id === undefined && indexKeys.length === 0) return 'the row has no phone, email or id to know the person by'
  const hasOnlyAddresses = phone === undefined && addresses.length > 0
  return { ...(id !== undefined && { id }), indexKeys, ...(hasOnlyAddresses && { addresses }), change }
}
