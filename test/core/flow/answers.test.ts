/** Answers to questions of a flow: taps, readers, digressions, invalid answers, skips, cancels. */
import t from 'tap'
import type { Result } from '../../../core/conversation/state.js'
import { flow as limits } from '../../../core/limits/index.js'
import { createTalk, done, lineOf, type Slot, type Step, tapOn } from './talk.js'

const end: Step = { end: { outcome: 'done' } }
const collecting = (...slots: Slot[]) => ({ slots, steps: [{ collect: slots.map(({ name }) => name) }, end] })
const plan: Slot = { name: 'plan', type: 'enum', options: ['Gold', 'Silver'] }
const x: Slot = { name: 'x', type: 'string' }
const chip = (label: string): Result => ({
  intent: 'chips',
  intentId: 'm1',
  optionIds: [label],
  labels: [label],
  via: 'tap',
})

t.test('A result of the flow’s own question answers it, by the option’s id or its label', async (t) => {
  const talk = createTalk(collecting(plan, x))
  const asked = talk.enter()
  t.equal(talk.tap(asked.parts[0], 'Silver').slots.plan, 'Silver')
  const byLabel = createTalk(collecting(plan, x))
  const result = { ...tapOn(byLabel.enter().parts[0], 'another-id'), labels: ['gold'] }
  t.equal(byLabel.result(result).slots.plan, 'Gold')
})

t.test('A tap on an earlier asking answers the slot while it is open, and nothing afterwards', async (t) => {
  const talk = createTalk(collecting(plan, x))
  const first = talk.enter().parts[0]
  talk.write('bronze')
  const answered = talk.tap(first, 'Gold')
  t.same([answered.slots.plan, answered.said], ['Gold', ['X?']])
  const late = talk.tap(first, 'Silver')
  t.same(late.said, ['Back to my question: X?'], 'it is not taken as the text of another slot')
  t.same([late.slots, late.frames[0]?.invalidAnswers?.x], [{ plan: 'Gold' }, undefined])
})

t.test('A yes to a value that was read back is none to another value', async (t) => {
  const talk = createTalk(collecting({ name: 'mail', type: 'email', confirm: true }, x))
  talk.enter()
  const first = talk.write('a@b.co').parts[0]
  const again = talk.digress('why')
  talk.tap(again.parts[0], 'no')
  talk.write('c@d.co')
  t.same(talk.tap(first, 'yes').said, ['Back to my question: Is this right?'])
  talk.write('no, a@b.co')
  t.same(talk.tap(first, 'yes').said, ['X?'], 'and is one to the same value')
})

t.test('A tap on a time of an earlier asking counts while that time is offered', async (t) => {
  let offers = ['2030-05-14T15:00:00Z', '2030-05-15T15:00:00Z']
  const talk = createTalk({
    ...collecting({ name: 'time', type: 'timeslot', confirm: true }, x),
    tools: () => done({ slots: offers.map((start) => ({ id: start, start })) }),
  })
  const first = talk.enter().parts[0]
  offers = ['2030-05-15T15:00:00Z', '2030-05-16T15:00:00Z']
  const readBack = talk.tap(first, '2030-05-15T15:00:00Z')
  talk.tap(readBack.parts[0], 'no')
  t.match(talk.tap(first, '2030-05-14T15:00:00Z').said[0], 'Please choose one of the times.')
  t.match(talk.tap(first, '2030-05-15T15:00:00Z').said, [/^Is this right/])
})

t.test('A tap on a chip says what its value says; other taps are for the caller', async (t) => {
  const talk = createTalk(collecting({ name: 'topic', type: 'string' }, { name: 'party', type: 'number' }))
  talk.enter()
  t.equal(talk.result(chip('Prices')).slots.topic, 'Prices')
  t.same(talk.result({ intent: 'showcase', intentId: 'cars', optionIds: ['a4'], labels: ['A4'], via: 'tap' }).said, [
    'Back to my question: Party?',
  ])
  t.equal(talk.result(chip('4 people')).next, 'done')
})

t.test('A text that fits nothing is a digression: the caller’s answer, then the question again, once', async (t) => {
  const talk = createTalk(collecting({ name: 'party', type: 'number', prompt: 'How many are you?' }))
  talk.enter()
  const digression = talk.digress('Do you have parking?')
  t.same([digression.said, digression.next], [['How many are you?'], 'wait'])
  t.equal(digression.frames[0]?.invalidAnswers, undefined, 'it is no invalid answer')
  t.same(talk.digress('And a garden?').said, ['Back to my question: How many are you?'], 'the second only points back')
  t.same(talk.digress('And wifi?').said, ['Back to my question: How many are you?'])
  const otherwise = talk.write('Do you have parking?')
  t.same(
    otherwise.said,
    ['I need a number.', 'How many are you?'],
    'without an answer it is asked again with the reason',
  )
  t.same(talk.digress('And a garden?').said, ['How many are you?'], 'which ends the row of digressions')
})

t.test('A slot that takes any text does not take one that the caller can answer', async (t) => {
  const talk = createTalk(collecting({ name: 'name', type: 'string' }, { name: 'party', type: 'number' }))
  talk.enter()
  const digression = talk.digress('When are you open?')
  t.same([digression.said, digression.slots], [['Name?'], {}])
  t.equal(
    talk.write('When are you open?', true).slots.name,
    'When are you open?',
    'unless it does not answer after all',
  )
  const typed = createTalk(collecting({ name: 'party', type: 'number' }))
  typed.enter()
  t.equal(typed.digress('4').next, 'done', 'a typed slot takes what it reads')
})

t.test('A value that validate refuses is asked again with the reason in words', async (t) => {
  const cases: [Slot, string, RegExp][] = [
    [{ name: 'n', type: 'number', validate: 'max:8' }, '20', /^It must be at most 8\.$/],
    [{ name: 'n', type: 'number', validate: 'min:2' }, '1', /^It must be at least 2\.$/],
    [{ name: 'n', type: 'number', validate: 'integer' }, '1.5', /whole number/],
    [{ name: 's', type: 'string', validate: 'minLength:3' }, 'ab', /at least 3 characters/],
    [{ name: 's', type: 'string', validate: '/^[A-Z]{2}\\d+$/' }, 'x', /does not have the expected form/],
    [{ name: 's', type: 'string', validate: 'url' }, 'x', /web address/],
    [{ name: 'e', type: 'enum', options: ['a1', 'b2'], validate: '/^b/' }, 'a1', /expected form/],
  ]
  for (const [slot, text, reason] of cases) {
    const talk = createTalk(collecting(slot))
    const asked = talk.enter().said
    const refused = talk.write(text)
    t.match(refused.said[0], reason)
    t.same(refused.said.slice(1), asked)
    t.equal(refused.frames[0]?.invalidAnswers?.[slot.name], 1)
  }
  const unknown = createTalk(collecting({ name: 's', type: 'string', validate: 'is nice' }))
  unknown.enter()
  t.equal(unknown.write('x').next, 'done', 'a predicate that cannot be read refuses nothing')
})

t.test('After three invalid answers an optional slot is skipped, and a required one is for a human', async (t) => {
  const exhaust = (slot: Slot) => {
    const talk = createTalk(collecting(slot))
    talk.enter()
    for (let nth = 1; nth < limits.invalidAnswers; nth++) t.equal(talk.write('what').next, 'wait')
    return talk.write('what')
  }
  const required = exhaust({ name: 'mail', type: 'email' })
  t.same([required.next, required.outcomes, required.warnings], ['human', ['abandoned'], ['flow.slot.exhausted']])
  t.same(required.frames, [], 'the flow is left')
  const optional = exhaust({ name: 'mail', type: 'email', required: false })
  t.same([optional.next, optional.outcomes, optional.warnings], ['done', ['done'], []])
})

t.test('An optional slot may be skipped in words', async (t) => {
  for (const slot of [
    { name: 'notes', type: 'string' },
    { name: 'mail', type: 'email' },
  ] as const) {
    const talk = createTalk(collecting({ ...slot, required: false }, x))
    talk.enter()
    const skipped = talk.write('No thanks')
    t.same([skipped.said, skipped.slots, skipped.frames[0]?.skipped], [['X?'], {}, [slot.name]])
  }
  const required = createTalk(collecting({ name: 'mail', type: 'email' }))
  required.enter()
  t.match(required.write('skip').said, [/email address/, 'Mail?'])
})

t.test('Cancel words as a whole message leave all flows with the outcome cancelled', async (t) => {
  for (const slot of [
    { name: 'name', type: 'string' },
    { name: 'mail', type: 'email', required: false },
    plan,
  ] as const) {
    const talk = createTalk(collecting(slot))
    talk.enter()
    const cancelled = talk.write('Never mind!')
    t.same([Object.values(cancelled.ending), cancelled.outcomes], [['done', 'end'], ['cancelled']])
    t.equal(cancelled.said.length, 1, 'and the person is told')
  }
  const option = createTalk(collecting({ name: 'what', type: 'enum', options: ['Cancel', 'Keep'] }))
  option.enter()
  t.same(option.write('cancel').outcomes, ['done'], 'an option of that name is an answer')
  const called = createTalk({ steps: [{ call: 'inner' }, end], flows: { inner: collecting(x) } })
  called.enter()
  t.same(called.write('forget it').frames, [])
})

t.test('A result with a text answers also the other slots of its step', async (t) => {
  const talk = createTalk(collecting(plan, { name: 'mail', type: 'email' }, x))
  const asked = talk.enter().parts[0]
  const result: Result = { ...tapOn(asked, 'Gold'), via: 'text', text: 'gold, and my mail is a@b.co' }
  t.same(talk.result(result).slots, { plan: 'Gold', mail: 'a@b.co' })
})

t.test('An answer to one choice is no answer to another one', async (t) => {
  const both = collecting(
    { name: 'first', type: 'enum', options: ['Morning', 'Evening'] },
    { name: 'second', type: 'enum', options: ['Morning', 'Evening'] },
    { name: 'size', type: 'number' },
    { name: 'age', type: 'number' },
  )
  const talk = createTalk(both)
  talk.enter()
  t.same(talk.write('Morning').slots, { first: 'Morning' })
  t.same(talk.write('2').slots, { first: 'Morning', second: 'Evening' }, 'a rank is no number')
  t.same(talk.write('3').slots, { first: 'Morning', second: 'Evening', size: 3 })
})

t.test('Broken characters and very long texts are cut before they are taken', async (t) => {
  const talk = createTalk(collecting({ name: 'name', type: 'string', confirm: true }))
  talk.enter()
  const taken = talk.write(`\0A\ud83dda ${'x'.repeat(65_536)}`)
  t.match(taken.slots.name, /^Ada x+$/)
  t.ok(String(taken.slots.name).length <= 4_000)
  t.match(lineOf({ kind: 'part', part: taken.parts[0]! }), /Is this right/)
})
