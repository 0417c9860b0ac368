/** A message of AMF/1 is judged as the contract says, and each fault is told with its path. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Part, plainParts } from '../../../core/amf/message.js'
import { type Problem, validateMessage } from '../../../core/amf/validation.js'
import { http, amf as limits } from '../../../core/limits/index.js'
import { contentMessage } from './arbitrary.js'

const message = (...parts: unknown[]) => ({ spec: 'amf/1', parts })
const text = { type: 'text', text: 'Hello' }
const withChips = (...chips: unknown[]) => ({ ...message(text), chips })
const moment = { iso: '2030-05-17T14:30:00+02:00', tz: 'Europe/Paris' }
const later = { iso: '2030-05-17T15:30:00+02:00', tz: 'Europe/Paris' }
const event = { title: 'Dinner', start: moment, end: later }
const choice = { type: 'ask.choice', intentId: 'a', prompt: 'Which?', options: [{ id: 'x', label: 'X' }] }
const native = { type: 'native', channel: 'rcs', payload: { any: [1] }, fallback: [text] }

function problemsOf(value: unknown): Problem[] {
  const validated = validateMessage(value)
  return 'problems' in validated ? validated.problems : []
}

const pathsOf = (value: unknown) => problemsOf(value).map(({ path }) => path)

/** The paths of its problems; a row with none is accepted. */
type Row = readonly [what: string, value: unknown, ...paths: string[]]

function checkRows(t: Test, rows: readonly Row[]): void {
  for (const [what, value, ...paths] of rows) t.same(pathsOf(value), paths, what)
}

t.test('Every valid message is accepted and returned unchanged', async (t) => {
  fc.assert(
    fc.property(contentMessage, (each) => {
      const validated = validateMessage(each)
      if ('problems' in validated) throw new Error(JSON.stringify(validated.problems))
      return validated.message === each
    }),
  )
  t.pass()
})

t.test('Every accepted message has the shape that the format declares', async (t) => {
  const ajv = new Ajv2020()
  const shapes = new Map(Object.entries(plainParts).map(([type, shape]) => [type, ajv.compile(shape)]))
  const matchesSchema = (part: Part): boolean =>
    part.type === 'native' ? part.fallback.every(matchesSchema) : shapes.get(part.type)?.(part) === true
  fc.assert(fc.property(contentMessage, ({ parts }) => parts.every(matchesSchema)))
  t.pass()
})

t.test('Validation returns a value for any input', async (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.jsonValue()), (value) => {
      for (const each of [
        value,
        message(value),
        { ...message(text), chips: value },
        message({ ...native, payload: value }),
      ]) {
        const validated = validateMessage(each)
        if ('problems' in validated)
          t.ok(validated.problems.length >= 1 && validated.problems.length <= limits.problems)
      }
    }),
  )
})

t.test('An unknown member is named by its path, at every level', async (t) => {
  /**
   * Puts an unknown member into one of the objects of a message, but not inside a payload, where everything is allowed.
   */
  function collectMutations(value: unknown, path: string, mutations: (() => string)[]): void {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const [place, each] of value.entries()) collectMutations(each, `${path}[${place}]`, mutations)
      return
    }
    const own = value as Record<string, unknown>
    mutations.push(() => {
      own.nonsense = 1
      return path === '' ? 'nonsense' : `${path}.nonsense`
    })
    for (const [key, each] of Object.entries(own))
      if (key !== 'payload') collectMutations(each, path === '' ? key : `${path}.${key}`, mutations)
  }
  fc.assert(
    fc.property(contentMessage, fc.nat(), (drawn, choice) => {
      const copy = structuredClone(drawn)
      const spots: (() => string)[] = []
      collectMutations(copy, '', spots)
      const path = spots[choice % spots.length]?.()
      return problemsOf(copy).some((each) => each.path === path && each.code === 'invalidMessage')
    }),
  )
  t.pass()
})

t.test('A message is of spec amf/1 and has parts or a signal, not both', async (t) => {
  checkRows(t, [
    ['no object', 'hello', ''],
    ['null', null, ''],
    ['a list', [message(text)], ''],
    ['neither', { spec: 'amf/1' }, ''],
    ['both', { ...message(text), signal: 'typing' }, 'signal'],
    ['no spec', { parts: [text] }, 'spec'],
    ['another spec', { ...message(text), spec: 'amf/2' }, 'spec'],
    ['no parts in the list', message(), 'parts'],
    ['parts that are no list', { spec: 'amf/1', parts: text }, 'parts'],
    ['a signal', { spec: 'amf/1', signal: 'typing', id: 'mine' }],
    ['the other signal', { spec: 'amf/1', signal: 'read' }],
    ['a signal with chips', { spec: 'amf/1', signal: 'read', chips: [{ label: 'A' }] }, 'chips'],
    ['a locale', { ...message(text), locale: 'zh-Hant-TW' }],
    ['a locale that is none', { ...message(text), locale: 'english!' }, 'locale'],
    ['an id that is no text', { ...message(text), id: 7 }, 'id'],
    ['an id with a line break', { ...message(text), id: 'a\nb' }, 'id'],
  ])
})

t.test('An unknown signal is an invalidSignal', async (t) => {
  for (const signal of ['wave', '', 7, null, ['typing']]) {
    t.match(problemsOf({ spec: 'amf/1', signal }), [{ path: 'signal', code: 'invalidSignal', message: /typing, read/ }])
  }
})

t.test('A part is validated by its type alone', async (t) => {
  checkRows(t, [
    ['no object', message('hello'), 'parts[0]'],
    ['no type', message({ text: 'Hello' }), 'parts[0].type'],
    ['an unknown type', message(text, { type: 'video' }), 'parts[1].type'],
    ['a name that every object has', message({ type: 'constructor' }), 'parts[0].type'],
    ['a type that is no text', message({ type: ['text'] }), 'parts[0].type'],
    ['a member of another part', message({ ...text, prompt: 'x' }), 'parts[0].prompt'],
    ['a key that is no name', message({ ...text, 'a b': 1 }), 'parts[0]["a b"]'],
    [
      'a prototype',
      JSON.parse('{"spec":"amf/1","parts":[{"type":"text","text":"a","__proto__":{}}]}'),
      'parts[0].__proto__',
    ],
    ['everything missing', message({ type: 'ask.choice' }), 'parts[0].intentId', 'parts[0].prompt', 'parts[0].options'],
    [
      'a missing member of an entry',
      message({ ...choice, options: [{ id: 'a', label: 'A' }, { id: 'b' }] }),
      'parts[0].options[1].label',
    ],
    ['no options', message({ ...choice, options: [] }), 'parts[0].options'],
    ['blank text', message({ type: 'text', text: ' \n' }), 'parts[0].text'],
  ])
})

t.test('Text is a string, or a list of strings and values', async (t) => {
  const of = (...runs: unknown[]) => message({ type: 'text', text: runs })
  checkRows(t, [
    ['words and values', of('At ', moment, ' for ', { amount: '12.50', currency: 'EUR' })],
    ['an object alone', message({ type: 'text', text: moment }), 'parts[0].text'],
    ['an empty list', of(), 'parts[0].text'],
    ['nothing but space', of('', ' '), 'parts[0].text'],
    ['a run that is neither', of('a', { sum: 1 }), 'parts[0].text[1]'],
    ['a run that is null', of(null), 'parts[0].text[0]'],
    ['a sum that is a number', of({ amount: 12.5, currency: 'EUR' }), 'parts[0].text[0].amount'],
    ['a sum in words', of({ amount: '12,50', currency: 'EUR' }), 'parts[0].text[0].amount'],
    ['a currency sign', of({ amount: '12.50', currency: '€' }), 'parts[0].text[0].currency'],
    ['a sum without currency', of({ amount: '12.50' }), 'parts[0].text[0].currency'],
  ])
})

t.test('A chip has the target of its kind, and no field of another kind', async (t) => {
  const place = { address: 'Main Street 1' }
  checkRows(t, [
    ['a reply', withChips({ label: 'Yes' }, { label: 'No', kind: 'reply', value: 'no' })],
    [
      'one of each',
      withChips(
        { label: 'a', kind: 'url', url: 'https://example.com' },
        { label: 'b', kind: 'dial', phone: '+14155550100' },
        { label: 'c', kind: 'calendar', event },
        { label: 'd', kind: 'viewLocation', place },
        { label: 'e', kind: 'shareLocation' },
      ),
    ],
    ['url without url', withChips({ label: 'a', kind: 'url' }), 'chips[0].url'],
    ['dial without phone', withChips({ label: 'a', kind: 'dial' }), 'chips[0].phone'],
    ['calendar without event', withChips({ label: 'a', kind: 'calendar' }), 'chips[0].event'],
    ['viewLocation without place', withChips({ label: 'a', kind: 'viewLocation' }), 'chips[0].place'],
    ['a reply with a url', withChips({ label: 'a', url: 'https://example.com' }), 'chips[0].url'],
    [
      'dial with a url',
      withChips({ label: 'a', kind: 'dial', phone: '+14155550100', url: 'https://example.com' }),
      'chips[0].url',
    ],
    ['shareLocation with a place', withChips({ label: 'a', kind: 'shareLocation', place }), 'chips[0].place'],
    ['an unknown kind', withChips({ label: 'a', kind: 'buy' }), 'chips[0].kind'],
    ['no label', withChips({ value: 'a' }), 'chips[0].label'],
    ['a script', withChips({ label: 'a', kind: 'url', url: 'javascript:alert(1)' }), 'chips[0].url'],
    ['an address that is none', withChips({ label: 'a', kind: 'url', url: 'https://[' }), 'chips[0].url'],
    [
      'an address with a password',
      withChips({ label: 'a', kind: 'url', url: 'https://bank.example:x@evil.example' }),
      'chips[0].url',
    ],
    ['a phone in letters', withChips({ label: 'a', kind: 'dial', phone: 'call me' }), 'chips[0].phone'],
    ['no chips in the list: the same as none', withChips()],
    [
      'a fault inside the event of a chip',
      withChips({ label: 'a', kind: 'calendar', event: { ...event, end: moment } }),
      'chips[0].event.end',
    ],
    [
      'a fault inside a card',
      message({ type: 'card', card: { title: 'A', chips: [{ label: 'b', kind: 'url' }] } }),
      'parts[0].card.chips[0].url',
    ],
  ])
})

t.test('A place has an address or a latitude with its longitude', async (t) => {
  const of = (place: object) => message({ type: 'share.place', ...place })
  checkRows(t, [
    ['an address', of({ address: 'Main Street 1' })],
    ['a pair', of({ latitude: -90, longitude: 180 })],
    ['nothing', of({}), 'parts[0]'],
    ['a label alone', of({ label: 'Home' }), 'parts[0]'],
    ['half a pair', of({ latitude: 1 }), 'parts[0].longitude'],
    ['the other half beside an address', of({ address: 'a', longitude: 1 }), 'parts[0].latitude'],
    ['beyond the pole', of({ latitude: 90.1, longitude: 0 }), 'parts[0].latitude'],
    ['no number', of({ latitude: '1', longitude: Number.NaN }), 'parts[0].latitude', 'parts[0].longitude'],
    ['in an event', message({ type: 'share.event', ...event, place: { label: 'Home' } }), 'parts[0].place'],
  ])
})

t.test('A card has a title, a description or a picture', async (t) => {
  checkRows(t, [
    ['a picture', message({ type: 'card', card: { mediaUrl: 'https://example.com/a.png' } })],
    ['nothing', message({ type: 'card', card: {} }), 'parts[0].card'],
    [
      'chips alone',
      message({ type: 'carousel', cards: [{ title: 'A' }, { chips: [{ label: 'b' }] }] }),
      'parts[0].cards[1]',
    ],
  ])
})

t.test('Ids are unique: of intents in a message, of entries in their intent', async (t) => {
  const confirm = { type: 'confirm', intentId: 'a', prompt: 'Sure?' }
  const two = (id: string) => ({
    ...choice,
    intentId: id,
    options: [
      { id: 'x', label: 'X' },
      { id: 'x', label: 'Y' },
    ],
  })
  checkRows(t, [
    ['the same entry in two intents', message(choice, { ...choice, intentId: 'b' })],
    ['an intent twice', message(choice, confirm), 'parts[1].intentId'],
    [
      'an intent again in a fallback',
      message(choice, { ...native, fallback: [confirm] }),
      'parts[1].fallback[0].intentId',
    ],
    ['an option twice', message(two('a')), 'parts[0].options[1].id'],
    [
      'a slot twice',
      message({
        type: 'ask.time',
        intentId: 'a',
        prompt: 'When?',
        slots: [
          { id: 's', start: moment },
          { id: 's', start: later },
        ],
      }),
      'parts[0].slots[1].id',
    ],
    [
      'an item twice',
      message({
        type: 'showcase',
        intentId: 'a',
        items: [
          { id: 'i', title: 'I' },
          { id: 'i', title: 'J' },
        ],
      }),
      'parts[0].items[1].id',
    ],
    ['beside another fault', message({ ...two('a'), prompt: 7 }), 'parts[0].prompt', 'parts[0].options[1].id'],
  ])
})

t.test('A moment is ISO-8601 with its offset, exists, and is read in an IANA zone', async (t) => {
  const at = (iso: string, tz = 'Europe/Paris') => message({ type: 'text', text: [{ iso, tz }] })
  const [iso, tz] = ['parts[0].text[0].iso', 'parts[0].text[0].tz']
  checkRows(t, [
    ['Z', at('2030-05-17T14:30:00Z')],
    ['without seconds', at('2030-05-17T14:30-03:30')],
    ['parts of a second', at('2030-05-17T14:30:00.123+14:00')],
    ['a leap day', at('2028-02-29T00:00:00Z')],
    ['a leap day of a century', at('2000-02-29T00:00:00Z')],
    ['no offset', at('2030-05-17T14:30:00'), iso],
    ['no time', at('2030-05-17'), iso],
    ['words', at('tomorrow at 5'), iso],
    ['no leap day', at('2030-02-29T00:00:00Z'), iso],
    ['no leap day of a century', at('2100-02-29T00:00:00Z'), iso],
    ['April has 30', at('2030-04-31T00:00:00Z'), iso],
    ['month 13', at('2030-13-01T00:00:00Z'), iso],
    ['day 0', at('2030-01-00T00:00:00Z'), iso],
    ['hour 24', at('2030-01-01T24:00:00Z'), iso],
    ['minute 60', at('2030-01-01T10:60:00Z'), iso],
    ['offset 15', at('2030-01-01T10:00:00+15:00'), iso],
    ['offset 01:75', at('2030-01-01T10:00:00+01:75'), iso],
    ['a year of five digits', at('12030-01-01T10:00:00Z'), iso],
    ['space around', at(' 2030-01-01T10:00:00Z'), iso],
    ['no zone', at('2030-05-17T14:30:00Z', 'Mars/Olympus'), tz],
    ['an offset for a zone', at('2030-05-17T14:30:00Z', '+02:00'), tz],
    ['both', at('x', ''), iso, tz],
    ['the end at the start', message({ type: 'share.event', ...event, end: moment }), 'parts[0].end'],
    [
      'the end before it, although its clock shows more',
      message({ type: 'share.event', ...event, end: { iso: '2030-05-17T15:00:00+04:00', tz: 'Asia/Dubai' } }),
      'parts[0].end',
    ],
  ])
})

t.test('Media is accepted over https only, and the problem says so', async (t) => {
  const of = (mediaUrl: unknown) => message({ type: 'media', kind: 'image', mediaUrl })
  checkRows(t, [
    ['https', of('https://example.com/a.png?b=c')],
    ['capitals', of('HTTPS://example.com/a.png')],
    ['a file', of('file:///etc/passwd'), 'parts[0].mediaUrl'],
    ['data', of('data:image/png;base64,AA'), 'parts[0].mediaUrl'],
    ['a password', of('https://me:secret@example.com/a.png'), 'parts[0].mediaUrl'],
    [
      'a thumbnail',
      message({
        type: 'media',
        kind: 'video',
        mediaUrl: 'https://example.com/a',
        thumbnailUrl: 'http://example.com/b',
      }),
      'parts[0].thumbnailUrl',
    ],
    [
      'an option',
      message({ ...choice, options: [{ id: 'a', label: 'A', mediaUrl: 'http://example.com' }] }),
      'parts[0].options[0].mediaUrl',
    ],
    ['a card', message({ type: 'card', card: { mediaUrl: 'http://example.com' } }), 'parts[0].card.mediaUrl'],
  ])
  t.match(problemsOf(of('http://example.com/a.png')), [{ path: 'parts[0].mediaUrl', message: /https/ }])
})

t.test('A native part has a fallback that every channel shows, and a payload of plain JSON', async (t) => {
  const { fallback: _, ...bare } = native
  const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  checkRows(t, [
    ['whole', message(native)],
    ['null as payload', message({ ...native, payload: null })],
    ['no fallback', message(bare), 'parts[0].fallback'],
    ['an empty fallback', message({ ...native, fallback: [] }), 'parts[0].fallback'],
    ['native in native', message({ ...native, fallback: [native] }), 'parts[0].fallback[0].type'],
    ['a fault in the fallback', message({ ...native, fallback: [{ type: 'text' }] }), 'parts[0].fallback[0].text'],
    ['an unknown channel', message({ ...native, channel: 'fax' }), 'parts[0].channel'],
    ['no payload', message({ type: 'native', channel: 'rcs', fallback: [text] }), 'parts[0].payload'],
    ['a date', message({ ...native, payload: { at: new Date(0) } }), 'parts[0].payload'],
    ['infinity', message({ ...native, payload: [Number.POSITIVE_INFINITY] }), 'parts[0].payload'],
    ['half a pair in a key', message({ ...native, payload: { '\ud800': 1 } }), 'parts[0].payload'],
    ['as deep as a body may be', message({ ...native, payload: deep(http.jsonDepth) })],
    ['one deeper', message({ ...native, payload: deep(http.jsonDepth + 1) }), 'parts[0].payload'],
    ['very deep', message({ ...native, payload: deep(100_000) }), 'parts[0].payload'],
    ['a circle', message({ ...native, payload: cycle }), 'parts[0].payload'],
  ])
})

t.test('A payload is measured in bytes as JSON', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: -2, max: 2 }), (value, more) => {
      const room = limits.nativeBytes - Buffer.byteLength(JSON.stringify([value, ''])) + more
      const fits = pathsOf(message({ ...native, payload: [value, 'x'.repeat(room)] })).length === 0
      return fits === more <= 0 || /\\u0000|\\ud/i.test(JSON.stringify(value))
    }),
  )
  let wide: unknown = 1
  for (let level = 0; level < http.jsonDepth - 1; level++) wide = [wide, wide]
  t.match(problemsOf(message({ ...native, payload: wide })), [{ path: 'parts[0].payload', code: 'tooLarge' }])
})

t.test('Characters that no channel can carry are refused at every position', async (t) => {
  for (const bad of ['a\0b', 'a\ud800b', '\udc00']) {
    checkRows(t, [
      ['in text', message({ type: 'text', text: bad }), 'parts[0].text'],
      ['in a run', message({ type: 'text', text: ['a', bad] }), 'parts[0].text[1]'],
      ['in an id', { ...message(text), id: bad }, 'id'],
      ['in a label', withChips({ label: bad }), 'chips[0].label'],
      ['in a payload', message({ ...native, payload: { a: [bad] } }), 'parts[0].payload'],
    ])
  }
  checkRows(t, [['whole pairs', message({ type: 'text', text: '👩‍🚀 \u{10ffff}' })]])
})

t.test('Each limit accepts its number and refuses one more as tooLarge', async (t) => {
  const many = <Value>(count: number, make: (place: number) => Value) =>
    Array.from({ length: count }, (_, place) => make(place))
  const rows: readonly [what: string, most: number, make: (size: number) => unknown, path: string][] = [
    ['parts', limits.parts, (size) => message(...many(size, () => text)), 'parts'],
    ['chips', limits.chips, (size) => withChips(...many(size, (place) => ({ label: `${place}` }))), 'chips'],
    ['text', limits.textChars, (size) => message({ type: 'text', text: '😀'.repeat(size) }), 'parts[0].text'],
    [
      'runs together',
      limits.textChars,
      (size) => message({ type: 'text', text: ['a'.repeat(size - 9), moment, 'b'.repeat(9)] }),
      'parts[0].text',
    ],
    [
      'options',
      limits.options,
      (size) => message({ ...choice, options: many(size, (place) => ({ id: `${place}`, label: 'a' })) }),
      'parts[0].options',
    ],
    [
      'cards',
      limits.cards,
      (size) => message({ type: 'carousel', cards: many(size, () => ({ title: 'a' })) }),
      'parts[0].cards',
    ],
    ['fallback', limits.parts, (size) => message({ ...native, fallback: many(size, () => text) }), 'parts[0].fallback'],
    ['id', limits.idChars, (size) => ({ ...message(text), id: 'a'.repeat(size) }), 'id'],
    [
      'url',
      limits.urlChars,
      (size) => withChips({ label: 'a', kind: 'url', url: `https://a.example/${'b'.repeat(size - 18)}` }),
      'chips[0].url',
    ],
    [
      'payload',
      limits.nativeBytes,
      (size) => message({ ...native, payload: 'a'.repeat(size - 2) }),
      'parts[0].payload',
    ],
  ]
  for (const [what, most, make, path] of rows) {
    t.same(problemsOf(make(most)), [], `${most} of ${what}`)
    t.match(problemsOf(make(most + 1)), [{ path, code: 'tooLarge' }], `${most + 1} of ${what}`)
  }
})

t.test('The number of listed problems is bounded, and values are quoted shortened', async (t) => {
  const many = Array.from({ length: limits.parts }, () => ({ type: 'share.event', a: 1 }))
  t.equal(problemsOf(message(...many)).length, limits.problems)
  const [problem] = problemsOf(message({ type: `\u001b[31m${'x'.repeat(5_000)}` }))
  t.ok(problem && problem.message.length < 400)
  t.notMatch(problem?.message, '\u001b')
})
