/** Files of people: what a header names, what a cell may hold, and that what is written is read back. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { person as limits } from '../../../core/limits/index.js'
import { phoneOf } from '../../../core/people/address.js'
import { applyChange, newPerson } from '../../../core/people/change.js'
import { exportColumns, parseColumns, parseRow } from '../../../core/people/columns.js'
import { cellText, cellValue, delimiterOf, listText, listValues, rowText } from '../../../core/people/csv.js'
import { consentStatuses, type Person, personStatuses, textFields } from '../../../core/people/person.js'
import { someText } from './arbitrary.js'

const declared = [{ key: 'level', label: 'Loyalty Level' }]

function columns(...headers: string[]) {
  const read = parseColumns(headers, declared)
  if (isRefusal(read)) throw new Error(read.detail)
  return read
}

const wrongHeaders = (...headers: string[]) => {
  const read = parseColumns(headers, declared)
  return isRefusal(read) ? read.errors?.map(({ field, message }) => `${field}: ${message}`) : []
}

t.test('A cell that a spreadsheet would execute is escaped, and read back unchanged', async (t) => {
  for (const value of [
    '=1+1',
    '+1+1',
    '+cmd',
    '-1',
    '@now',
    '\tx',
    '\nx',
    '＝1',
    '＋1',
    '－1',
    '＠now',
    "'=1",
    "''+1",
  ]) {
    t.equal(cellText(value).replace(/^"/, '')[0], "'", value)
    t.equal(cellValue((parse(cellText(value)) as [[string]])[0][0]), value)
  }
  fc.assert(
    fc.property(someText(30), (value) => {
      const [[cell]] = parse(rowText([value, '']), { skip_empty_lines: true }) as [[string]]
      t.equal(cellValue(cell), value)
      if (!/^\+[1-9][0-9]{6,14}$/.test(value)) t.notMatch(cell, /^[=+\-@\t\r\n＝＋－＠]/)
    }),
    { numRuns: 500 },
  )
})

t.test('A number is written in clean E.164 in any input format, and a quoted one is read back', async (t) => {
  const phone = exportColumns([]).find(({ name }) => name === 'phone')!
  for (const entered of ['+14155550100', '+1 (415) 555-0100', '001 415 555 0100']) {
    t.equal(rowText([phone.write({ ...newPerson('pr_1', 'x', 1), phone: entered })]), '+14155550100\r\n')
  }
  t.equal(cellValue("'+14155550100"), '+14155550100', 'as older exports and spreadsheets write it')
  t.equal(cellText("'+14155550100"), "''+14155550100", 'and a text with its own quote keeps it')
})

t.test('A first line without phone, email or id is refused with one sentence that shows how it was read', async (t) => {
  const detail = (headers: string[], delimiter?: ',' | ';') => {
    const read = parseColumns(headers, declared, delimiter)
    return isRefusal(read) ? read.detail : ''
  }
  t.match(
    detail(['telefon', 'Loyalty Level'], ';'),
    /read as 2 columns parted by a semicolon: telefon, Loyalty Level\./,
  )
  t.match(
    detail(['phone|name']),
    /read as 1 column: phone\|name\. Columns are parted by a comma, a semicolon or a tab\./,
  )
  t.match(detail(['+14155550100', 'Bob']), /^The first line holds values/)
  t.same(wrongHeaders('telefon', 'Loyalty Level', 'name'), ['telefon: names no field of a person'])
})

t.test('A cell of a declared field holds a value of its type', async (t) => {
  const fields = (['number', 'boolean', 'date'] as const).map((type) => ({ key: type, label: type, type }))
  const read = parseColumns(['id', 'number', 'boolean', 'date', 'customFields'], fields)
  if (isRefusal(read)) throw new Error(read.detail)
  t.match(parseRow(read, ['pr_1', '-4.5', 'TRUE', '2026-02-28', '']), { id: 'pr_1' })
  t.match(parseRow(read, ['pr_1', 'abc', '', '', '']), 'number: must be a number')
  t.match(parseRow(read, ['pr_1', '', 'maybe', '', '']), 'boolean: must be true or false')
  t.match(parseRow(read, ['pr_1', '', '', '2026-02-30', '']), 'date: must be a date in ISO 8601')
  t.match(parseRow(read, ['pr_1', '', '', '', '{"number":"x"}']), 'customFields: customFields.number must be a number')
})

t.test('A column may have any name of a custom field, names of object members included', async (t) => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    t.equal(columns('phone', name)[1]?.name, `customFields.${name}`)
  }
})

t.test('Several texts share a cell and are split again', async (t) => {
  fc.assert(
    fc.property(fc.array(someText(10), { minLength: 1 }), (values) => t.same(listValues(listText(values)), values)),
  )
})

t.test('The first line determines the separator of columns', async (t) => {
  t.equal(delimiterOf('a,b;c,d'), ',')
  t.equal(delimiterOf('"a,b,c";d'), ';')
  t.equal(delimiterOf('a\tb'), '\t')
  t.equal(delimiterOf('phone'), ',')
})

t.test('A header names a field by its name, by the name of other programs, or a custom field', async (t) => {
  const names = columns('First Name', 'E-Mail', 'mobile', 'loyalty level', 'customFields.age', 'Shoe size', 'createdAt')
  t.same(
    names.map(({ name }) => name),
    ['firstName', 'email', 'phone', 'customFields.level', 'customFields.age', 'customFields.Shoe size', 'createdAt'],
  )
  t.same(wrongHeaders('phone', 'Mobile'), ['Mobile: is the same field as phone'])
  t.same(wrongHeaders('phone', ''), ['header: names no field of a person'])
  t.same(wrongHeaders('phone', '$where'), ['$where: names no field of a person'])
  t.ok(isRefusal(parseColumns(Array(limits.importColumns + 1).fill('x'), [])))
})

t.test('An invalid cell is refused with a sentence that names its column', async (t) => {
  const row = (header: string, cell: string) => parseRow(columns('id', header), ['pr_1', cell])
  for (const [header, cell, message] of [
    ['Status', 'gone', 'Status: must be one of new, contacted, qualified, converted, lost'],
    ['consent', 'yes', 'consent: must be one of granted, denied, unknown'],
    ['Time zone', 'Mars', 'Time zone: must be an IANA time zone'],
    ['scheduledCallAt', 'soon', 'scheduledCallAt: must be a moment in ISO 8601'],
    ['Phone', '555 0100', 'Phone: must be a number in international format'],
    ['Phone', '+1415555', 'Phone: must be a number in international format'],
    ['Mail', 'ann', 'Mail: must be an e-mail address'],
    ['customFields', '[1]', 'customFields: must be a JSON object of texts'],
    [
      'First',
      'x'.repeat(limits.textChars.firstName + 1),
      `First: is longer than ${limits.textChars.firstName} characters`,
    ],
  ] as const) {
    t.equal(row(header, cell), message)
  }
  t.match(parseRow(columns('phone'), ['+14155550100', 'more']), 'the row has 2 cells and the file 1 columns')
  t.match(parseRow(columns('name', 'phone'), ['Ann', ' ']), 'the row has no phone, email or id')
  t.match(parseRow(columns('name', 'phone'), ['Ann', "'+1 (415) 555-0100"]), {
    indexKeys: [
      { kind: 'phone', value: '+14155550100' },
      { kind: 'address', value: '+14155550100' },
    ],
    change: { fullName: 'Ann', phone: '+1 (415) 555-0100' },
  })
})

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const customKey = fc.constantFrom('level', 'age', 'a b', 'ключ', '"', 'x,y')
const operatorFields = fc.record({
  ...Object.fromEntries(
    textFields
      .filter((field) => !['timezone', 'email', 'phone'].includes(field))
      .map((field) => [field, optional(someText(20))]),
  ),
  phone: fc.constantFrom('+14155550100', '+1 (415) 555-0101'),
  email: optional(fc.constantFrom('ann@example.com', '=a@b.cd')),
  timezone: optional(fc.constantFrom('Europe/Berlin', 'UTC')),
  status: fc.constantFrom(...personStatuses),
  source: someText(20),
  consent: fc.record({ status: fc.constantFrom(...consentStatuses) }),
  tags: fc.array(someText(8), { maxLength: 3 }),
  lockedFields: fc.array(fc.constantFrom('email', 'a;b', '\\'), { maxLength: 2 }),
  customFields: fc.dictionary(customKey, someText(12)),
  scheduledCallAt: optional(fc.integer({ min: 0, max: 4e12 })),
})

t.test('A person in an export is imported unchanged', async (t) => {
  const all = exportColumns(declared)
  fc.assert(
    fc.property(operatorFields, (change) => {
      const person = applyChange(newPerson('pr_1', 'x', 1), change as never, 2)
      if (isRefusal(person)) throw new Error(person.detail)
      const file = rowText(all.map(({ name }) => name)) + rowText(all.map(({ write }) => write(person)))
      const [headers, cells] = parse(file) as [string[], string[]]
      const row = parseRow(columns(...headers), cells)
      if (typeof row === 'string') throw new Error(row)
      const reimported = applyChange(newPerson('pr_1', 'x', 1), row.change, 2)
      t.strictSame(without(reimported as Person), without({ ...person, phone: phoneOf(person.phone!)! }))
      t.equal(row.id, 'pr_1')
    }),
    { numRuns: 500 },
  )
})

function without({ customFields, ...rest }: Person) {
  return { ...rest, customFields: Object.entries(customFields ?? {}).sort() }
}
