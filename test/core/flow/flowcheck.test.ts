/** The check of a flow that a model wrote: its schema, its lint findings and a dry run. */
import t from 'tap'
import { type AgentDocument, addPlaybook, bodyHash, emptyDocument, findItem } from '../../../core/agent/index.js'
import { isRefusal } from '../../../core/errors.js'
import { checkFlow, faultsOfFlow } from '../../../core/flow/flowcheck.js'

function documentWith(body: string): AgentDocument {
  const added = addPlaybook(emptyDocument, { id: 'booking', name: 'Booking', body })
  if (isRefusal(added)) throw new Error(added.detail)
  return added.document
}

const document = documentWith('Ask for a day, then book.')
const playbook = findItem(document, 'playbooks', 'booking')!
const origin = { by: 'key', at: '2030-01-01T00:00:00.000Z', model: 'm' }
const checkWith = (flow: unknown, uses: readonly string[] = playbook.uses) =>
  checkFlow(document, playbook, uses, flow, origin)

const good = {
  name: 'Booking',
  slots: [{ name: 'day', type: 'date', prompt: 'Which day?' }],
  steps: [
    { collect: 'day' },
    { action: 'scheduling.book', with: { day: '{day}' } },
    { say: { text: 'Done for {day}.', suggestions: ['Thanks'] } },
    { end: { outcome: 'booked' } },
  ],
}

t.test('A valid flow without lint errors can be accepted, and records its origin', async (t) => {
  const checked = checkWith(good)
  t.same(faultsOfFlow(checked), [])
  t.same(checked.schema, { ok: true, errors: [] })
  t.same(checked.flow?.generatedFrom, { bodyHash: bodyHash(playbook.body), ...origin })
  t.match(checkWith({ ...good, generatedFrom: { bodyHash: 'forged' } }).flow?.generatedFrom, origin)
})

t.test('Faults of a flow are reported with their path: shape first, then lint', async (t) => {
  for (const flow of [undefined, null, 'x', [], 7, {}, { steps: 'x' }, { ...good, more: 1 }]) {
    const checked = checkWith(flow)
    t.equal(checked.schema.ok, false)
    t.match(checked.schema.errors[0]!.field, /^flow/)
    t.notOk('flow' in checked || 'dryRun' in checked)
  }
  t.same(
    checkWith({ steps: [{ collect: 'nothing' }, { end: { outcome: 'x' } }] }).lint.errors.map(({ code }) => code),
    ['flow.slot.unknown'],
  )
  t.match(faultsOfFlow(checkWith(good, [])), [
    { path: 'playbooks[0].flow.steps[1].action', message: /does not use scheduling/ },
  ])
})
