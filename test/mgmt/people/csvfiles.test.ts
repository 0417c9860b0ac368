/** Files of people: read in row by row and taken out again, however many there are. */
import fc from 'fast-check'
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { person as limits } from '../../../core/limits/index.js'
import { phoneOf } from '../../../core/people/address.js'
import { partsOf } from '../../../mgmt/people/csvimport.js'
import { countTurns } from '../../harness/eventloop.js'
import type { Response } from '../../harness/node.js'
import { fieldsOf, openAgentsFixture } from '../agents/fixture.js'
import { agentRef, createPeopleFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())
const { node } = fixture

function send(agentId: string, body: string | Uint8Array, type = 'text/csv'): Promise<Response> {
  const path = `/v1/orgs/demo/agents/${agentId}/people/import`
  return node.mgmt('POST', path, { token: node.key, body, headers: { 'content-type': type } })
}

const list = async (call: Awaited<ReturnType<typeof fixture.agent>>['call'], query = '') =>
  (await call('GET', `/people?limit=200${query}`)).json.data

t.test('A row creates a person, or changes the one known by its id, phone or email', async (t) => {
  const { id, call } = await fixture.agent()
  const byPhone = (await call('POST', '/people', { phone: '+55 11 8765-4321', firstName: 'Ana', notes: 'old' })).json
  const byEmail = (await call('POST', '/people', { email: 'Bo@Example.com', lockedFields: ['company'] })).json
  const file = [
    'id,First name,phone,e-mail,company,Tags,Loyalty',
    ',Ana Maria,+5511987654321,,Acme,a;b,gold',
    ',,,bo@example.com,Acme,,',
    `${byEmail.id},Bo,,,,,`,
    ',Cy,+14155550100,cy@example.com,,,',
    ',Cy,+1 415 555 0100,,Moved,,',
  ].join('\n')
  const answer = await send(id, file)
  t.equal(answer.status, 200)
  const { importBatchId } = answer.json
  t.strictSame(answer.json, {
    importBatchId,
    created: 1,
    updated: 4,
    consentKept: 0,
    rejectedCount: 0,
    rejected: [],
    unknownColumns: ['Loyalty'],
  })
  t.match((await call('GET', `/people/${byPhone.id}`)).json, {
    firstName: 'Ana Maria',
    notes: 'old',
    tags: ['a', 'b'],
    customFields: { Loyalty: 'gold' },
    importBatchId,
  })
  t.match((await call('GET', `/people/${byEmail.id}`)).json, { firstName: 'Bo', company: 'Acme' })
  const [cy] = await list(call, '&q=cy@example.com')
  t.match(cy, { firstName: 'Cy', company: 'Moved', source: 'import', importBatchId })
})

t.test('An imported person with a number gets messages there, and at a corrected number later', async (t) => {
  const { id, call } = await fixture.agent()
  t.equal((await send(id, 'phone,email\n+55 11 8765-4321,\n,bo@example.com\n')).status, 200)
  const [ana] = await list(call, '&q=%2B5511987654321')
  t.match(ana.identities, [{ channel: 'rcs', address: '+5511987654321', optedOut: false }])
  t.same((await list(call, '&q=bo@example.com'))[0].identities, [], 'an e-mail address leads to no channel')
  const repeated = await send(id, `id,phone,company\n${ana.id},+14155550123,Acme\n`)
  t.match(repeated.json, { created: 0, updated: 1, rejected: [] })
  const stored = (await call('GET', `/people/${ana.id}`)).json
  t.match(stored, { phone: '+14155550123', identities: [{ address: '+14155550123' }] })
  t.equal(stored.identities.length, 1, 'the old number is not hers any more')
  t.match((await send(id, 'phone\n+5511987654321\n')).json, { created: 1, updated: 0 }, 'and is that of another')
})

t.test('A row that cannot be imported is reported with its line, and the others are imported', async (t) => {
  const { id, call } = await fixture.agent()
  await call('POST', '/people', { phone: '+14155550100' })
  await call('POST', '/people', { email: 'ann@example.com' })
  const file =
    '\ufeffphone;email;notes;status\r\n' +
    '+14155550101;;"two\r\nlines; and ""quotes""";\r\n' +
    '\r\n' +
    '555;;;\r\n' +
    '+14155550102;;;gone\r\n' +
    '+14155550100;ann@example.com;;\r\n' +
    ';;nobody;\r\n' +
    '+14155550103;;;new;more\r\n' +
    '+14155550104;;"never closed;new\r\n'
  t.strictSame((await send(id, file)).json, {
    importBatchId: (await list(call, '&q=%2B14155550101'))[0].importBatchId,
    created: 1,
    updated: 0,
    consentKept: 0,
    unknownColumns: [],
    rejectedCount: 6,
    rejected: [
      { line: 5, message: 'phone: must be a number in international format' },
      { line: 6, message: 'status: must be one of new, contacted, qualified, converted, lost' },
      { line: 7, message: 'phone and email are those of two different people' },
      { line: 8, message: 'the row has no phone, email or id to know the person by' },
      { line: 9, message: 'the row has 5 cells and the file 4 columns' },
      { line: 10, message: 'a quote that opens here is never closed' },
    ],
  })
  t.equal((await list(call, '&q=%2B14155550101'))[0].notes, 'two\r\nlines; and "quotes"')
})

t.test('A file without columns, in another encoding, or of another type is refused', async (t) => {
  const { id } = await fixture.agent()
  t.same(fieldsOf(await send(id, '')), ['body'])
  t.same(fieldsOf(await send(id, Buffer.from('phone,n\xe4me\n', 'latin1'))), ['body'])
  t.same(fieldsOf(await send(id, 'phone,Mobile\n+14155550100,\n')), ['Mobile'])
  t.same(fieldsOf(await send(id, 'telefon;Name\n+14155550100;Ann\n')), ['telefon'])
  t.match((await send(id, '+14155550100,Bob\n')).json, { status: 422, detail: /^The first line holds values/ })
  t.equal((await send(id, 'constructor,phone\nx,+14155550100\n')).status, 200)
  t.equal((await send(id, 'phone\n', 'text/html')).status, 415)
  t.equal((await send('nobody', 'phone\n')).status, 404)
  t.same((await send(id, 'phone\n')).json.rejected, [], 'a row without values is no person')
})

t.test('An import does not lift a denial on record, and says so', async (t) => {
  const { id, call } = await fixture.agent()
  const denied = { phone: '+14155550100', consent: { status: 'denied' } }
  const ann = (await call('POST', '/people', denied)).json
  const file = 'phone,consent,company\n+14155550100,granted,Acme\n'
  for (let times = 0; times < 2; times++) {
    t.match((await send(id, file)).json, { updated: 1, consentKept: 1, rejected: [] })
  }
  const stored = (await call('GET', `/people/${ann.id}`)).json
  t.match(stored, { consent: ann.consent, company: 'Acme', journal: [{ text: /denial on record stays/ }] })
  t.equal(stored.journal.length, 1)
  t.match((await send(id, 'phone,consent\n+14155550100,denied\n')).json, { consentKept: 0 })
  const lifted = await call('PATCH', `/people/${ann.id}`, { consent: { status: 'granted' } })
  t.equal(lifted.json.consent.status, 'granted', 'an operator may')
})

t.test('Ten thousand rows are imported, and importing the same file again duplicates no person', async (t) => {
  const { id, call } = await fixture.agent()
  const rows = 10_000
  const lines = Array.from({ length: rows }, (_, n) => `+1415${5_550_000 + n},Person ${n}`)
  const file = ['phone,name', ...lines].join('\n')
  t.match((await send(id, file)).json, { created: rows, updated: 0, rejected: [] })
  t.match((await send(id, file)).json, { created: 0, updated: rows, rejected: [] })
  const { text } = await call('GET', '/people/export')
  t.equal(text.split('\r\n').length, rows + 2)
  t.equal(new Set(text.match(/,\+1415\d{7},/g)).size, rows)
})

t.test('An interrupted import is completed by sending the file again', async (t) => {
  const file = Buffer.from(['email', ...Array.from({ length: 500 }, (_, n) => `p${n}@example.com`)].join('\n'))
  const peopleFixture = createPeopleFixture()
  const { importRows } = peopleFixture.people.commands
  const all: Parameters<typeof importRows.decide>[1][] = []
  for await (const part of partsOf(file, [])) {
    if (isRefusal(part)) throw new Error(part.detail)
    all.push({ ...agentRef, importBatchId: 'imp_1', rows: part.rows })
    t.ok(part.rows.length <= limits.importRowsPerCommand)
  }
  for (const part of all.slice(0, -1)) peopleFixture.decide(importRows, part)
  const outcomes = all.map((part) => peopleFixture.decide(importRows, { ...part, importBatchId: 'imp_2' }))
  const total = outcomes.reduce((sum, { created }) => sum + created, 0)
  t.equal(total, all.at(-1)!.rows.length, 'only the missing people')
})

t.test('A row sees people as the rows before it left them', async (t) => {
  const emails = fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com')
  const phones = fc.constantFrom('+14155550100', '+14155550101')
  const some = fc.record({ email: emails, phone: phones }, { requiredKeys: [] })
  const rows = fc.array(
    some.filter(({ email, phone }) => Boolean(email ?? phone)),
    { minLength: 1, maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(rows, fc.array(some, { maxLength: 3 }), async (entries, before) => {
      const lines = entries.map(({ email = '', phone = '' }) => `${email},${phone}`)
      const importAll = async (files: string[]) => {
        const peopleFixture = createPeopleFixture()
        for (const change of before) peopleFixture.decide(peopleFixture.people.commands.create, { ...agentRef, change })
        for (const file of files) {
          for await (const part of partsOf(Buffer.from(`email,phone\n${file}`), [])) {
            if (isRefusal(part) || part.rows.length === 0) continue
            peopleFixture.decide(peopleFixture.people.commands.importRows, {
              ...agentRef,
              importBatchId: 'i',
              rows: part.rows,
            })
          }
        }
        const { people } = peopleFixture.read(peopleFixture.people.queries.scan, { ...agentRef, filter: {}, limit: 50 })
        return people.map(({ email, phone }) => `${email} ${phone}`).sort()
      }
      t.same(await importAll([lines.join('\n')]), await importAll(lines), 'together as one by one')
    }),
    { numRuns: 200 },
  )
})

t.test('Any file is read to its end in parts that fit one command', async (t) => {
  const piece = fc.constantFrom(
    '"',
    ',',
    ';',
    '\n',
    '\r\n',
    '\r',
    '+14155550100',
    'x',
    "'",
    '=1',
    '\ufeff',
    '\0',
    ' ',
    'é',
  )
  const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('phone,name\n', 'phone;notes\r\n', ''), texts, async (header, text) => {
      let last = 1
      for await (const part of partsOf(Buffer.from(header + text), [])) {
        if (isRefusal(part)) continue
        const lines = [...part.rows, ...part.rejected].map(({ line }) => line).sort((one, other) => one - other)
        for (const line of lines) t.ok(line > last || (header === '' && line === last))
        last = lines.at(-1) ?? last
      }
    }),
    { numRuns: 300 },
  )
  const long = `email,notes\n${Array.from({ length: 40 }, (_, n) => `p${n}@example.com,${'x'.repeat(20_000)}`).join('\n')}`
  let parts = 0
  for await (const part of partsOf(Buffer.from(long), [])) parts += isRefusal(part) ? 0 : 1
  t.ok(parts >= (40 * 20_000) / (limits.importCharsPerCommand + 20_000), 'long rows make short parts')
})

t.test('Other work runs while a file is imported, rows that are refused included', async (t) => {
  const file = Buffer.from(`email\n${'"a""b",c\n'.repeat(60_000)}`)
  const count = countTurns()
  for await (const part of partsOf(file, [])) t.notOk(isRefusal(part))
  const turns = count.end()
  t.ok(turns >= file.length / limits.importPieceBytes - 1, `${turns} turns`)
})

t.test('A row with more cells than allowed ends the import, and is named by its line', async (t) => {
  const wide = ','.repeat(40 * limits.importRecordChars)
  const read = async (text: string) => {
    const readParts = []
    for await (const part of partsOf(Buffer.from(text), [])) readParts.push(part)
    return readParts
  }
  t.match(await read(`email\na@example.com\n${wide}\nb@example.com\n`), [
    { rows: [{ line: 2 }], rejected: [{ line: 3, message: /more than 300 columns; what follows was not read/ }] },
  ])
  t.match(await read(`email${wide}\na@example.com\n`), [{ detail: /must begin with a line that names the columns/ }])
  const breaks = ['\n', '\r\n', '\r'].map((end) => `email${end}a@example.com${end}b@example.com${end}`)
  for (const text of breaks) t.match(await read(text), [{ rows: [{ line: 2 }, { line: 3 }], rejected: [] }])
})

t.test('Only the first of very many rejected rows are listed', async (t) => {
  const { id } = await fixture.agent()
  const rows = limits.importRejectedShown + limits.importRowsPerCommand
  const { rejected, rejectedCount } = (await send(id, ['phone', ...Array(rows).fill('x')].join('\n'))).json
  t.equal(rejectedCount, rows, 'and how many there are')
  t.equal(rejected.length, limits.importRejectedShown)
  t.match(rejected.at(-1), { line: limits.importRejectedShown + 1 })
})

t.test('An export of one agent is imported unchanged by another', async (t) => {
  const { call } = await fixture.agent()
  const fields = [{ key: 'level', label: 'Level', type: 'string' }]
  await call('PUT', '/people/fields', { fields })
  const words = fc.constantFrom('=1+1', '+1', '@x', "'", '"', 'a;b', 'a\nb', 'Zoë', ' x ', '\\', "'-1")
  const entries = fc.record({
    fullName: words,
    notes: words,
    tags: fc.array(words, { maxLength: 2 }),
    level: words,
    other: words,
  })
  for (const [n, { level, other, ...texts }] of fc.sample(entries, 25).entries()) {
    const person = { ...texts, phone: `+1 (415) 555-01${10 + n}`, customFields: { level, other } }
    t.equal((await call('POST', '/people', person)).status, 201)
  }
  const out = await call('GET', '/people/export')
  t.equal(out.status, 200)
  t.match(out.headers, { 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store' })
  for (const cell of out.text.split(/[,\r\n]/))
    t.notMatch(cell, /^"?(?!\+[0-9]{11}$)[=+\-@\t]/, 'no cell begins like a formula')
  const other = await fixture.agent()
  await other.call('PUT', '/people/fields', { fields })
  t.match((await send(other.id, out.text)).json, { created: 25, updated: 0, rejected: [] })
  const plain = (people: Record<string, unknown>[]) =>
    people
      .map(({ fullName, notes, phone, tags, customFields }) => ({
        fullName,
        notes,
        phone: phoneOf(String(phone)),
        tags,
        customFields,
      }))
      .sort((a, b) => String(a.phone).localeCompare(String(b.phone)))
  t.strictSame(plain(await list(other.call)), plain(await list(call)))
})

t.test('An export may use a filter, and needs the scope for exports', async (t) => {
  const { id, call } = await fixture.agent()
  await call('POST', '/people', { fullName: 'Ann', tags: ['vip'] })
  await call('POST', '/people', { fullName: 'Bo' })
  const { text } = await call('GET', '/people/export?tag=vip')
  t.match(text, 'Ann')
  t.notMatch(text, 'Bo')
  t.same(fieldsOf(await call('GET', '/people/export?status=gone')), ['status'])
  const reader = fixture.callAs(await node.createKey(['people:read']), id)
  t.equal((await reader('GET', '/people/export')).status, 403)
  t.equal((await fixture.callAs(node.key, 'nobody')('GET', '/people/export')).status, 404)
})
