/** The words in which the panel of a turn tells its record. */
import fc from 'fast-check'
import t from 'tap'
import {
  isToolDone,
  millis,
  playbookWords,
  readTrace,
  reasonWords,
  stateWords,
  timeShares,
  toolWords,
  triggerWords,
  valueWords,
} from '../../../../adapters/emulator/page/turnwords.js'
import { turnRecord } from '../../../harness/turnrecord.js'

t.test('The trigger says who did what, and what it answers', async (t) => {
  t.equal(triggerWords({ kind: 'message', eventIds: [], text: 'Hi' }), 'The person wrote “Hi”.')
  t.equal(triggerWords({ kind: 'started', eventIds: [] }), 'The conversation began.')
  t.equal(
    triggerWords({ kind: 'result', eventIds: [], text: 'Yes', opening: 'reminder' }),
    'The person answered “Yes”. An answer to a reminder.',
  )
})

t.test('A turn that is not simply done says why', async (t) => {
  t.equal(stateWords({ state: 'completed' }), undefined)
  t.equal(stateWords({ state: 'open' }), 'Still under way.')
  t.equal(stateWords({ state: 'cut', endedBy: 'stopped' }), 'Cut off: the person opted out.')
  t.equal(stateWords({ state: 'cut' }), 'Cut off.')
  t.match(stateWords({ state: 'failed' }), /stock sentence/)
})

t.test('The playbook before and after is one phrase', async (t) => {
  const why = ''
  t.equal(playbookWords({ before: 'a', after: 'b', why }), 'From a to b')
  t.equal(playbookWords({ before: 'a', after: 'a', why }), 'Stayed in a')
  t.equal(playbookWords({ after: 'a', why }), 'Began in a')
  t.equal(playbookWords({ before: 'a', why }), 'Left a')
  t.equal(playbookWords({ why }), 'No playbook')
  t.equal(reasonWords({ why: 'route' }), 'The text asks for it.')
  t.equal(reasonWords({ why: 'unheard of' }), 'unheard of')
})

t.test('Steps are read from a trace, places count from one, and no other line is lost', async (t) => {
  t.same(readTrace(['book:0 collect', 'book:contact action', 'call-off:2 say', 'fact parking 6.12', 'a:1 dance']), {
    steps: [
      { playbook: 'book', step: '1', kind: 'Collect' },
      { playbook: 'book', step: 'contact', kind: 'Act' },
      { playbook: 'call-off', step: '3', kind: 'Say' },
    ],
    others: ['fact parking 6.12', 'a:1 dance'],
  })
  fc.assert(
    fc.property(fc.array(fc.string()), (lines) => {
      const { steps, others } = readTrace(lines)
      return steps.length + others.length === lines.length
    }),
  )
})

t.test('A time shows as the person read it, and any other value as text', async (t) => {
  const { time, treatment } = turnRecord().flow!.slots
  t.equal(valueWords(time), 'Mon 2 Mar, 10:00')
  t.equal(valueWords(treatment), 'Sports massage')
  t.equal(valueWords(true), 'true')
  t.equal(valueWords({ a: 1 }), '{"a":1}')
})

t.test('A tool call says what came of it and how long it took', async (t) => {
  t.equal(toolWords({ state: 'ok', ms: 27.54 }), 'done in 27.5 ms')
  t.equal(toolWords({ state: 'refused' }), 'refused')
  t.equal(toolWords({ state: 'unknown', ms: 10_000 }), 'outcome unknown in 10 s')
  t.same(
    turnRecord().toolCalls.map((call) => isToolDone(call)),
    [true, false],
  )
})

t.test('Parts that took no time are left out of the bar', async (t) => {
  t.same(
    timeShares(turnRecord().took).map(({ name }) => name),
    ['waiting', 'gathering', 'tools', 'committing'],
  )
  t.same(timeShares({ total: 0, waiting: 0, gathering: 0, model: 0, tools: 0, committing: 0 }), [])
  t.equal(millis(1_234.5), '1.2 s')
})
