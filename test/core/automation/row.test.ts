/** The states of a rule's row: what leads where, and that an end is an end. */
import fc from 'fast-check'
import t from 'tap'
import { isLive, type Row, type RowTrigger, rowMoved, rowMoves, rowStates } from '../../../core/automation/row.js'

const triggers = [...new Set(rowMoves.map(({ on }) => on))]
const row = (state: Row['state']): Row => ({ outreachId: 'o', state, dueAt: 1, look: 1, reason: 'safe-hours' })

t.test('Every state is reached, and those without a move are ends', async (t) => {
  const reached = new Set(['pending', ...rowMoves.map(({ to }) => to)])
  t.same(
    rowStates.filter((state) => !reached.has(state)),
    [],
  )
  t.same(
    rowStates.filter((state) => isLive({ state })),
    ['pending', 'waiting', 'queued'],
  )
})

t.test('A reason goes with the step it belongs to', async (t) => {
  t.match(rowMoved(row('waiting'), 'accepted', { sendId: 'sd_1' }), {
    state: 'queued',
    sendId: 'sd_1',
    reason: undefined,
  })
  t.match(rowMoved(row('pending'), 'held', { reason: 'in-conversation', dueAt: 9 }), {
    state: 'waiting',
    reason: 'in-conversation',
    dueAt: 9,
  })
})

t.test('Whatever is told in whatever order, a row is sent at most once and never leaves its end', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<RowTrigger>(...triggers)), (steps) => {
      let now = row('pending')
      let ends = 0
      for (const on of steps) {
        const after = rowMoved(now, on)
        if (!after) continue
        if (!isLive(now)) return false
        now = after
        if (!isLive(now)) ends++
      }
      return ends <= 1
    }),
  )
  t.pass()
})
