/** The states of a rule's row: what leads where, and that an end is an end. */
import fc from 'fast-check'
import t from 'tap'
import {
  isActive,
  type RuleRun,
  type RunTrigger,
  runStates,
  runTransitions,
  transitionRun,
} from '../../../core/automation/run.js'

const triggers = [...new Set(runTransitions.map(({ on }) => on))]
const runOf = (state: RuleRun['state']): RuleRun => ({
  outreachId: 'o',
  state,
  dueAt: 1,
  attempt: 1,
  reason: 'safe-hours',
})

t.test('Every state is reachable, and states without transitions are final', async (t) => {
  const reached = new Set(['pending', ...runTransitions.map(({ to }) => to)])
  t.same(
    runStates.filter((state) => !reached.has(state)),
    [],
  )
  t.same(
    runStates.filter((state) => isActive({ state })),
    ['pending', 'waiting', 'queued'],
  )
})

t.test('Each reason belongs to its own transition', async (t) => {
  t.match(transitionRun(runOf('waiting'), 'accepted', { sendId: 'sd_1' }), {
    state: 'queued',
    sendId: 'sd_1',
    reason: undefined,
  })
  t.match(transitionRun(runOf('pending'), 'deferred', { reason: 'in-conversation', dueAt: 9 }), {
    state: 'waiting',
    reason: 'in-conversation',
    dueAt: 9,
  })
})

t.test('For any order of events, a run is sent at most once and never leaves its final state', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<RunTrigger>(...triggers)), (steps) => {
      let now = runOf('pending')
      let ends = 0
      for (const on of steps) {
        const after = transitionRun(now, on)
        if (!after) continue
        if (!isActive(now)) return false
        now = after
        if (!isActive(now)) ends++
      }
      return ends <= 1
    }),
  )
  t.pass()
})
