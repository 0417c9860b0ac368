/** Typed answers: what is clearly meant is an answer, and everything else stays a message. */
import fc from 'fast-check'
import t from 'tap'
import type { ContentMessage, Part } from '../../../core/amf/index.js'
import { tapsOf } from '../../../core/amf/index.js'
import { meantBy, type Offered } from '../../../core/conversation/match.js'

const message = (...parts: Part[]): ContentMessage => ({ spec: 'amf/1', parts })
const choice = (...labels: string[]): Part => ({
  type: 'ask.choice',
  intentId: 'pick',
  prompt: 'Which one?',
  options: labels.map((label, at) => ({ id: `option-${at}`, label })),
})
const confirm: Part = { type: 'confirm', intentId: 'sure', prompt: 'Sure?' }

/** As on a channel that numbers every reply, or on one that shows none. */
function offered(asked: ContentMessage, isNumbered = true): Offered {
  const taps = tapsOf(asked)
  const labels = taps.map(({ label, optionId }) => label ?? optionId)
  const replies = taps.flatMap(({ kind }, place) => (kind === 'reply' ? [place] : []))
  return { taps, labels, numbered: isNumbered ? replies : [] }
}

const rooms = offered(message(choice('Red room', 'Blue room', 'Dark red room with a view')))

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

t.test('Numbers mean what the person was shown, in the order they were shown', async (t) => {
  const asked = offered(message(choice('One', 'Two')))
  t.equal(meantBy('1', { ...asked, numbered: [1, 0] }), 1)
  t.equal(meantBy('2', offered(message(choice('One', 'Two')), false)), 1, 'without numbers: as they stand there')
  const two = message(choice('One', 'Two'), { ...(choice('Three') as object), intentId: 'other' } as Part)
  t.equal(meantBy('1', offered(two, false)), undefined, 'of two questions without numbers it could be either')
  t.equal(meantBy('3', offered(two)), 2)
})

t.test('A label or an id answers however it is spelled', async (t) => {
  for (const reply of ['Blue room', 'blue ROOM!', '“Blue room”', 'option-1', 'OPTION-1'])
    t.equal(meantBy(reply, rooms), 1, reply)
})

t.test('A label within the reply answers, the longest of those that overlap', async (t) => {
  t.equal(meantBy('the blue room, please', rooms), 1)
  t.equal(meantBy('I take the dark red room with a view', rooms), 2)
  t.equal(meantBy('red room or dark red room with a view?', rooms), undefined)
  t.equal(meantBy('the red room or the blue room', rooms), undefined)
  t.equal(meantBy('not the blue room', rooms), undefined, 'who says no has not said yes')
  t.equal(meantBy('blueroom', rooms), undefined, 'a label is found as whole words')
})

t.test('Words that only one label has answer, and words of two do not', async (t) => {
  t.equal(meantBy('blue', rooms), 1)
  t.equal(meantBy('view', rooms), 2)
  t.equal(meantBy('red', rooms), undefined)
  t.equal(meantBy('room', rooms), undefined)
  t.equal(meantBy('green', rooms), undefined)
})

t.test('YES and NO answer a confirmation, and YES the lone option of a question', async (t) => {
  const asked = offered(message(confirm))
  t.equal(meantBy('YES', asked), 0)
  t.equal(meantBy('no.', asked), 1)
  t.equal(meantBy('yes please', asked), 0)
  t.equal(meantBy('maybe', asked), undefined)
  const lone = offered(message(choice('The last table')))
  t.equal(meantBy('Yes', lone), 0)
  t.equal(meantBy('no', lone), undefined)
  t.equal(meantBy('yes', offered(message(confirm, choice('The last table')))), undefined, 'two could be meant')
  t.equal(meantBy('yes', rooms), undefined)
})

t.test('Labels that read alike are told apart by number only', async (t) => {
  const twins = offered(message(choice('Table', 'table!')))
  t.equal(meantBy('table', twins), undefined)
  t.equal(meantBy('2', twins), 1)
})

t.test('Chips are answered like options, and what is done on the device is no answer', async (t) => {
  const asked: ContentMessage = {
    spec: 'amf/1',
    parts: [{ type: 'text', text: 'Hello' }],
    chips: [
      { label: 'Call us', kind: 'dial', phone: '+15550100' },
      { label: 'Opening hours', value: 'hours' },
    ],
  }
  t.equal(meantBy('opening hours', offered(asked)), 1)
  t.equal(meantBy('hours', offered(asked)), 1)
  t.equal(meantBy('call us', offered(asked)), undefined)
})

t.test('Whatever is typed, an answer is one of the replies, and a label of its own always answers', async (t) => {
  const anyLabels = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(anyLabels, fc.string(), (labels, reply) => {
      const asked = offered(message(choice(...labels)))
      const meant = meantBy(reply, asked)
      if (meant !== undefined && asked.taps[meant]?.kind !== 'reply') throw new Error(`${meant} is no reply`)
    }),
  )
  const anyWords = fc.uniqueArray(fc.stringMatching(/^[a-z]{4,9}$/), { minLength: 2, maxLength: 6 })
  fc.assert(
    fc.property(anyWords, fc.nat(), (words, at) => {
      const place = at % words.length
      const meant = meantBy(words[place]!.toUpperCase(), offered(message(choice(...words))))
      if (meant !== place) throw new Error(`${words[place]} meant ${meant}`)
    }),
  )
  t.pass('any labels, any reply')
})
