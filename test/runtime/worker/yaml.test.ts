/** YAML of documents: what is written is read again, and nothing is read that JSON has not. */
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { http } from '../../../core/limits/index.js'
import { readYaml, writeYaml } from '../../../runtime/worker/yaml.js'

const read = (text: string) => readYaml(Buffer.from(text))
const problemIn = (text: string) => {
  const parsed = read(text)
  return 'problem' in parsed ? parsed.problem : undefined
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  // NUL and lone surrogates are refused, in YAML as in JSON; the tests below say how.
  fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed() && !each.includes('\0')),
  fc.constantFrom(
    '.nan',
    '~',
    'yes',
    '0x1f',
    '1_000',
    '<<',
    '- a',
    'a: b',
    '# c',
    ' lead',
    'two\nlines\n',
    '\t',
    '&a',
    '*a',
  ),
)
const name = text.filter((each) => each !== '__proto__')
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    text,
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  map: fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
}))

/** As JSON writes it: no minus zero. */
const plain = (given: unknown): unknown => JSON.parse(JSON.stringify(given))

t.test('Any JSON value is written as YAML and read back unchanged, here and by another parser', async (t) => {
  fc.assert(
    fc.property(value, (given) => {
      const written = writeYaml(plain(given))
      const back = read(written)
      if (JSON.stringify('value' in back ? back.value : back) !== JSON.stringify(plain(given))) throw new Error(written)
      if (JSON.stringify(parse(written)) !== JSON.stringify(plain(given))) throw new Error(`another reader: ${written}`)
    }),
  )
  t.pass()
})

t.test('JSON is read as YAML', async () => {
  fc.assert(
    fc.property(value, (given) => {
      const back = read(JSON.stringify(given))
      return JSON.stringify('value' in back ? back.value : back) === JSON.stringify(plain(given))
    }),
  )
})

t.test('YAML beyond JSON is refused with its position, in a sentence without the library’s name', async (t) => {
  const cases: Readonly<Record<string, readonly [field: string, message: RegExp]>> = {
    'a: .nan': ['a', /number that JSON has/],
    'a:\n  - 1\n  - .inf': ['a[1]', /number that JSON has/],
    'a: {b: -.inf}': ['a.b', /number that JSON has/],
    'a: "\\ud800"': ['a', /half of a character/],
    'a: "b\\0"': ['a', /NUL/],
    '__proto__: 1': ['__proto__', /not a name/],
    'a: 1\nb: 2\na: 3': ['body', /^gives a name twice \(line 3, column 1\)$/],
    'a: &x 1\nb: *x': ['body', /alias/],
    'a: !!binary aGk=': ['body', /tag/],
    '1.0: a': ['body', /name that is no text/],
    '? [a]\n: b': ['body', /name that is no text/],
    'a: 1\n---\nb: 1': ['body', /more than one document/],
    'a: [1': ['body', /^is not valid YAML \(line 1, column \d+\)$/],
    '# nothing': ['body', /is required/],
  }
  for (const [text, [field, message]] of Object.entries(cases)) {
    const problem = problemIn(text)
    t.equal(problem?.field, field, text)
    t.match(problem?.message, message, text)
  }
  t.same(readYaml(Uint8Array.of(0xff)), { problem: { field: 'body', message: 'is not valid UTF-8' } })
})

t.test('The depth limit is the same as for JSON', async (t) => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  t.equal(problemIn(nested(http.jsonDepth)), undefined)
  for (const depth of [http.jsonDepth + 1, 500_000]) t.match(problemIn(nested(depth))?.message, /nested more than 32/)
  const blocks = Array.from({ length: 200 }, (_, at) => `${'  '.repeat(at)}a:`).join('\n')
  t.match(problemIn(blocks)?.message, /nested more than 32/)
})

t.test('Any bytes are parsed or refused', async (t) => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => Boolean(readYaml(bytes))))
  const anyMarks = fc.array(
    fc.constantFrom(
      'a',
      ':',
      ' ',
      '-',
      '\n',
      '?',
      '[',
      ']',
      '{',
      '}',
      '&',
      '*',
      '!',
      '|',
      '>',
      '"',
      "'",
      '%',
      '#',
      '  ',
    ),
  )
  fc.assert(
    fc.property(anyMarks, (pieces) => Boolean(read(pieces.join('')))),
    { numRuns: 1_000 },
  )
  t.pass()
})
