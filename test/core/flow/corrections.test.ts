/** Corrections: what counts as one, and how the flow is walked again. */
import fc from 'fast-check'
import t from 'tap'
import { parseCorrection } from '../../../core/flow/corrections.js'
import { anyText } from '../../harness/arbitraries.js'
import { createTalk, done, person, type Slot, type Step } from './talk.js'

const slots: Slot[] = [
  { name: 'fullName', type: 'string', bind: 'person.fullName' },
  { name: 'mail', type: 'email' },
  { name: 'phone', type: 'phone' },
  { name: 'visitDay', type: 'date' },
  { name: 'plan', type: 'enum', options: ['Gold', 'Silver'] },
]

t.test('A correction names a slot: by its name, its field, or the word for its type', async (t) => {
  const cases: [string, string | undefined, string?][] = [
    ['my email is a@b.co', 'mail', 'a@b.co'],
    ['no, the phone is +14155550132', 'phone', '+14155550132'],
    ['sorry, my e-mail address should be a@b.co', 'mail', 'a@b.co'],
    ['Actually the day is friday', 'visitDay', 'friday'],
    ['plan: Silver', 'plan', 'Silver'],
    ['change the date', 'visitDay'],
    ['Can you change my visit day to friday?', 'visitDay', 'friday?'],
    ['wrong email', 'mail'],
    ['change my email, please', 'mail'],
    ['the phone number is wrong.', 'phone'],
    ['I want to correct my full name', 'fullName'],
    ['no, my full name is Ada Byron', 'fullName', 'Ada Byron'],
    ['email', undefined],
    ['my emails are all lost', undefined],
    ['change the weather', undefined],
    ['is my email right?', undefined],
    ['change the date of the party we had', undefined],
    ['', undefined],
  ]
  for (const [text, name, value] of cases) {
    const correction = parseCorrection(text, slots)
    t.same([correction?.slot.name, correction?.text], [name, value], text)
  }
})

t.test('A word for a type that two slots have names neither', async (t) => {
  const both: Slot[] = [
    { name: 'from', type: 'date' },
    { name: 'to', type: 'date' },
  ]
  t.equal(parseCorrection('change the date', both), undefined)
  t.equal(parseCorrection('change from to friday', both)?.slot.name, 'from')
})

t.test('No text makes the search for corrections throw', async (t) => {
  const word = fc.constantFrom(
    'no',
    'my',
    'change',
    'the',
    'date',
    'email',
    'is',
    'wrong',
    ',',
    'to',
    ' ',
    '.',
    "let's",
  )
  const text = fc.oneof(
    anyText(),
    fc.array(word).map((words) => words.join(' ')),
  )
  fc.assert(fc.property(text, (source) => void parseCorrection(source, slots)))
  for (const part of ['no ', 'no,,,, ', 'my ', 'change ', 'date is ', ' ']) {
    t.equal(parseCorrection(part.repeat(65_536 / part.length), slots), undefined)
  }
})

const steps: Step[] = [
  { say: 'Welcome!' },
  { collect: ['mail', 'plan'] },
  { branch: [{ if: 'plan == gold', goto: 'gold' }], else: 'rest' },
  { id: 'gold', say: 'Gold is great.' },
  { id: 'rest', action: 'people.save', with: { email: '{mail}' } },
  { collect: 'fullName' },
  { end: { outcome: 'done' } },
]

const start = (more: Partial<Parameters<typeof createTalk>[0]> = {}) => {
  const talk = createTalk({ slots, steps, ...more })
  talk.enter()
  talk.write('a@b.co')
  return talk
}

t.test(
  'A correction sets the slot and walks again: nothing is asked or said twice, and unchanged actions are not repeated',
  async (t) => {
    const talk = start()
    const gold = talk.write('gold')
    t.same([gold.said, gold.calls.length], [['Gold is great.', 'Full name?'], 1])
    const same = talk.write('no, my plan is gold')
    t.same([same.said, same.calls], [['Full name?'], []])
    const changed = talk.write('sorry, my email is c@d.co')
    t.same(changed.said, ['Full name?'])
    t.same(
      changed.calls,
      [{ name: 'people.save', arguments: { fields: { email: 'c@d.co' } } }],
      'with other arguments it is done again',
    )
  },
)

t.test('What is said on another way is said after a correction', async (t) => {
  const talk = start()
  t.same(talk.write('silver').said, ['Full name?'])
  t.same(talk.write('change the plan to gold').said, ['Gold is great.', 'Full name?'])
})

t.test('A request to change clears the slot, and it is asked again', async (t) => {
  const talk = start()
  talk.write('silver')
  const cleared = talk.write('Can you change my email, please?')
  t.same([cleared.said, cleared.slots.mail], [['Mail?'], undefined])
  t.same(talk.write('x@y.co').calls.length, 1)
  t.equal(talk.write('change my email system at work').next, 'done', 'a sentence that goes on is an answer')
})

t.test('A value on file that is to change is asked for', async (t) => {
  const onFile = { ...person, fullName: 'Ada' }
  const talk = createTalk({
    slots,
    steps: [{ collect: ['fullName', 'mail'] }, { end: { outcome: 'done' } }],
    person: onFile,
  })
  t.same(talk.enter().said, ['Mail?'])
  t.same(talk.write('my full name is wrong').said, ['Full name?'])
  t.same(talk.write('Ada Byron').slots, { fullName: 'Ada Byron' })
})

t.test(
  'A corrected value that does not fit is asked for with the reason; one that cannot be read is no correction',
  async (t) => {
    const talk = createTalk({
      slots: [
        { name: 'party', type: 'number', validate: 'max:8' },
        { name: 'mail', type: 'email' },
      ],
      steps: [{ collect: ['party', 'mail'] }, { end: { outcome: 'done' } }],
    })
    talk.enter()
    talk.write('4')
    t.same(talk.write('the party is fun').said, ['I need an email address, such as name@example.com.', 'Mail?'])
    t.same(talk.write('change the party to 20').said, ['It must be at most 8.', 'Party?'])
  },
)

t.test(
  'While any text is asked for, a sentence about another text is the answer unless it is marked as a correction',
  async (t) => {
    const texts: Slot[] = [
      { name: 'topic', type: 'string' },
      { name: 'notes', type: 'string' },
      { name: 'more', type: 'string' },
    ]
    const talk = createTalk({ slots: texts, steps: [{ collect: texts.map(({ name }) => name) }] })
    talk.enter()
    talk.write('Roof')
    t.match(talk.write('the topic is urgent').slots, { topic: 'Roof', notes: 'the topic is urgent' })
    t.match(talk.write('no, the topic is Floor').slots, { topic: 'Floor', notes: 'the topic is urgent' })
  },
)

t.test('A sentence that names the slot that is asked for gives its value', async (t) => {
  const talk = createTalk({ slots, steps: [{ collect: ['fullName', 'mail'] }] })
  talk.enter()
  t.equal(talk.write('My full name is Ada').slots.fullName, 'Ada')
})

t.test('A correction while an action waits for its confirmation asks for a new confirmation', async (t) => {
  const talk = createTalk({
    slots,
    steps: [{ collect: 'mail' }, { action: 'people.save', with: { email: '{mail}' }, confirm: 'Save {mail}?' }],
    tools: () => done(),
  })
  talk.enter()
  const first = talk.write('a@b.co')
  const second = talk.write('no, my email is c@d.co')
  t.same([second.said, second.calls], [['Save c@d.co? [yes] [no]'], []])
  t.same(talk.tap(first.parts[0], 'yes').calls, [], 'a yes to the earlier arguments is none to these')
  t.same(talk.tap(second.parts[0], 'yes').calls, [{ name: 'people.save', arguments: { fields: { email: 'c@d.co' } } }])
})

t.test('An action inside Parley that another one has replaced since is done again', async (t) => {
  const talk = start()
  talk.write('gold')
  talk.write('sorry, my email is c@d.co')
  t.same(talk.write('actually my email is a@b.co').calls, [
    { name: 'people.save', arguments: { fields: { email: 'a@b.co' } } },
  ])
})

t.test('A booking at another time since a correction moves the appointment, there and back', async (t) => {
  const times: Record<string, string> = { ten: '2030-05-14T10:00:00+02:00', eleven: '2030-05-14T11:00:00+02:00' }
  const slotsOffered = Object.values(times).map((start) => ({
    start,
    startUtc: Date.parse(start),
    durationMinutes: 30,
  }))
  const talk = createTalk({
    slots: [
      { name: 'time', type: 'timeslot' },
      { name: 'mail', type: 'email' },
    ],
    steps: [
      { collect: 'time' },
      { action: 'scheduling.book', with: { start: '{time}' } },
      { say: 'Booked for {last.scheduling.book.start}.' },
      { collect: 'mail' },
      { end: { outcome: 'done' } },
    ],
    tools: ({ name, arguments: { start } }) => {
      if (name === 'scheduling.availability') return done({ zone: 'Europe/Paris', slots: slotsOffered })
      return done({ appointmentId: 'apt_1', start })
    },
  })
  const actions = ({ calls }: { calls: readonly { name: string; arguments: object }[] }) =>
    calls.filter(({ name }) => name !== 'scheduling.availability')
  talk.enter()
  const booked = talk.write('10:00')
  t.same(actions(booked), [{ name: 'scheduling.book', arguments: { start: times.ten } }])
  t.same(actions(talk.write('no, the time is 11:00')), [], 'the free times are offered first')
  const moved = talk.write('11:00')
  t.same(actions(moved), [
    { name: 'scheduling.reschedule', arguments: { appointmentId: 'apt_1', start: times.eleven } },
  ])
  t.match(moved.said.join(), 'Booked for 2030-05-14T11:00')
  talk.write('change the time')
  const back = talk.write('10:00')
  t.same(actions(back), [{ name: 'scheduling.reschedule', arguments: { appointmentId: 'apt_1', start: times.ten } }])
})
