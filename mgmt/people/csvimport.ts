/** Route that imports people from a CSV file: parses row by row and sends commands of a bounded size. */
import { isUtf8 } from 'node:buffer'
import { type CsvError, type Info, parse } from 'csv-parse'
import { actorOf, type Member } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { person as limits } from '../../core/limits/index.js'
import { parseColumns, parseRow, type ReadColumn } from '../../core/people/columns.js'
import { type Delimiter, delimiterOf } from '../../core/people/csv.js'
import type { DeclaredField } from '../../core/people/customfields.js'
import type { PersonIdentity } from '../../core/people/person.js'
import { systemClock } from '../../runtime/clock.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import { nextSlice } from '../../runtime/slices.js'
import type { ImportedRow, ImportResult, ImportRows, RejectedRow } from './importrows.js'
import type { PeopleRouteDeps } from './routedeps.js'
import { csvType, importAnswer, ofPeople, writeAccess } from './schema.js'

const notUtf8 = invalid('body', 'must be CSV in UTF-8')
const noHeader = invalid('body', 'must begin with a line that names the columns')

const emptyImport: ImportResult = { created: 0, updated: 0, consentKept: 0, rejected: [] }
const firstRejected = (rejected: readonly RejectedRow[]) => rejected.slice(0, limits.importRejectedShown)
const byLine = (rejected: readonly RejectedRow[]) => rejected.toSorted((one, other) => one.line - other.line)

export function importRoute({ shards, people, fieldsOf, identityAt, randomBytes }: PeopleRouteDeps): Route {
  /**
   * A file of numbers is a list of people to write to, so each number becomes an identity with the consent state of its
   * conversation.
   */
  async function importPart({ rows, ...batchRef }: ImportRows, caller: Member): Promise<ImportResult | Refusal> {
    const lookups = await Promise.all(
      rows.map(({ row: { change, addresses: contacts = [] } }) =>
        Promise.all(
          change.phone
            ? [identityAt(batchRef, change.phone)]
            : contacts.map(({ channel, address }) => identityAt(batchRef, address, channel)),
        ),
      ),
    )
    const unknown = lookups.flat().find((each) => each !== undefined && isRefusal(each))
    if (unknown) return unknown as Refusal
    const contacts = rows.map((row, index): ImportedRow => {
      const identities = (lookups[index] as (PersonIdentity | undefined)[]).filter((each) => each !== undefined)
      if (identities.length === 0) return row
      return row.row.change.phone ? { ...row, identity: identities[0]! } : { ...row, identities }
    })
    const input = { ...batchRef, rows: contacts }
    return shards.execute(formatAgentKey(input), people.commands.importRows, input, { by: actorOf(caller) })
  }

  return route({
    ...ofPeople,
    access: writeAccess,
    method: 'POST',
    path: '/orgs/{org}/agents/{agent}/people/import',
    summary: 'Read people from a CSV file; a row with the id, phone or e-mail of a person changes that person',
    rawTypes: [csvType, 'application/csv'],
    bodyLimitBytes: limits.importBytes,
    reply: { 200: importAnswer },
    errors: ['resource.not_found', 'request.invalid'],
    async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
      const agent = { orgId, agentId }
      const file = body as unknown as Buffer
      const declared = await fieldsOf(agent)
      if (isRefusal(declared)) return declared
      if (!isUtf8(file)) return notUtf8
      const importBatchId = idFromBytes('imp', randomBytes(17))
      const total = { created: 0, updated: 0, consentKept: 0, rejectedCount: 0 }
      let unknownColumns: readonly string[] = []
      let rejected: readonly RejectedRow[] = []
      for await (const part of partsOf(file, declared)) {
        if (isRefusal(part)) return part
        const result =
          part.rows.length === 0 ? emptyImport : await importPart({ ...agent, importBatchId, rows: part.rows }, caller)
        if (isRefusal(result)) return result
        total.created += result.created
        total.updated += result.updated
        total.consentKept += result.consentKept
        total.rejectedCount += part.rejected.length + result.rejected.length
        unknownColumns = part.unknownColumns
        rejected = firstRejected([...rejected, ...byLine([...part.rejected, ...result.rejected])])
      }
      return json(200, { importBatchId, ...total, rejected, unknownColumns })
    },
  })
}

interface Part {
  readonly rows: ImportRows['rows']
  readonly rejected: readonly RejectedRow[]
  /** Columns that match no field: their cells become custom fields. */
  readonly unknownColumns: readonly string[]
}

/** The rows of a file in parts of one command each; a refusal if its first line is not a header. */
export async function* partsOf(file: Buffer, declared: readonly DeclaredField[]): AsyncGenerator<Part | Refusal> {
  const delimiter = delimiterIn(file)
  let columns: ReadColumn[] | undefined
  let unknownColumns: readonly string[] = []
  let rows: ImportRows['rows'][number][] = []
  let rejected: RejectedRow[] = []
  let chars = 0
  for await (const { line, cells, problem } of recordsOf(file, delimiter)) {
    if (problem !== undefined) {
      rejected.push({ line, message: problem })
    } else if (!columns) {
      const read = parseColumns(cells, declared, delimiter)
      if (isRefusal(read)) return yield read
      columns = read
      unknownColumns = read.flatMap(({ header, isUnknown }) => (isUnknown ? [header] : []))
    } else {
      const row = parseRow(columns, cells)
      if (typeof row === 'string') rejected.push({ line, message: row })
      else rows.push({ line, row })
      for (const cell of cells) chars += cell.length
    }
    if (rows.length + rejected.length < limits.importRowsPerCommand && chars < limits.importCharsPerCommand) continue
    yield { rows, rejected, unknownColumns }
    rows = []
    rejected = []
    chars = 0
  }
  yield columns ? { rows, rejected, unknownColumns } : noHeader
}

interface FileRecord {
  /** The line of the file on which the record begins. */
  readonly line: number
  readonly cells: readonly string[]
  /** Why the rest of the file cannot be read. */
  readonly problem?: string
}

/** Detects the delimiter by the first line. */
function delimiterIn(file: Buffer): Delimiter {
  const [first] = file
    .subarray(0, limits.importRecordChars)
    .toString()
    .split(/[\r\n]/, 1)
  return delimiterOf(first!)
}

async function* recordsOf(file: Buffer, delimiter: Delimiter): AsyncGenerator<FileRecord> {
  // After an error the parser continues in the middle of a cell, so its further rows are ignored.
  let broken: { readonly at: number; readonly problem: string } | undefined
  const onTooWide = (at: number) => {
    broken ??= { at, problem: `a row has more than ${limits.importColumns} columns; what follows was not read` }
  }
  const parser = parse({
    bom: true,
    info: true,
    delimiter,
    // Without this option the parser detects the record delimiter itself and makes three buffers for each byte of the
    // first row.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: limits.importRecordChars,
  })
  parser.on('skip', (error: CsvError) => {
    broken ??= { at: Number(error.bytes), problem: problems[error.code] ?? 'from here on the file is not CSV' }
  })
  const lines = lineCounter(file)
  const read = ({ record, info }: Parsed): FileRecord[] =>
    broken && info.bytes > broken.at ? [] : [{ line: lines.next(info.bytes), cells: record }]
  for (const piece of piecesOf(file, delimiter, onTooWide)) {
    parser.write(piece)
    // Yields to the event loop, since refused rows wait for no command.
    await nextSlice(systemClock)
    for (let next: Parsed | null = parser.read(); next; next = parser.read()) yield* read(next)
    if (broken) break
  }
  parser.end()
  for await (const next of parser as AsyncIterable<Parsed>) yield* read(next)
  if (broken) yield { line: lines.next(broken.at + 1), cells: [], problem: broken.problem }
}

interface Parsed {
  readonly record: string[]
  readonly info: Info
}

const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that opens here is never closed',
  CSV_MAX_RECORD_SIZE: `a row is longer than ${limits.importRecordChars} characters, or a quote is never closed; what follows was not read`,
}

/** Ends before a row with more cells than the longest row could hold, because the parser buffers all cells of a row. */
function* piecesOf(file: Buffer, delimiter: Delimiter, onTooWide: (at: number) => void): Generator<Buffer> {
  const delimiterByte = delimiter.charCodeAt(0)
  let cells = 0
  for (let from = 0; from < file.length; from += limits.importPieceBytes) {
    const piece = file.subarray(from, from + limits.importPieceBytes)
    for (const byte of piece) {
      if (byte === delimiterByte) cells++
      else if (byte === lineFeed || byte === carriageReturn) cells = 0
    }
    if (cells > limits.importRecordChars) return onTooWide(from - 1)
    yield piece
  }
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/** Counts the line on which a record begins from the offset where it ends; a cell may contain line breaks. */
function lineCounter(file: Buffer): { next(end: number): number } {
  let at = 0
  let line = 1
  const isBreak = (offset: number) => file[offset] === lineFeed || file[offset] === carriageReturn
  const step = () => {
    if (isBreak(at) && !(file[at] === carriageReturn && file[at + 1] === lineFeed)) line++
    at++
  }
  return {
    next(end) {
      while (at < end && isBreak(at)) step()
      const begins = line
      while (at < end) step()
      return begins
    },
  }
}
