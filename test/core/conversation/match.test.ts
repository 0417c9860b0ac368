/** Typed answers: what is clearly meant is an answer, and everything else stays a message. */

import fc from 'fast-check'
import t from 'tap'
import type { ContentMessage, Part } from '../../../core/amf/index.js'
import { tapsOf } from '../../../core/amf/index.js'
import { type Option, matchReply as optionMeantBy } from '../../../core/conversation/match.js'
import { namesOf } from '../../../core/render/optionlabels.js'

const message = (...parts: Part[]): ContentMessage => ({ spec: 'amf/1', parts })
const choice = (...labels: string[]): Part => ({
  type: 'ask.choice',
  intentId: 'pick',
  prompt: 'Which one?',
  options: labels.map((label, at) => ({ id: `option-${at}`, label })),
})
const confirm: Part = { type: 'confirm', intentId: 'sure', prompt: 'Sure?' }

const newYork = { locale: 'en-US', zone: 'America/New_York' }

/** As on a channel that numbers every reply, or on one that shows no numbers. */
function optionsOf(choices: ContentMessage, isNumbered = true, messageId = 'msg_1'): readonly Option[] {
  const names = namesOf(choices, newYork)
  const replies = tapsOf(choices).flatMap((tap, place) => (tap.kind === 'reply' ? [{ tap, place }] : []))
  return replies.map(({ tap, place }, at) => {
    const option = { messageId, tapIndex: place, tap, names: names[place]! }
    return isNumbered ? { ...option, number: at + 1 } : option
  })
}

/** The place of what the reply means, in one message. */
const meantBy = (reply: string, options: readonly Option[]) => optionMeantBy(reply, [options])?.tapIndex

/** The label of what it means, where nothing is numbered. */
function labelMeant(reply: string, ...labels: string[]): string | undefined {
  return optionMeantBy(reply, [optionsOf(message(choice(...labels)), false)])?.names[0]
}

const rooms = optionsOf(message(choice('Red room', 'Blue room', 'Dark red room with a view')))

t.test('A number answers when it is the whole reply, and only then', async (t) => {
  for (const [reply, place] of [
    ['2', 1],
    [' 2. ', 1],
    ['#3', 2],
    ['１', 0],
  ] as const)
    t.equal(meantBy(reply, rooms), place, reply)
  for (const reply of ['0', '4', '02.01.2026', '2 people', '2 3', 'room 2', '', '  ', '!!'])
    t.equal(meantBy(reply, rooms), undefined, reply)
})

t.test('Numbers refer to what the person was shown, and mean nothing if none were shown', async (t) => {
  const choices = optionsOf(message(choice('One', 'Two')))
  t.equal(
    meantBy(
      '1',
      choices.map((option, at) => ({ ...option, number: 2 - at })),
    ),
    1,
  )
  t.equal(meantBy('2', optionsOf(message(choice('One', 'Two')), false)), undefined)
  const two = message(choice('One', 'Two'), { ...(choice('Three') as object), intentId: 'other' } as Part)
  t.equal(meantBy('1', optionsOf(two, false)), undefined)
  t.equal(meantBy('3', optionsOf(two)), 2)
  t.equal(meantBy('1️⃣', choices), 0)
  t.equal(meantBy('01', choices), 0)
  t.equal(meantBy('0', choices), undefined)
})

t.test('A label of one symbol is not matched by a reply without the symbol', async (t) => {
  for (const symbol of ['|', '｜', '+', '=', '*', '^']) {
    const choices = optionsOf(message(choice('One', symbol)))
    t.equal(meantBy('something else', choices), undefined, symbol)
    t.equal(meantBy(`take ${symbol}`, choices), 1, symbol)
  }
})

t.test('A label or id that contradicts a number is ambiguous, and decides where no numbers were shown', async (t) => {
  const people = choice('2', '4', '6')
  t.equal(meantBy('2', optionsOf(message(people), false)), 0)
  t.equal(meantBy('2', optionsOf(message(people))), undefined)
  t.equal(meantBy('2.', optionsOf(message(people))), undefined)
  t.equal(meantBy('3', optionsOf(message(people))), 2, 'a number that is no label')
  t.equal(meantBy('4', optionsOf(message(people))), 1, 'a label that is no number')
  const ids: Part = {
    ...(people as Extract<Part, { type: 'ask.choice' }>),
    options: [
      { id: '2', label: 'Two' },
      { id: '1', label: 'One' },
    ],
  }
  t.equal(meantBy('1', optionsOf(message(ids))), undefined)
  t.equal(meantBy('1', optionsOf(message(ids), false)), 1)
  const agreeing = choice('1', '2')
  t.equal(meantBy('2', optionsOf(message(agreeing))), 1)
})

t.test('Symbols and emoji are compared', async (t) => {
  t.equal(labelMeant('A-', 'A+', 'B+', 'O+'), undefined)
  t.equal(labelMeant('A+', 'A+', 'A-'), 'A+')
  t.equal(labelMeant('I am a-.', 'A+', 'A-'), 'A-')
  t.equal(labelMeant('c', 'C', 'C++', 'C#'), 'C')
  t.equal(labelMeant('c++', 'C', 'C++', 'C#'), 'C++')
  t.equal(labelMeant('👎', '👍', '👎'), '👎')
  t.equal(labelMeant('👍🏽', '👍', '👎'), '👍')
  t.equal(labelMeant('❤', '❤️', '👎'), '❤️')
  t.equal(labelMeant('🙂', '👍', '👎'), undefined)
  t.equal(labelMeant('€5', '$5', '$10'), undefined)
  t.equal(labelMeant('$5', '$5', '$10'), '$5')
  t.equal(labelMeant('$1', '$1.50', '$15.0'), undefined)
  t.equal(labelMeant('10%', '10', '20'), undefined)
  t.equal(labelMeant('pizza, please', '🍕 Pizza', '🥗 Salad'), '🍕 Pizza', 'emoji beside words may be left out')
  t.equal(labelMeant('👎 great', '👍 Great', '👎 Bad'), undefined, 'and those of another option speak for it')
})

t.test('A reply with words of another label too is ambiguous', async (t) => {
  t.equal(labelMeant('the dark red room', 'Red room', 'Dark red room with a view'), undefined)
  t.equal(labelMeant('red room', 'Red', 'Big red room'), undefined)
})

const slotPart = (...starts: string[]): Part => ({
  type: 'ask.time',
  intentId: 'when',
  prompt: 'When?',
  slots: starts.map((iso, at) => ({ id: `slot-${at}`, start: { iso, tz: 'America/New_York' } })),
})

t.test('A time is matched by its hour and never by the day of the month', async (t) => {
  const slots = optionsOf(message(slotPart('2030-06-03T13:00:00-04:00', '2030-06-04T14:00:00-04:00')), false)
  for (const reply of ['3 pm', '4 pm', '3pm', '4', '3', 'jun 3', '3 pm please', 'June 4'])
    t.equal(meantBy(reply, slots), undefined, reply)
  for (const reply of ['1 pm', '1pm', '1:00 PM', '1.00 p.m.', 'Mon 1 pm', 'Monday 1 pm', 'mon', 'Mon, Jun 3, 1:00 PM'])
    t.equal(meantBy(reply, slots), reply.startsWith('Monday') ? undefined : 0, reply)
  t.equal(meantBy('Jun 4, 2:00 PM', slots), 1, 'a shorter form that a chip may show')
  t.equal(meantBy('slot-1', slots), 1)
  const written = optionsOf(message(choice('Mon Jun 3 1:00 PM', 'Tue Jun 4 2:00 PM')), false)
  for (const reply of ['3 pm', '4 pm', '3', '4']) t.equal(meantBy(reply, written), undefined, reply)
  const halves = optionsOf(message(slotPart('2030-06-03T10:30:00-04:00', '2030-06-03T22:30:00-04:00')), false)
  t.equal(meantBy('10:30', halves), undefined)
  t.equal(meantBy('10:30 pm', halves), 1)
})

t.test('Questions of one turn are equal, and an older turn counts if no newer one can match', async (t) => {
  const drinks = optionsOf(message(choice('Tea', 'Coffee')), true, 'msg_1')
  const food = optionsOf(message(choice('Cake', 'Pie', 'Iced coffee')), true, 'msg_2')
  const meant = (reply: string, ...turns: (readonly Option[])[]) => optionMeantBy(reply, turns)?.names[0]
  t.equal(meant('1', [...drinks, ...food]), undefined, 'either could be meant')
  t.equal(meant('1', food, drinks), 'Cake', 'the newer turn')
  t.equal(meant('3', [...drinks, ...food]), 'Iced coffee')
  t.equal(meant('tea', food, drinks), 'Tea')
  t.equal(meant('coffee', food, drinks), undefined, 'words of a newer label, and an older label word for word')
  t.equal(meant('cake or pie?', food, optionsOf(message(choice('Or')), false, 'msg_0')), undefined)
})

t.test('A number that is a word of another label only is ambiguous and stays a message', async (t) => {
  const chat: readonly (readonly [labels: readonly string[], reply: string, meant: string | undefined])[] = [
    [['2 people', '4 people', '6 people'], '2', undefined],
    [['2 people', '4 people', '6 people'], '#2', undefined],
    [['2 people', '4 people', '6 people'], '1', '2 people'],
    [['2 people', '4 people', '6 people'], '3', '6 people'],
    [['2 people', '4 people', '6 people'], '4', '4 people'],
    [['Room 2', 'Room 1'], '1', undefined],
    [['Room 1', 'Room 2'], '1', 'Room 1'],
    [['Room 1, 2 beds', 'Room 2, 1 bed'], '1', 'Room 1, 2 beds'],
    [['Table for 3', 'Table for 2', 'Table for 1'], '3', undefined],
    [['Table for 3', 'Table for 2', 'Table for 1'], '2', 'Table for 2'],
    [['5 min', '10 min', '1 hour'], '1', undefined],
    [['5 min', '10 min', '1 hour'], '2', '10 min'],
    [['3 pm', '2 pm', '1 pm'], '1', '3 pm'],
    [['Tea', '€1 more', '11'], '1', 'Tea'],
  ]
  for (const [labels, reply, expected] of chat) {
    const options = optionsOf(message(choice(...labels)))
    t.equal(optionMeantBy(reply, [options])?.names[0], expected, `${reply} of ${labels.join(', ')}`)
  }
})

t.test('A question or condition in a reply makes it no answer for the label in it', async (t) => {
  const choices = optionsOf(message(confirm))
  for (const reply of [
    'Did I say yes?',
    'Did I say yes？',
    'yes if it is free',
    'Yes, but only with a view',
    'YES unless it rains',
  ])
    t.equal(meantBy(reply, choices), undefined, reply)
  for (const reply of ['is the blue room free?', 'the blue room if it is quiet'])
    t.equal(meantBy(reply, rooms), undefined, reply)
  t.equal(meantBy('Yes?', choices), 0, 'a label and nothing else')
  t.equal(meantBy('the blue room, please', rooms), 1)
})

t.test('A label or an id matches in any spelling', async (t) => {
  for (const reply of ['Blue room', 'blue ROOM!', '“Blue room”', 'option-1', 'OPTION-1'])
    t.equal(meantBy(reply, rooms), 1, reply)
})

t.test('A label within the reply matches, the longest of overlapping ones', async (t) => {
  t.equal(meantBy('the blue room, please', rooms), 1)
  t.equal(meantBy('I take the dark red room with a view', rooms), 2)
  t.equal(meantBy('red room or dark red room with a view?', rooms), undefined)
  t.equal(meantBy('the red room or the blue room', rooms), undefined)
  t.equal(meantBy('not the blue room', rooms), undefined, 'a negated word is no match')
  t.equal(meantBy('blueroom', rooms), undefined, 'a label is found as whole words')
})

t.test('Words of only one label match, and words of two do not', async (t) => {
  t.equal(meantBy('blue', rooms), 1)
  t.equal(meantBy('view', rooms), 2)
  t.equal(meantBy('red', rooms), undefined)
  t.equal(meantBy('room', rooms), undefined)
  t.equal(meantBy('green', rooms), undefined)
})

t.test('YES and NO answer a confirmation, and YES the only option of a question', async (t) => {
  const choices = optionsOf(message(confirm))
  t.equal(meantBy('YES', choices), 0)
  t.equal(meantBy('no.', choices), 1)
  t.equal(meantBy('yes please', choices), 0)
  t.equal(meantBy('maybe', choices), undefined)
  const lone = optionsOf(message(choice('The last table')))
  t.equal(meantBy('Yes', lone), 0)
  t.equal(meantBy('no', lone), undefined)
  t.equal(meantBy('yes', optionsOf(message(confirm, choice('The last table')))), undefined, 'two could be meant')
  t.equal(meantBy('yes', rooms), undefined)
})

t.test('Labels that look alike are distinguished by number, or word for word', async (t) => {
  const twins = optionsOf(message(choice('Table', 'table!')))
  t.equal(meantBy('table', twins), 0, 'as it stands')
  t.equal(meantBy('TABLE?', twins), undefined)
  t.equal(meantBy('2', twins), 1)
})

t.test('Chips are matched like options, and actions on the device are no answers', async (t) => {
  const choices: ContentMessage = {
    spec: 'amf/1',
    parts: [{ type: 'text', text: 'Hello' }],
    chips: [
      { label: 'Call us', kind: 'dial', phone: '+15550100' },
      { label: 'Opening hours', value: 'hours' },
    ],
  }
  t.equal(meantBy('opening hours', optionsOf(choices)), 1)
  t.equal(meantBy('hours', optionsOf(choices)), 1)
  t.equal(meantBy('call us', optionsOf(choices)), undefined)
})

const anyLabel = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    '1',
    '2',
    '3',
    '2.',
    '#1',
    'A+',
    'A-',
    'a',
    'Yes',
    'no',
    '3 pm',
    '1:00 PM',
    '$5',
    '€5',
    '👍',
    '👍🏽',
    '👎',
  ),
  fc
    .array(fc.constantFrom('red', 'Blue', 'room', 'tea', '2', '👍', '-', 'no', '10:30'), { minLength: 1, maxLength: 4 })
    .map((words) => words.join(' ')),
)
const anyQuestion = fc
  .tuple(fc.array(anyLabel, { minLength: 1, maxLength: 6 }), fc.boolean(), fc.constantFrom('ask.choice', 'ask.time'))
  .map(([labels, isNumbered, type]) => {
    const plain = choice(...labels) as Extract<Part, { type: 'ask.choice' }>
    const start = { iso: '2030-06-03T13:00:00-04:00', tz: 'America/New_York' }
    const { options, ...rest } = plain
    const timed: Part = { ...rest, type: 'ask.time', slots: options.map((option) => ({ ...option, start })) }
    return { labels, options: optionsOf(message(type === 'ask.time' ? timed : plain), isNumbered) }
  })
/** The contract's word for the same label: its case and the space around it do not count. */
const asLabel = (text: string) =>
  text
    .normalize('NFC')
    .replace(/[\u200b-\u200f\u00ad\u2060-\u2069\u202a-\u202e\ufeff]|\ufe0e|\ufe0f/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

t.test('A label typed exactly means its option or is ambiguous, and never another option', async (t) => {
  fc.assert(
    fc.property(anyQuestion, fc.nat(), ({ labels, options }, at) => {
      const label = labels[at % labels.length]!
      const meant = optionMeantBy(
        label.toUpperCase().toLowerCase() === label.toLowerCase() ? label.toUpperCase() : label,
        [options],
      )
      if (meant && asLabel(meant.names[0]) !== asLabel(label)) throw new Error(`${label} meant ${meant.names[0]}`)
    }),
    { numRuns: 3_000 },
  )
  t.pass('any labels')
})

t.test('Every match has a reason: a label, an id, a shown number, YES, or words of that label only', async (t) => {
  fc.assert(
    fc.property(anyQuestion, fc.oneof(anyLabel, fc.string()), ({ options }, reply) => {
      const meant = optionMeantBy(reply, [options])
      if (!meant) return
      const letters = (text: string): readonly string[] =>
        text
          .normalize('NFKC')
          .toLowerCase()
          .match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}|\S/gu) ?? []
      const own = letters(meant.names[0])
      const replyLetters = letters(reply)
      const isNumber = replyLetters.some((each) => /^\d+$/.test(each) && Number(each) === meant.number)
      const isNamed = replyLetters.some((each) => own.includes(each) || letters(meant.tap.optionId).includes(each))
      const isYes = replyLetters[0] === 'yes' && options.length === 1
      const isTheLabel = asLabel(reply) === asLabel(meant.names[0])
      if (!isNumber && !isNamed && !isYes && !isTheLabel) throw new Error(`${reply} meant ${meant.names[0]}`)
    }),
    { numRuns: 3_000 },
  )
  t.pass('any labels, any reply')
})

t.test('Words that only one option has always match it', async (t) => {
  const anyWords = fc.uniqueArray(fc.stringMatching(/^[a-z]{4,9}$/), { minLength: 2, maxLength: 6 })
  fc.assert(
    fc.property(anyWords, fc.nat(), (words, at) => {
      const place = at % words.length
      const meant = meantBy(words[place]!.toUpperCase(), optionsOf(message(choice(...words))))
      if (meant !== place) throw new Error(`${words[place]} meant ${meant}`)
    }),
  )
  t.pass('any words')
})
