/** The columns of a file of people: how a header names a field, and how a row becomes what is said of a person. */
import { type FieldError, type Refusal, refuse } from '../errors.js'
import type { Writable } from '../having.js'
import { person as limits } from '../limits.js'
import { phoneOf } from './address.js'
import { isCustomKey, type PersonChange, wrongText } from './change.js'
import { cellValue, listText, listValues } from './csv.js'
import { customPrefix } from './filter.js'
import { emailOf, type Mark } from './marks.js'
import { phoneNumberOf } from './numbers.js'
import { consentStatuses, type Person, personStatuses, type TextField, textFields } from './person.js'

/** A field that the agent declares for its people. */
export interface DeclaredField {
  readonly key: string
  readonly label: string
}

/** What a row says: how to find whom it is about, and what of them. */
export interface ImportRow {
  readonly id?: string
  readonly marks: readonly Mark[]
  readonly change: PersonChange
}

type Draft = Writable<PersonChange> & { id?: string }

interface Column {
  /** As files name it. */
  readonly name: string
  /** Lays a cell that is not blank into the draft, or says what is wrong with it. Absent: the house tells it. */
  readonly read?: (cell: string, draft: Draft) => string | undefined
  readonly write: (person: Person) => string
}

const when = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString())

function textColumn(field: TextField): Column {
  return {
    name: field,
    read(cell, draft) {
      draft[field] = cell
      return wrongText(field, cell)
    },
    write: (person) => (field === 'phone' ? (phoneNumberOf(person) ?? person.phone) : person[field]) ?? '',
  }
}

function choice<V extends string>(values: readonly V[], lay: (draft: Draft, value: V) => void): Column['read'] {
  return (cell, draft) => {
    const found = values.find((value) => value === cell.trim().toLowerCase())
    if (!found) return `must be one of ${values.join(', ')}`
    lay(draft, found)
    return undefined
  }
}

function listColumn(name: 'tags' | 'lockedFields', most: number, mostChars: number): Column {
  return {
    name,
    read(cell, draft) {
      const values = listValues(cell)
      draft[name] = values
      if (values.length > most) return `has more than ${most} entries`
      return values.some((value) => value.length > mostChars)
        ? `has an entry of over ${mostChars} characters`
        : undefined
    },
    write: (person) => listText(person[name] ?? []),
  }
}

function customColumn(key: string): Column {
  return {
    name: `${customPrefix}${key}`,
    read(cell, draft) {
      draft.customFields = { ...draft.customFields, [key]: cell }
      return cell.length > limits.customValueChars ? `is longer than ${limits.customValueChars} characters` : undefined
    },
    write: ({ customFields = {} }) => (Object.hasOwn(customFields, key) ? customFields[key]! : ''),
  }
}

/** What has no column of its own, as JSON. */
function otherCustomColumn(declared: readonly DeclaredField[]): Column {
  const own = new Set(declared.map(({ key }) => key))
  return {
    name: 'customFields',
    read(cell, draft) {
      const fields = fieldsIn(cell)
      if (!fields) return 'must be a JSON object of texts'
      draft.customFields = { ...fields, ...draft.customFields }
      return undefined
    },
    write({ customFields = {} }) {
      const rest = Object.entries(customFields).filter(([key]) => !own.has(key))
      return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest))
    },
  }
}

function fieldsIn(cell: string): Record<string, string> | undefined {
  try {
    const fields: unknown = JSON.parse(cell)
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined
    return Object.values(fields).every((value) => typeof value === 'string') ? { ...fields } : undefined
  } catch {
    return undefined
  }
}

const known: readonly Column[] = [
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
      const at = Date.parse(cell)
      draft.scheduledCallAt = at
      return Number.isNaN(at) ? 'must be a moment in ISO 8601' : undefined
    },
    write: ({ scheduledCallAt }) => when(scheduledCallAt),
  },
  { name: 'lastCallAt', write: ({ lastCallAt }) => when(lastCallAt) },
  {
    name: 'identities',
    write: ({ identities }) => listText(identities.map(({ channel, address }) => `${channel}:${address}`)),
  },
  { name: 'importBatchId', write: ({ importBatchId }) => importBatchId ?? '' },
  { name: 'createdAt', write: ({ createdAt }) => when(createdAt) },
  { name: 'updatedAt', write: ({ updatedAt }) => when(updatedAt) },
]

/** How other programs head the same columns, in letters and digits alone. */
const otherNames = new Map(
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

const plain = (header: string) => header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const byPlainName = new Map(known.map((column) => [plain(column.name), column]))

/** The columns that an export has. */
export function exportColumns(declared: readonly DeclaredField[]): readonly Column[] {
  return [...known, ...declared.map(({ key }) => customColumn(key)), otherCustomColumn(declared)]
}

export interface ReadColumn extends Column {
  readonly header: string
}

/** The columns of a file by its first line; a header that names no field is that of a custom one. */
export function readColumns(headers: readonly string[], declared: readonly DeclaredField[]): ReadColumn[] | Refusal {
  if (headers.length > limits.importColumns) {
    return refuse('request.invalid', { detail: `The file has more than ${limits.importColumns} columns.` })
  }
  const errors: FieldError[] = []
  const taken = new Map<string, string>()
  const columns = headers.map((given): ReadColumn => {
    const header = cellValue(given).trim()
    const column = columnOf(header, declared)
    const before = column && taken.get(column.name)
    if (!column) errors.push({ field: header || 'header', message: 'names no field of a person' })
    else if (before !== undefined) errors.push({ field: header, message: `is the same field as ${before}` })
    if (column) taken.set(column.name, header)
    return { header, ...(column ?? known[0]!) }
  })
  if (errors.length === 0) return columns
  const [first] = errors as [FieldError]
  return refuse('request.invalid', { detail: `${first.field}: ${first.message}`, errors })
}

function columnOf(header: string, declared: readonly DeclaredField[]): Column | undefined {
  if (header === 'customFields') return otherCustomColumn(declared)
  if (header.startsWith(customPrefix)) {
    const key = header.slice(customPrefix.length)
    return isCustomKey(key) ? customColumn(key) : undefined
  }
  const own = declared.find(({ key, label }) => header === key || plain(header) === plain(label))
  const found = byPlainName.get(plain(header)) ?? byPlainName.get(plain(otherNames.get(plain(header)) ?? ''))
  if (found && !(own && own.key === header)) return found
  const key = own?.key ?? header
  return key !== '' && isCustomKey(key) ? customColumn(key) : undefined
}

/** What the cells of a row say; a sentence that names the column when one of them cannot be. */
export function readRow(columns: readonly ReadColumn[], cells: readonly string[]): ImportRow | string {
  if (cells.length > columns.length) return `the row has ${cells.length} cells and the file ${columns.length} columns`
  const draft: Draft = {}
  for (const [place, cell] of cells.entries()) {
    const { header, read } = columns[place]!
    if (cell.trim() === '' || !read) continue
    const wrong = read(cellValue(cell), draft)
    if (wrong !== undefined) return `${header}: ${wrong}`
  }
  const { id, ...change } = draft
  const phone = change.phone ? phoneOf(change.phone) : undefined
  const email = change.email ? emailOf(change.email) : undefined
  const marks: Mark[] = []
  if (phone !== undefined) marks.push({ kind: 'phone', value: phone }, { kind: 'address', value: phone })
  if (email !== undefined) marks.push({ kind: 'email', value: email })
  if (change.phone && phone === undefined) return 'phone: must be a number in international format'
  if (change.email && email === undefined) return 'email: must be an e-mail address'
  if (id === undefined && marks.length === 0) return 'the row has no phone, email or id to know the person by'
  return { ...(id !== undefined && { id }), marks, change }
}
