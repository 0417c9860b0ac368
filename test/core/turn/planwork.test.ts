/** The work of a plan: what a turn looks up in the knowledge of an agent, however large it is. */
import t from 'tap'
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import { runToEnd } from '../../../core/steps.js'
import type { PlannedStep } from '../../../core/turn/contract.js'
import { planTurn } from '../../../core/turn/plan.js'
import type { Play } from '../../../core/turn/play.js'
import { prepareAgentInSteps } from '../../../core/turn/prepare.js'

const playbook: AgentDocument['playbooks'][number] = {
  id: 'newsletter',
  name: 'Newsletter',
  body: '',
  uses: [],
  isDefault: true,
  flow: { slots: [{ name: 'mail', type: 'email' }], steps: [{ collect: ['mail'] }, { say: 'Thank you, {mail}.' }] },
}
const rooms = Array.from({ length: 50 }, (_, nth) => ({
  id: `fact-${nth}`,
  question: `Is room number ${nth} free?`,
  answer: 'It is.',
}))
const taxi = { id: 'taxi', question: 'Is there a taxi?', answer: 'Yes, under +1 415 555 0199.' }
const facts = [...rooms, taxi]

function createTurns() {
  const prepared = runToEnd(prepareAgentInSteps({ ...emptyDocument, playbooks: [playbook], facts }, 'digest'))
  let searches = 0
  let readings = 0
  const appointments = Object.assign([], { toJSON: () => ++readings })
  const knowledge: typeof prepared.knowledge = {
    ...prepared.knowledge,
    confidentFact: (...query) => {
      searches++
      return prepared.knowledge.confidentFact(...query)
    },
  }
  /** What the agent says to a text, how often facts were searched for it, and how often values for its reply. */
  return function answer(text: string, before?: Play) {
    searches = 0
    readings = 0
    const trigger = { at: 0, sessionId: 'ses', eventIds: ['evt'], text, hasStarted: false }
    const step = planTurn({
      prepared: { ...prepared, knowledge },
      subject: { agent: { name: 'Shop', updatedAt: 0 }, digest: 'digest', appointments, unavailableTools: {} },
      channel: 'sms',
      ...(before && { before }),
      came: { kind: 'events', trigger },
      now: Date.UTC(2030, 4, 13),
      reader: { locale: 'en', zone: 'UTC' },
      zone: 'UTC',
      reads: new Map(),
    }) as PlannedStep
    const said = step.messages.flatMap(({ parts }) =>
      parts.map((part) => ('text' in part ? String(part.text) : part.type)),
    )
    return { said, searches, readings, play: step.play }
  }
}

t.test('A text that answers the question of a flow searches no facts', async (t) => {
  const answer = createTurns()
  const { play } = answer('Hello')
  const { said, searches } = answer('It is ada@example.com.', play)
  t.same(said, ['Thank you, ada@example.com.'])
  t.equal(searches, 0)
})

t.test(
  'Facts are searched once for a text that may be a question, and not for one that a fact has word for word',
  async (t) => {
    const answer = createTurns()
    const { play } = answer('Hello')
    t.equal(answer('Do you have a pool?', play).searches, 1)
    t.equal(answer('a pool would be nice', play).searches, 1)
    const exact = answer('is room number 7 free', play)
    t.match(exact.said, ['It is.'])
    t.equal(exact.searches, 0)
  },
)

t.test(
  'What the person and tools have said is read only for a reply with an address or number that is not of the agent',
  async (t) => {
    const answer = createTurns()
    const { play } = answer('Hello')
    const directed = answer('is there a taxi', play)
    t.match(directed.said, ['Yes, under +1 415 555 0199.'])
    t.equal(directed.readings, 0)
    const thanked = answer('It is ada@example.com.', play)
    t.match(thanked.said, ['Thank you, ada@example.com.'])
    t.equal(thanked.readings, 1)
  },
)
