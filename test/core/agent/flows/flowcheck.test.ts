/** Flows that a model wrote: what it is told, how its flow is judged, and how a walk through it goes. */
import fc from 'fast-check'
import t from 'tap'
import { bodyHash } from '../../../../core/agent/flows/bodyhash.js'
import { dryRunFlow } from '../../../../core/agent/flows/dryrun.js'
import { checkFlow, faultsOfFlow } from '../../../../core/agent/flows/flowcheck.js'
import { buildMaterial, flowPrompt, repairPrompt } from '../../../../core/agent/flows/prompt.js'
import { type AgentDocument, addPlaybook, emptyDocument, findItem } from '../../../../core/agent/index.js'
import { isRefusal } from '../../../../core/errors.js'
import { languageModel as limits } from '../../../../core/limits/index.js'
import { anyText } from '../../../harness/arbitraries.js'

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

t.test('A walk through a flow asks each slot once, tries every branch, and reports where it ended', async (t) => {
  const walk = dryRunFlow(good as never)
  t.same(walk, {
    reachedEnd: true,
    outcome: 'booked',
    toolCalls: [{ action: 'scheduling.book', with: { day: '{day}' } }],
    turns: [
      { person: 'Hello', agent: ['Which day?'], trace: ['steps[0] collect'] },
      {
        person: '2030-05-14',
        agent: ['Done for {day}. [Thanks]'],
        trace: ['steps[1] action', 'steps[2] say', 'steps[3] end'],
      },
    ],
  })
  const looping = {
    steps: [
      { id: 'a', say: 'Again?' },
      { id: 'b', branch: [{ if: 'yes', goto: 'a' }], else: 'c' },
      { id: 'c', handoff: 'human' },
    ],
  }
  t.match(dryRunFlow(looping as never), { reachedEnd: true, outcome: 'handoff human' })
  const endless = {
    steps: [
      { id: 'a', say: 'Round' },
      { branch: [{ if: 'x', goto: 'a' }], else: 'a' },
    ],
  }
  const stuck = dryRunFlow(endless as never)
  t.match(stuck, { reachedEnd: false, stuckAt: 'a' })
  t.equal(stuck.turns[0]!.trace.length, limits.simulationSteps)
  t.match(dryRunFlow({ steps: [{ say: 'Bye' }], onComplete: 'end' } as never), { reachedEnd: true, outcome: 'end' })
})

t.test('For any playbook the model gets two messages, the second of them the material as JSON', async (t) => {
  fc.assert(
    fc.property(anyText(), fc.string(), (body, brief) => {
      const written = { ...playbook, body, whenToUse: `"}]} ${brief}` }
      const material = buildMaterial(document, written, ['people'], brief)
      const [system, user, ...others] = flowPrompt(material)
      t.same(others, [])
      t.same([system!.role, user!.role], ['system', 'user'])
      t.equal(system!.content, flowPrompt(buildMaterial(document, playbook, [], undefined))[0]!.content)
      t.same(JSON.parse(user!.content), JSON.parse(JSON.stringify(material)))
    }),
  )
})

t.test('The material lists only what the flow may use', async (t) => {
  const material = buildMaterial(document, playbook, ['scheduling', 'integration:crm'], undefined)
  t.same(material.actions, [
    'knowledge.search',
    'scheduling.availability',
    'scheduling.book',
    'scheduling.reschedule',
    'scheduling.cancel',
    'integration:crm',
  ])
  t.match(material.brief, /Booking/)
  t.same(material.playbooks, [], 'a flow does not call itself')
})

t.test('A repair contains the last answer and its faults, and does not grow with the attempts', async (t) => {
  const talk = flowPrompt(buildMaterial(document, playbook, [], undefined))
  const faults = Array.from({ length: 100 }, (_, nth) => ({ path: `p${nth}`, message: 'is wrong' }))
  const once = repairPrompt(talk, 'bad', faults)
  t.same(
    once.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  )
  t.equal(repairPrompt(once, 'bad', faults).length, 4)
  t.match(once[3]!.content, /"p0"/)
  t.notMatch(once[3]!.content, `"p${limits.findings}"`)
})
