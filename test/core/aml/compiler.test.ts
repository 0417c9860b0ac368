/** AML compiles to what the contract says it means, and what is wrong with it is told by its line. */
import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { isSignal } from '../../../core/amf/index.js'
import { validateMessage } from '../../../core/amf/validation.js'
import { compile, compileWithSteps } from '../../../core/aml/compiler.js'
import type { AmlProblem, CompileOptions } from '../../../core/aml/contract.js'
import { amf as limits } from '../../../core/limits/index.js'
import { isoText } from '../amf/arbitrary.js'
import { print, sayable } from './printer.js'

const lines = (...all: string[]) => all.join('\n')

t.test('Text longer than a part becomes several parts, split between words, without loss', async (t) => {
  const long = `${'word '.repeat(1_500)}end`
  const parts = partsOf(long) as { type: string; text: string }[]
  t.equal(parts.length, 2)
  t.ok(parts.every(({ type, text }) => type === 'text' && text.length <= limits.textChars))
  t.equal(parts.map(({ text }) => text).join(' '), long)
  t.equal(partsOf('👍'.repeat(limits.textChars)).length, 2, 'no character is cut in half')
})

t.test('In lenient mode an unknown marker is text with a warning', async (t) => {
  const aml = 'Take array[[0]] and [[code]] of it.\n[[chips: Yes | No]]'
  t.equal(compile(aml).message, undefined)
  const { message, problems, warnings } = compile(aml, { lenient: true })
  t.same(problems, [])
  t.match(message, { parts: [{ type: 'text', text: 'Take array[[0]] and [[code]] of it.' }], chips: [{}, {}] })
  t.same(
    warnings.map(({ line, column, code }) => `${line}:${column} ${code}`),
    ['1:11 unknownMarker', '1:21 unknownMarker'],
  )
})

/** The parts of a text that compiles. */
function partsOf(aml: string, options?: CompileOptions): readonly unknown[] {
  const { message, problems } = compile(aml, options)
  if (!message || isSignal(message)) throw new Error(JSON.stringify(problems))
  return message.parts
}

const briefly = (problems: readonly AmlProblem[]) =>
  problems.map(({ line, column, code }) => `${line}:${column} ${code}`)
const problemsOf = (aml: string, options?: CompileOptions) => briefly(compile(aml, options).problems)

type Row = readonly [what: string, aml: string, ...problems: string[]]

function checkRows(t: Test, rows: readonly Row[]): void {
  for (const [what, aml, ...problems] of rows) {
    t.same(problemsOf(aml), problems, what)
    t.equal(compile(aml).message === undefined, problems.length > 0, 'there is a message if there are no problems')
  }
}

t.test('Every construct of AML compiles to the intended message', async (t) => {
  fc.assert(
    fc.property(sayable, fc.constantFrom('\n', '\r\n'), ({ message, zone }, newline) => {
      const compiled = compile(print(message).replaceAll('\n', newline), { zone })
      deepStrictEqual(compiled.problems, [])
      deepStrictEqual(compiled.message, JSON.parse(JSON.stringify(message)))
    }),
    { numRuns: 300 },
  )
  t.pass()
})

t.test('Text is kept between blocks, in order, and a marker may be in the middle of it', async (t) => {
  const textPart = (text: string) => ({ type: 'text', text })
  t.same(partsOf('  Hello\n\nyou \n'), [textPart('Hello\n\nyou')])
  t.same(partsOf('Before [[media: https://a.example/b.png]] after'), [
    textPart('Before'),
    { type: 'media', mediaUrl: 'https://a.example/b.png', kind: 'image' },
    textPart('after'),
  ])
  t.same(partsOf(lines('Which [[ask.choice #a | One?', 'x = X', ']] or else')), [
    textPart('Which'),
    { type: 'ask.choice', intentId: 'a', prompt: 'One?', options: [{ id: 'x', label: 'X' }] },
    textPart('or else'),
  ])
  t.same(partsOf('Literal \\[[chips: a]] and \\[[[ and ]]'), [textPart('Literal [[chips: a]] and [[[ and ]]')])
  t.same(partsOf('An array [0] or [[[confirm #a | Sure?]]]'), [
    textPart('An array [0] or ['),
    { type: 'confirm', intentId: 'a', prompt: 'Sure?]' },
  ])
})

t.test('Chips are collected from any position, and leave no gap in the text', async (t) => {
  t.same(compile(lines('One', '[[chips: a | b]]', 'two [[chips: c]] three', '', '[[chips: d]]', '', 'four')).message, {
    spec: 'amf/1',
    parts: [{ type: 'text', text: 'One\ntwo three\n\nfour' }],
    chips: [{ label: 'a' }, { label: 'b' }, { label: 'c' }, { label: 'd' }],
  })
  t.match(compile('Hi [[chips: Yes=y | Site -> https://a.example/?b=c | Call -> tel:+1 415 555 0100]]').message, {
    chips: [
      { label: 'Yes', value: 'y' },
      { label: 'Site', kind: 'url', url: 'https://a.example/?b=c' },
      { label: 'Call', kind: 'dial', phone: '+1 415 555 0100' },
    ],
  })
  checkRows(t, [
    ['chips alone', '\n [[chips: a]]', '2:2 empty'],
    ['an arrow that leads nowhere', 'Hi\n[[chips: Paris -> Rome]]', '2:1 badMarker'],
    ['a chip without label', 'Hi [[chips: a | ]]', '1:4 invalidMessage'],
    ['no chip', 'Hi [[chips:]]', '1:4 invalidMessage'],
    ['a phone that is none', 'Hi [[chips: Call -> tel:me]]', '1:4 invalidMessage'],
    ['no colon', 'Hi [[chips a | b]]', '1:4 badMarker'],
  ])
})

t.test('The extension of a URL decides the kind of media', async (t) => {
  const kindOf = (url: string) => (partsOf(`[[media: ${url}]]`)[0] as { kind: string }).kind
  t.same(
    ['a.JPG?x=.pdf', 'a.mp4', 'a.mp3#t', 'a.pdf', 'a.docx', 'chart?id=3', 'v1.2/chart', ''].map((end) =>
      kindOf(`https://a.example/${end}`),
    ),
    ['image', 'video', 'audio', 'file', 'file', 'image', 'image', 'image'],
  )
  checkRows(t, [
    ['http', 'Hi\n[[media: http://a.example/b.png]]', '2:1 invalidMessage'],
    ['three fields', '[[media: https://a.example | b | c]]', '1:1 badMarker'],
    ['nothing', '[[media: ]]', '1:1 invalidMessage'],
  ])
})

t.test('A place alone is an address or a pair; with a label it is the second field', async (t) => {
  t.same(partsOf('[[place: Main Street 1]]'), [{ type: 'share.place', address: 'Main Street 1' }])
  t.same(partsOf('[[place: Us | 48.85, -2.35]]'), [
    { type: 'share.place', label: 'Us', latitude: 48.85, longitude: -2.35 },
  ])
  checkRows(t, [
    ['a label alone', '[[place: Us | ]]', '1:1 invalidMessage'],
    ['off the globe', '[[place: 91, 0]]', '1:1 invalidMessage'],
  ])
})

t.test('A block may close where it opens, and text may follow a closing line', async (t) => {
  t.same(partsOf('[[confirm #a | Sure?]] yes'), [
    { type: 'confirm', intentId: 'a', prompt: 'Sure?' },
    { type: 'text', text: 'yes' },
  ])
  t.same(partsOf(lines('[[ask.location #a | Where?', '', '  ]]')), [
    { type: 'ask.location', intentId: 'a', prompt: 'Where?' },
  ])
})

t.test('A card of a carousel may begin with its title', async (t) => {
  t.same(partsOf(lines('[[carousel', '---', 'One', 'description: first', '---', 'title: Two', '---', ']]')), [
    { type: 'carousel', cards: [{ title: 'One', description: 'first' }, { title: 'Two' }] },
  ])
  checkRows(t, [
    ['nothing between two lines', lines('[[carousel', 'One', '---', '---', 'Two', ']]'), '1:1 invalidMessage'],
    ['no cards', lines('[[carousel', ']]'), '1:1 emptyList'],
    ['words in its head', lines('[[carousel | Shoes', 'One', ']]'), '1:1 badMarker'],
    ['a key that is none', lines('[[carousel', 'desc: One', ']]'), '2:1 badLine'],
    ['a line of a card that is none', lines('[[card | A', 'hello', ']]'), '2:1 badLine'],
    ['a key twice', lines('[[card | A', 'description: b', 'title: B', ']]'), '3:1 badLine'],
    ['a card of nothing', lines('[[card', 'chips: a', ']]'), '1:1 invalidMessage'],
    [
      'a fault on its line',
      lines('[[card | A', ' chips: a | b = ', 'media: nowhere', ']]'),
      '2:2 invalidMessage',
      '3:1 invalidMessage',
    ],
    ['a head that is none', lines('[[card #x | A', ']]'), '1:1 badMarker'],
  ])
})

t.test('A tilde divides a line where it has space on both sides', async (t) => {
  t.match(
    partsOf(
      lines(
        '[[showcase #a',
        'x=~~Old~~ ~10 cm ~ small ~ https://a.example/~me/b.png',
        'y = Y ~  ~ https://a.example/c.png',
        ']]',
      ),
    ),
    [
      {
        items: [
          { id: 'x', title: '~~Old~~ ~10 cm', description: 'small', mediaUrl: 'https://a.example/~me/b.png' },
          { id: 'y', title: 'Y', mediaUrl: 'https://a.example/c.png' },
        ],
      },
    ],
  )
})

t.test('A signal cannot be combined with other content', async (t) => {
  t.same(compile('\n[[signal: typing]]\n').message, { spec: 'amf/1', signal: 'typing' })
  t.same(compile('[[signal:read]]').message, { spec: 'amf/1', signal: 'read' })
  checkRows(t, [
    ['with text', 'Hi [[signal: typing]]', '1:4 signalNotAlone'],
    ['with chips', '[[signal: typing]][[chips: a]]', '1:1 signalNotAlone'],
    ['twice', '[[signal: typing]]\n[[signal: read]]', '2:1 signalNotAlone'],
    ['one that is not known', '\n[[signal: wave]]', '2:1 invalidSignal'],
  ])
})

t.test('Each problem of the contract is reported with its line and column', async (t) => {
  const slots = (...all: string[]) => lines('[[ask.time #a | When?', ...all, ']]')
  checkRows(t, [
    ['an empty text', '', '1:1 empty'],
    ['space', ' \r\n\t', '1:1 empty'],
    ['an unknown marker', 'Hi\n  [[buttons: a]]', '2:3 unknownMarker'],
    ['a marker of another case', '[[Chips: a]]', '1:1 unknownMarker'],
    ['a name that every object has', '[[constructor: a]] [[__proto__]]', '1:1 unknownMarker', '1:20 unknownMarker'],
    ['a marker without name', 'matrix [[1, 2], [3, 4]]', '1:8 unknownMarker'],
    ['an unclosed marker', 'Hi [[chips: a | b\nthere', '1:4 unclosedMarker'],
    ['a marker before it is closed', '[[chips: a [[chips: b]] c', '1:1 unclosedMarker'],
    ['an unclosed block', lines('Hi', '[[ask.choice #a | Which?', 'x = X'), '2:1 unclosedBlock'],
    ['an unclosed block at the end', '[[ask.choice #a | Which?', '1:1 unclosedBlock'],
    [
      'a block within a block',
      lines('[[ask.choice #a | Which?', 'x = X', ' [[confirm #a | Sure?]]'),
      '1:1 unclosedBlock',
    ],
    ['an intent id twice', lines('[[confirm #a | Sure?]]', 'or', '[[ask.location #a | Where?]]'), '3:1 duplicateId'],
    ['an option id twice', lines('[[ask.choice #a | Which?', 'x = X', '', '  x = Y', ']]'), '4:3 duplicateId'],
    ['a slot id twice', slots('x = 2030-01-01T10:00:00Z', 'x = 2030-01-01T11:00:00Z'), '3:1 duplicateId'],
    [
      'an invalid date',
      slots('x = tomorrow', 'y = 2030-02-30T10:00:00Z', 'z = 2030-01-01T10:00:00'),
      '2:1 badDate',
      '3:1 badDate',
      '4:1 badDate',
    ],
    [
      'an event that ends before it begins',
      'x\n[[event: A | 2030-01-02T10:00:00Z | 2030-01-01T10:00:00Z]]',
      '2:1 badDate',
    ],
    [
      'an event in no zone',
      '[[event: A | 2030-01-01T10:00:00Z | 2030-01-02T10:00:00Z | Mars]]',
      '1:1 invalidMessage',
      '1:1 invalidMessage',
    ],
    ['no options', lines('[[ask.choice #a | Which?', ']]'), '1:1 emptyList'],
    ['no slots', '[[ask.time #a | When?]]', '1:1 emptyList'],
    ['no id', lines('[[ask.choice | Which?', 'x = X', ']]'), '1:1 badMarker'],
    ['an id of two words', lines('[[ask.choice #a Which?', 'x = X', ']]'), '1:1 badMarker'],
    ['no prompt', lines('[[ask.choice #a', 'x = X', ']]'), '1:1 invalidMessage'],
    ['a colon for a space', lines('[[ask.choice: #a | Which?', 'x = X', ']]'), '1:1 badMarker'],
    ['a line that is none', lines('[[ask.choice #a | Which?', 'x = X', 'Y', ']]'), '3:1 badLine'],
    ['a detail that is none', lines('[[confirm #a | Sure?', 'Price 12', ']]'), '2:1 badLine'],
    ['a line too many', lines('[[ask.location #a | Where?', 'x', ']]'), '2:1 badLine'],
    ['an option without label', lines('[[ask.choice #a | Which?', 'x = ~ about', ']]'), '2:1 invalidMessage'],
    ['half a surrogate pair', '[[confirm #a | Sure?]]\n  a\ud800', '2:3 invalidMessage'],
    [
      'several, by their places',
      lines('[[confirm #a | ]]', '[[foo]]', '[[chips: a -> b]]'),
      '1:1 invalidMessage',
      '2:1 unknownMarker',
      '3:1 badMarker',
    ],
  ])
  t.match(compile('[[ask.choice #a | Which?]]').problems, [{ message: 'options must hold at least 1' }])
  t.match(compile('[[foo]]').problems, [{ message: /no marker foo; there are chips, media, .* carousel/ }])
  t.equal(compile('[[foo]]'.repeat(500)).problems.length, limits.problems)
})

t.test('Content of a managed agent is a reference for it, and a problem for other agents', async (t) => {
  const aml = lines(
    'Hi [[template: welcome]] there',
    '[[things: t1, t2]] [[collection: c]]',
    '[[media: image:logo | Us]]',
    '[[showcase #s | Look',
    'a = A ~ one ~ image:a.b',
    'b = B ~ two ~ https://a.example/b.png',
    ']]',
    '[[card | C',
    'media: image:card',
    ']]',
  )
  t.same(problemsOf(aml), [
    '1:4 managedOnly',
    '2:1 managedOnly',
    '2:20 managedOnly',
    '3:1 managedOnly',
    '5:1 managedOnly',
    '9:1 managedOnly',
  ])
  const compiled = compile(aml, { managed: true })
  t.same(compiled.references, [
    { kind: 'template', ids: ['welcome'], path: 'parts[1]', line: 1, column: 4 },
    { kind: 'things', ids: ['t1', 't2'], path: 'parts[2]', line: 2, column: 1 },
    { kind: 'collection', ids: ['c'], path: 'parts[2]', line: 2, column: 20 },
    { kind: 'image', ids: ['logo'], path: 'parts[2].mediaUrl', line: 3, column: 1 },
    { kind: 'image', ids: ['a.b'], path: 'parts[3].items[0].mediaUrl', line: 5, column: 1 },
    { kind: 'image', ids: ['card'], path: 'parts[4].card.mediaUrl', line: 9, column: 1 },
  ])
  t.match(compiled.message, {
    parts: [
      { text: 'Hi' },
      { text: 'there' },
      { type: 'media', mediaUrl: 'image:logo', kind: 'image', alt: 'Us' },
      { items: [{ mediaUrl: 'image:a.b' }, { mediaUrl: 'https://a.example/b.png' }] },
      { card: { title: 'C', mediaUrl: 'image:card' } },
    ],
  })
  t.same(
    compile('[[template: a]]', { managed: true }).message,
    { spec: 'amf/1', parts: [] },
    'which may be all there is',
  )
  t.same(problemsOf('[[things: a,, b]]', { managed: true }), ['1:1 badMarker'])
  t.same(problemsOf('[[template: a]]\n[[confirm #a]]', { managed: true }), ['2:1 invalidMessage'])
  t.notOk('references' in compile('Hi', { managed: true }))
})

t.test('A slot is read in the zone of the conversation if that shows the time as written', async (t) => {
  const zoneOf = (iso: string, zone?: string) => {
    const [part] = partsOf(lines('[[ask.time #a | When?', `x = ${iso}`, ']]'), zone === undefined ? {} : { zone })
    const [slot] = (part as { slots: { start: { iso: string; tz: string } }[] }).slots
    t.equal(slot?.start.iso, iso, 'the instant stays')
    return slot?.start.tz
  }
  t.equal(zoneOf('2030-07-01T10:00:00+02:00', 'Europe/Paris'), 'Europe/Paris', 'in summer')
  t.equal(zoneOf('2030-01-01T10:00:00+01:00', 'Europe/Paris'), 'Europe/Paris', 'in winter')
  t.equal(zoneOf('2030-01-01T10:00:00+02:00', 'Europe/Paris'), 'Etc/GMT-2', 'another offset')
  t.equal(zoneOf('2030-01-01T10:00:00-08:00', 'Europe/Paris'), 'Etc/GMT+8', 'one in the west')
  t.equal(zoneOf('2030-01-01T10:00:00+00:00', 'Europe/Paris'), 'UTC', 'that of Greenwich')
  t.equal(zoneOf('2030-01-01T10:00:00Z', 'Europe/Paris'), 'Europe/Paris', 'an instant without a local time')
  t.equal(zoneOf('2030-01-01T10:00:00+05:30', 'Europe/Paris'), 'Asia/Kolkata', 'an offset that is not whole hours')
  t.equal(zoneOf('2030-01-01T10:00:00-03:30', 'Europe/Paris'), 'America/St_Johns', 'and in winter')
  t.equal(zoneOf('2030-07-01T10:00:00-02:30', 'Europe/Paris'), 'America/St_Johns', 'or in summer')
  t.equal(zoneOf('2030-07-01T10:00:00+12:45', 'Europe/Paris'), 'Pacific/Chatham', 'of quarters')
  t.equal(zoneOf('2030-07-01T10:00:00-13:00', 'Europe/Paris'), 'UTC', 'further west than any zone')
  t.equal(zoneOf('2030-01-01T10:00:00Z'), 'UTC', 'no zone given')
  t.equal(zoneOf('2030-01-01T10:00:00Z', 'Nowhere/Land'), 'UTC', 'an invalid zone')
  t.equal(zoneOf('2030-01-01T10:00:00+05:17', 'Europe/Paris'), 'UTC', 'an offset of no zone')
  t.match(compile(lines('[[ask.time #a | When?', 'x = 2030-01-01T10:00:00+05:17', ']]')).warnings, [
    { line: 2, code: 'unknownOffset' },
  ])
})

t.test('For any offset and zone, the reader sees the local time that was written', async (t) => {
  const zone = fc.constantFrom('UTC', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')
  const at = fc.integer({ min: 1_500_000_000, max: 2_500_000_000 })
  fc.assert(
    fc.property(zone, at, fc.integer({ min: -12, max: 14 }), (zone, at, hours) => {
      const iso = isoText(at * 1000, hours * 60)
      const [part] = partsOf(lines('[[ask.time #a | When?', `x = ${iso}`, ']]'), { zone })
      const { tz } = (part as { slots: { start: { tz: string } }[] }).slots[0]!.start
      const localTime = new Date(at * 1000).toLocaleString('sv-SE', { timeZone: tz })
      return localTime.replace(' ', 'T') === iso.slice(0, 19)
    }),
  )
  t.pass()
})

t.test('Warnings name the channel with the fewest features, and are complete', async (t) => {
  const warningsOf = (aml: string, options?: CompileOptions) => compile(aml, options).warnings
  const label = (size: number) => 'x'.repeat(size)
  t.same(warningsOf(`Hi [[chips: ${label(20)} | a | b]]`), [])
  t.match(warningsOf(`Hi\n[[chips: a | ${label(21)}]]`), [
    { line: 2, column: 1, code: 'longLabel', message: /messengerA shows 20/ },
  ])
  t.match(warningsOf(lines('[[ask.choice #a | Which?', 'x = X', `y = ${label(21)}`, ']]')), [
    { line: 3, code: 'longLabel' },
  ])
  t.match(warningsOf(lines('[[ask.time #a | When?', `y = 2030-01-01T10:00:00Z ~ ${label(21)}`, ']]')), [
    { line: 2, code: 'longLabel' },
  ])
  t.match(warningsOf(lines('[[showcase #a', `y = ${label(81)}`, ']]')), [
    { line: 2, code: 'longLabel', message: /messengerB shows 80/ },
  ])
  t.match(warningsOf(lines('[[carousel', 'One', '---', 'Two', `chips: a | ${label(21)}`, ']]')), [
    { line: 5, code: 'longLabel' },
    { line: 5, code: 'tooManyChips' },
  ])
  t.match(warningsOf('Hi [[chips: a | b]] [[chips: c | d]]'), [
    { line: 1, column: 4, code: 'tooManyChips', message: /4 chips; messengerA shows at most 3/ },
  ])
  t.same(warningsOf(`Hi [[chips: ${'😀'.repeat(20)}]]`), [], 'a character is one however it is stored')

  const slots = lines('[[ask.time #a | When?', 'x = 2030-01-01T10:00:00+02:00', 'y = 2030-01-01T10:00:00Z', ']]')
  const now = Date.parse('2030-01-01T09:00:00Z')
  t.match(warningsOf(slots, { now }), [{ line: 2, column: 1, code: 'pastSlot' }])
  t.same(warningsOf(slots), [], 'without a clock no time is past')
})

t.test('Text that is longer than all parts together is refused before it is parsed', async (t) => {
  const most = limits.parts * limits.textChars
  t.equal(limits.amlChars, most)
  t.equal(partsOf('a'.repeat(most)).length, limits.parts)
  const { compiled, steps } = compileWithSteps('[[x: '.repeat(most), { lenient: true })
  t.match(compiled, { problems: [{ line: 1, column: 1, code: 'tooLarge' }], warnings: [] })
  t.equal(compiled.message, undefined)
  t.equal(steps, 0)
})

t.test('Compiling takes time in proportion to the text, for any text', async (t) => {
  const families: readonly string[] = [
    '[[',
    ']]',
    '[',
    ']',
    '\\[[',
    '[[[',
    '[[chips: ',
    '[[chips: a]]',
    '[[chips: a]] ',
    '[[chips: a\n',
    '[[card\n',
    '[[card | a\n]]',
    '[[ask.choice #a | b\n',
    '[[ask.choice #a | b ',
    'x = y\n',
    ' ~ ',
    '|',
    '=',
    '\n',
    ' ',
    '\r\n',
    ']]\n',
    '[[foo',
    '[[confirm #a | b]]',
    '---\n',
    '\ud800',
    '[[event: a | b | c]]',
    '[[ask.time #a | b\nx = 1\n]]\n',
  ]
  const heads = ['', '[[ask.choice #a | b\n', '[[chips: ', '[[carousel\n', 'x\n'.repeat(500), ' '.repeat(500)]
  for (const head of heads) {
    for (const unit of families) {
      const stepsOf = (times: number) => compileWithSteps(head + unit.repeat(times), {}).steps
      const [once, twice, four] = [stepsOf(500), stepsOf(1_000), stepsOf(2_000)]
      t.ok(four - twice <= 2 * (twice - once) + 20, JSON.stringify([head.slice(0, 20), unit, once, twice, four]))
      t.ok(four <= 6 * (head.length + unit.length * 2_000) + 20, `${JSON.stringify(unit)} is passed few times`)
    }
  }
})

t.test('Any text gives a valid message, or problems with a position', async (t) => {
  const bits = [
    '[[',
    ']]',
    '\\',
    '\n',
    '|',
    '=',
    '~',
    ':',
    '#',
    ' ',
    '->',
    'chips',
    'ask.time',
    'card',
    'carousel',
    'a',
    '---',
    '2030-01-01T10:00:00Z',
    'https://a.example',
  ]
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...bits), { maxLength: 60 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, fc.boolean(), (aml, managed) => {
      const { message, problems, references } = compile(aml, { managed, now: 0 })
      const rows = aml.split('\n')
      const placed = problems.every(({ line, column }) => column >= 1 && column <= (rows[line - 1]?.length ?? -1) + 1)
      if (message && !references) t.ok('message' in validateMessage(message))
      return placed && (message !== undefined) === (problems.length === 0)
    }),
    { numRuns: 1_000 },
  )
  t.pass()
})
