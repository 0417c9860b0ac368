/** The line that a session leaves in the journal. */
import t from 'tap'
import type { Play } from '../../../core/turn/play.js'
import { summaryLine } from '../../../core/turn/summary.js'

const play = (summary: Partial<Play['summary']>, more: Partial<Play> = {}): Play => ({
  ...{ sessionId: 's1', startedAt: 0, stack: [], hasReplied: true as const },
  summary: { playbooks: [], outcomes: [], savedFields: [], ...summary },
  ...more,
})

t.test('Decision 5: it is made of the booking, saved fields, outcomes and playbooks, in one line', (t) => {
  const full = play({
    playbooks: ['book', 'move'],
    outcomes: ['booked'],
    booked: 'booked 2030',
    savedFields: ['email'],
  })
  t.equal(
    summaryLine(full, 'rcs'),
    'Conversation on rcs: booked 2030; saved email; outcome booked; playbook book, move.',
  )
  t.equal(summaryLine(play({}), 'sms'), 'Conversation on sms: nothing was done.')
  t.end()
})

t.test('R49: a session in which the person said nothing leaves none', (t) => {
  const { hasReplied: _said, ...silent } = play({ outcomes: ['x'] })
  t.equal(summaryLine(silent, 'sms'), undefined)
  t.end()
})
