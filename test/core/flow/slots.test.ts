/** Reading values for slots from what people write: forms, ambiguity, and any text. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { matchChoice } from '../../../core/flow/slots/choice.js'
import type { ReadingPlace } from '../../../core/flow/slots/date.js'
import { readAnswer, readMentions, type SlotType, textOfValue } from '../../../core/flow/slots/reader.js'
import { regionOf } from '../../../core/flow/slots/region.js'
import { matchTime, offeredTimes, timeslotAt } from '../../../core/flow/slots/timeslot.js'
import { isCancel, isSkip, readableName, readYesNo } from '../../../core/flow/slots/words.js'
import { anyText } from '../../harness/arbitraries.js'
import { now, person } from './talk.js'

const place: ReadingPlace = { now, zone: 'Europe/Paris', region: 'US' }
const british: ReadingPlace = { ...place, region: 'GB' }

function check(t: Test, type: SlotType, cases: readonly (readonly [string, unknown])[], at = place): void {
  for (const [text, expected] of cases) t.same(readAnswer(type, text, at), expected, `${type}: ${text}`)
}

t.test('An email slot takes the one address of a text', async (t) => {
  check(t, 'email', [
    ['ada@example.com', 'ada@example.com'],
    ['It is Ada+1@Example.COM, thanks.', 'Ada+1@example.com'],
    ['<ada@example.com>', 'ada@example.com'],
    ['ada@example.com or bob@example.com', undefined],
    ['ada@example', undefined],
    ['ada@@example.com', undefined],
    ['a..b@example.com', undefined],
    ['no', undefined],
  ])
})

t.test('A phone slot takes the one number of a text, in E.164, as the region writes it', async (t) => {
  check(t, 'phone', [
    ['415-555-0132', '+14155550132'],
    ['call (415) 555 0132 please', '+14155550132'],
    ['+44 20 7946 0958', '+442079460958'],
    ['0033 6 12 34 56 78', '+33612345678'],
    ['415-555-0132 or 415-555-0133', undefined],
    ['2030-05-14', undefined],
    ['12345', undefined],
    ['4', undefined],
  ])
  check(t, 'phone', [['020 7946 0958', '+442079460958']], british)
})

t.test('The region is that of the person’s number, else of the time zone, else the United States', async (t) => {
  t.equal(regionOf({ ...person, phone: '+442079460958' }, 'Europe/Paris'), 'GB')
  const identity = { asid: 'a', channel: 'sms' as const, address: '+4915112345678' }
  t.equal(regionOf({ ...person, identities: [identity] }, 'Europe/Paris'), 'DE')
  t.equal(regionOf(person, 'Europe/Paris'), 'FR')
  t.equal(regionOf(undefined, 'Asia/Kolkata'), 'IN')
  for (const zone of ['America/New_York', 'UTC', 'Nowhere/Land', '']) t.equal(regionOf(undefined, zone), 'US')
})

t.test('A number slot takes the one number of a text, in digits or as a word', async (t) => {
  check(t, 'number', [
    ['4', 4],
    ['4 people', 4],
    ['-5', -5],
    ['1,500.50', 1500.5],
    ['1,5', 1.5],
    ['20kg', 20],
    ['four', 4],
    ['just one', 1],
    ['2 or 3', undefined],
    ['3-4', undefined],
    ['2nd', undefined],
    ['4pm', undefined],
    ['1.2.3', undefined],
    ['9'.repeat(30), undefined],
    ['someone', undefined],
  ])
})

t.test(
  'A date slot takes the one day of a text: ISO, as people write it, or in words; days without a year lie ahead',
  async (t) => {
    check(t, 'date', [
      ['2030-12-24', '2030-12-24'],
      ['2030-02-30', undefined],
      ['May 14', '2030-05-14'],
      ['on the 14th of May please', '2030-05-14'],
      ['13 May', '2030-05-13'],
      ['12 March 1985', '1985-03-12'],
      ['March 3', '2031-03-03'],
      ['5/6', '2031-05-06'],
      ['31/12', '2030-12-31'],
      ['10.06.2030', '2030-06-10'],
      ['today', '2030-05-13'],
      ['tomorrow', '2030-05-14'],
      ['the day after tomorrow', '2030-05-15'],
      ['friday', '2030-05-17'],
      ['fri', '2030-05-17'],
      ['next friday', '2030-05-24'],
      ['in 3 days', '2030-05-16'],
      ['in two weeks', '2030-05-27'],
      ['the 5th', '2030-06-05'],
      ['Monday the 20th', '2030-05-20'],
      ['Monday the 21st', undefined],
      ['Friday or Sunday', undefined],
      ['May 3 to May 5', undefined],
      ['last friday', undefined],
      ['next week', undefined],
      ['12', undefined],
    ])
    check(t, 'date', [['5/6', '2030-06-05']], british)
  },
)

t.test('A day is that of the person’s zone, in whatever zone the process runs', async (t) => {
  const late = { now: Date.UTC(2030, 4, 13, 23, 30), region: 'US' as const }
  t.equal(readAnswer('date', 'tomorrow', { ...late, zone: 'Europe/Paris' }), '2030-05-15')
  t.equal(readAnswer('date', 'tomorrow', { ...late, zone: 'America/New_York' }), '2030-05-14')
  t.equal(readAnswer('date', 'May 14', { ...late, zone: 'Europe/Paris' }), '2030-05-14', 'today is ahead')
  t.equal(readAnswer('date', 'May 13', { ...late, zone: 'Europe/Paris' }), '2031-05-13')
})

t.test('A boolean slot takes yes and no words, and nothing that is both, conditional or a question', async (t) => {
  for (const yes of ['yes', 'Yes please!', 'yep', 'ok', 'Sure 👍', 'that’s right', 'y'])
    t.equal(readYesNo(yes), true, yes)
  for (const no of ['no', 'Nope.', 'no thanks', 'not really', 'nah']) t.equal(readYesNo(no), false, no)
  for (const neither of ['yes but later', 'no problem', 'yes?', 'maybe', '', '😀', 'yes '.repeat(100)]) {
    t.equal(readYesNo(neither), undefined, neither)
  }
})

t.test('Whole messages skip or cancel; sentences with those words do not', async (t) => {
  for (const text of ['cancel', 'Never mind.', 'forget it please', 'No, never mind']) t.ok(isCancel(text), text)
  for (const text of ['skip', 'no', 'N/A', "I'd rather not say", 'None!']) t.ok(isSkip(text), text)
  for (const text of ['cancel my order of Monday', 'can I skip the line?', 'STOP', '']) {
    t.notOk(isCancel(text) || isSkip(text), text)
  }
})

const options = ['Gold plan', 'Silver plan', 'Basic'].map((label) => ({ id: label.toLowerCase(), label }))

t.test('An enum slot takes the one option that a text means: by label, id, number, rank or words', async (t) => {
  const cases: [string, string | undefined][] = [
    ['gold plan', 'Gold plan'],
    ['gold', 'Gold plan'],
    ['I take the silver plan', 'Silver plan'],
    ['2', 'Silver plan'],
    ['the third one', 'Basic'],
    ['last', 'Basic'],
    ['plan', undefined],
    ['not the gold plan', undefined],
    ['platinum', undefined],
  ]
  for (const [text, expected] of cases) t.equal(matchChoice(text, options)?.label, expected, text)
  t.equal(matchChoice('yes', options.slice(0, 1))?.label, 'Gold plan', 'yes is the only option')
})

const list = {
  zone: 'Europe/Paris',
  slots: [
    { id: 'a', start: '2030-05-14T15:00:00+02:00', durationMinutes: 30 },
    { id: 'b', start: '2030-05-14T16:30:00+02:00' },
    { id: 'c', start: '2030-05-17T15:00:00+02:00', representativeId: 'ann', representativeName: 'Ann' },
    { id: 'd', start: '2030-05-17T15:00:00+02:00', representativeName: 'Bob' },
  ],
}

t.test('A timeslot takes the offered time that a label, a rank, or a day and a time name', async (t) => {
  const offered = offeredTimes(list, 'UTC')
  const cases: [string, string | undefined][] = [
    ['Tue, May 14, 3:00 PM', 'a'],
    ['tomorrow at 3', 'a'],
    ['16:30', 'b'],
    ['4:30pm', 'b'],
    ['tuesday at half', undefined],
    ['tomorrow', undefined],
    ['friday', undefined],
    ['friday 3pm', undefined],
    ['with Bob', 'd'],
    ['2', 'b'],
    ['the first one', 'a'],
    ['the earliest', 'a'],
    ['tomorrow at 5', undefined],
    ['15 May 2030 15:00', undefined],
  ]
  for (const [text, expected] of cases) t.equal(matchTime(text, offered, place)?.id, expected, text)
  t.same(offered[2]?.value, {
    startUtc: Date.UTC(2030, 4, 17, 13),
    start: '2030-05-17T15:00:00+02:00',
    zone: 'Europe/Paris',
    label: 'Fri, May 17, 3:00 PM with Ann',
    representativeId: 'ann',
  })
})

t.test('What a source lists in another form than times is left out', async (t) => {
  const odd = [
    null,
    7,
    'soon',
    {},
    { start: 5 },
    { start: '2030-13-01T00:00:00Z' },
    { id: 'x'.repeat(999), start: '2030-05-14T15:00:00Z' },
  ]
  const offered = offeredTimes(odd, 'Europe/Paris')
  t.same(
    offered.map(({ id, value }) => [id, value.start]),
    [['2030-05-14T17:00:00+02:00', '2030-05-14T17:00:00+02:00']],
  )
  for (const result of [undefined, null, {}, { slots: 'x' }, 'x', 7]) t.same(offeredTimes(result, 'UTC'), [])
  t.equal(timeslotAt('soon', 'UTC'), undefined)
  t.match(timeslotAt(Date.UTC(2030, 4, 14, 13), 'Nowhere'), { start: '2030-05-14T13:00:00+00:00', zone: 'UTC' })
})

t.test('A message mentions values of several types, and digits of one are no value of another', async (t) => {
  const types = new Set<SlotType>(['email', 'phone', 'date', 'number'])
  const mentions = (text: string) => Object.fromEntries(readMentions(text, types, place))
  t.same(mentions('Table for 4 on May 14, ada7@example.com, 415-555-0132'), {
    email: 'ada7@example.com',
    phone: '+14155550132',
    date: '2030-05-14',
    number: 4,
  })
  t.same(mentions('I sat in row 7 at 5pm'), { number: 7 })
  t.same(mentions('2 adults, 3 kids'), {}, 'two numbers are no value')
  t.same(Object.fromEntries(readMentions('4 on May 14', new Set(['number']), place)), { number: 4 })
})

t.test('The name of a slot is read as words', async (t) => {
  t.equal(readableName('partySize'), 'party size')
  t.equal(readableName('first_name-2'), 'first name 2')
})

const types: readonly SlotType[] = ['string', 'email', 'phone', 'number', 'date', 'boolean']
const shapes = [
  ...[
    'a@',
    '@',
    'a.b@c.d ',
    '+1 ',
    '(',
    '1 ',
    '9',
    '1,',
    '1.',
    '12/',
    '-',
    '2030-05-',
    'may 1 ',
    'the 5th ',
    'friday ',
    'in 1 day ',
  ],
  ...['two ', 'no ', '😀', '\u200d', '\ud83d', 'yes ', '\n', ' ', 'at 3 ', '10:00 - ', "'", '[[', '٣'],
]

t.test('No text makes a reader throw, also one of 64 KB or of broken characters', async (t) => {
  const offered = offeredTimes(list, 'UTC')
  const readAll = (text: string) => {
    for (const type of types) readAnswer(type, text, place)
    readMentions(text, new Set(types), place)
    matchTime(text, offered, place)
    matchChoice(text, options)
    return isCancel(text) || isSkip(text)
  }
  fc.assert(fc.property(anyText({ maxLength: 400 }), (text) => void readAll(text)))
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...shapes), { maxLength: 60 }), (parts) => void readAll(parts.join(''))),
  )
  for (const part of shapes) t.type(readAll(part.repeat(65_536 / part.length)), 'boolean', part)
})

t.test('A value that a reader returns is read back from its own text', async (t) => {
  const text = fc.oneof(
    anyText({ maxLength: 60 }),
    fc
      .array(fc.constantFrom(...shapes, 'x', '5', '.', '415 555 0132', '1985'), { maxLength: 12 })
      .map((parts) => parts.join('')),
    fc.integer().map(String),
    fc.double({ noNaN: true }).map(String),
    fc.emailAddress(),
    fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(...types), (source, type) => {
      const value = readAnswer(type, source, place)
      if (value !== undefined) t.same(readAnswer(type, textOfValue(value), place), value, `${type} ${source}`)
    }),
    { numRuns: 1_000 },
  )
  const offered = offeredTimes(list, 'UTC')
  for (const { id, value } of offered) t.equal(matchTime(textOfValue(value), offered, place)?.id, id)
})
