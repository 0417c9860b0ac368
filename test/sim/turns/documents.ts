/** Documents of agents, as a seed draws them: flows of questions, of actions inside and outside, and of each other. */
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import type { Rng } from '../world/rng.js'

type Playbook = AgentDocument['playbooks'][number]
type Flow = NonNullable<Playbook['flow']>
type Step = Flow['steps'][number]

const uses = ['people', 'integration:reserve', 'integration:charge']
const action = { saved: 'people.save', reserved: 'integration:reserve', charged: 'integration:charge' } as const

/** Ids of integrations. */
export const integrationIds = ['reserve', 'charge'] as const

const { saved, reserved, charged } = action
const orders = [[saved], [saved, reserved], [reserved, saved], [charged, reserved, saved], [saved, charged, saved]]

/** Which integrations may be repeated is the tools' own, so it is the same in all documents of a run. */
export function drawDocument(rng: Rng, idempotent: readonly string[]): AgentDocument {
  const playbooks = [
    playbook('front', 'Front desk', 'Greets and answers.', rng.chance(0.5) ? greeting : undefined),
    playbook('visit', 'Book a visit', 'The person wants to book a visit.', visitFlow(rng)),
    playbook('survey', 'Take the survey', 'The person wants to take the survey.', surveyFlow(rng)),
  ]
  return {
    ...emptyDocument,
    playbooks: rng.chance(0.8) ? playbooks : playbooks.slice(0, 2),
    facts: [fact('hours', 'When are you open?', 'We are open from nine to five.')],
    integrations: integrationIds.map((id) => integration(id, idempotent.includes(id))),
    identity: { contactEmail: 'desk@example.com', ...(rng.chance(0.5) && { contactPhone: '+15550100' }) },
  }
}

const text = { type: 'string' }

function playbook(id: string, name: string, whenToUse: string, flow: Flow | undefined): Playbook {
  return { id, name, whenToUse, body: '', uses, isDefault: id === 'front', ...(flow && { flow }) }
}

const greeting: Flow = { steps: [{ say: { text: 'Welcome.', suggestions: ['Book a visit', 'When are you open?'] } }] }

/** Questions first, then one action to four. */
function visitFlow(rng: Rng): Flow {
  const actions = rng.pick(orders)
  return {
    slots: [
      { name: 'name', type: 'string', required: true, prompt: 'What is your name?' },
      { name: 'size', type: 'enum', options: ['small', 'large'], required: true, confirm: rng.chance(0.3) },
      { name: 'guests', type: 'number', required: rng.chance(0.5), validate: '/^[1-9]$/', prompt: 'How many guests?' },
    ],
    steps: [
      ...(rng.chance(0.5) ? [{ say: 'Let us book a visit.' }] : []),
      { collect: rng.chance(0.5) ? ['name', 'size'] : 'name' },
      ...(rng.chance(0.5) ? [{ collect: 'guests' }] : []),
      ...actions.flatMap((name, nth) => actionSteps(rng, name, `action${nth}`)),
      ...(rng.chance(0.2) ? [{ call: 'survey' }] : []),
      { say: { text: 'Thank you, {name}.', suggestions: ['Book a visit', 'Goodbye'] } },
      { end: { outcome: 'booked', ...(rng.chance(0.2) && { handoff: 'human' }) } },
      { id: 'sorry', say: 'That did not work, {name}.' },
      { end: { outcome: 'failed' } },
    ],
    ...(rng.chance(0.5) && { onComplete: rng.pick(['return', 'end'] as const) }),
    ...(rng.chance(0.3) && { allowDigressions: rng.chance(0.5) }),
  }
}

/** Actions at once, so that a single word opens a turn. */
function surveyFlow(rng: Rng): Flow {
  return {
    slots: [{ name: 'fine', type: 'boolean', required: true, prompt: 'Was everything fine?' }],
    steps: [
      ...rng.pick(orders).flatMap((name, nth) => actionSteps(rng, name, `action${nth}`)),
      ...(rng.chance(0.15) ? [{ collect: 'fine' }] : []),
      ...(rng.chance(0.3) ? actionSteps(rng, action.charged, 'last') : []),
      ...(rng.chance(0.2) ? [{ handoff: rng.pick(['human', 'playbook:visit']) }] : []),
      { end: { outcome: 'surveyed' } },
      { id: 'sorry', say: 'The survey is closed.' },
    ],
  }
}

function actionSteps(rng: Rng, name: string, id: string): Step[] {
  const onError = rng.pick(['retry', 'handoff', 'branch', undefined] as const)
  const args = name === action.saved ? { fields: { firstName: 'Ada', lastName: id } } : { name: 'Ada', size: id }
  return [
    ...(rng.chance(0.4) ? [{ say: 'One moment.' }] : []),
    {
      id,
      action: name,
      with: name === action.charged ? { size: id } : args,
      ...(onError && { on_error: onError }),
      ...(rng.chance(0.2) && { confirm: 'Shall I do it now?' }),
    },
    ...(onError === 'branch' ? [{ branch: [{ if: 'error exists', goto: 'sorry' }] }] : []),
  ]
}

function fact(id: string, question: string, answer: string): AgentDocument['facts'][number] {
  return { id, question, answer, alternates: [], enabled: true, exact: false, confirmed: true } as never
}

function integration(id: string, isIdempotent: boolean): AgentDocument['integrations'][number] {
  const properties = { name: text, size: text }
  return {
    id,
    description: `Does ${id}.`,
    endpoint: { url: `https://tools.example.com/${id}` },
    parameters: { type: 'object', properties, ...(isIdempotent && { 'x-idempotent': true }) },
  }
}
