/** What a model is asked that writes a flow. */
import fc from 'fast-check'
import t from 'tap'
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
  const toolRefs = ['@svc/tool.order-lookup']
  t.same(buildMaterial(document, { ...playbook, toolRefs }, [], undefined).actions, [
    'knowledge.search',
    'tool:@svc/tool.order-lookup',
  ])
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
