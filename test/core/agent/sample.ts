/** Agents to test with: one that has something of everything, and a large one. */
import {
  type AgentDocument,
  defaultUses,
  emptyDocument,
  importDocument,
  type Outcome,
} from '../../../core/agent/index.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'

export const readers = {
  phone: (text: string) => (/^[\d +().-]{7,}$/.test(text) ? `+1${text.replace(/\D/g, '').slice(-10)}` : undefined),
}

/** Something of every section, as an operator would export it. */
export const sampleExport = {
  identity: { contactEmail: 'desk@example.com', websiteUrl: 'https://example.com', brandColor: '#00aa88' },
  personality: { description: 'Warm', text: 'You are warm and brief.' },
  goals: [
    { id: 'booked', name: 'A visit is booked', definition: { kind: 'event', event: 'appointment.booked' } },
    { id: 'happy', name: 'Happy', definition: { kind: 'judged', criterion: 'The person left happy.' } },
  ],
  defaultGoal: {
    goalId: 'booked',
    unless: { field: 'person.customFields.plan', op: 'eq', value: 'gold' },
    // biome-ignore lint/suspicious/noThenProperty: the contract's word
    then: 'happy',
  },
  objectives: [{ id: 'fill-the-day', name: 'Fill the day', body: 'Leave no slot empty.' }],
  playbooks: [
    { id: 'front-desk', name: 'Front desk', body: 'Help. Show [[things: haircut]] image:logo', isDefault: true },
    {
      id: 'booking',
      name: 'Booking',
      whenToUse: 'Somebody wants to come.',
      body: 'Find a time.',
      uses: ['scheduling', 'people', 'integration:crm'],
      messageTemplateRefs: ['welcome'],
      goal: { goalId: 'booked' },
      flow: {
        slots: [
          { name: 'mail', type: 'email', bind: 'person.email', validate: 'email' },
          { name: 'plan', type: 'enum', options: ['gold', 'silver'], bind: 'person.customFields.plan' },
        ],
        steps: [
          { say: 'template:welcome' },
          { id: 'ask', collect: ['mail', 'plan'] },
          { branch: [{ if: "plan == 'gold'", goto: 'book' }], else: 'over' },
          { id: 'book', action: 'scheduling.book', with: { mail: '{mail}' }, on_error: 'retry' },
          { action: 'integration:crm', with: { plan: '{plan}' } },
          { say: { text: 'Done, {person.firstName}!', suggestions: ['Thanks', 'Another time'] } },
          { id: 'over', handoff: 'playbook:front-desk' },
        ],
      },
    },
    { id: 'invite', name: 'Invite', body: 'Invite them back.', outreachId: 'come-back' },
  ],
  standingInstructions: ['Never give medical advice.'],
  guardrails: { topicsToAvoid: ['politics'], claimsNotToMake: ['cheapest'], requiredDisclaimers: ['Not advice.'] },
  rules: [
    { id: 'no-prices', text: 'Never name prices.', check: { kind: 'pattern', patterns: ['/\\$\\d+/', 'costs'] } },
  ],
  messageTemplates: [
    { id: 'welcome', name: 'Welcome', body: 'Hello {person.firstName|there}! [[collection: cuts]]' },
    { id: 'opener', name: 'Opener', body: 'Your plan is {person.customFields.plan}. Come back! [[template: welcome]]' },
    { id: 'nudge', name: 'Nudge', body: 'Still there?', defaultOnMissingSlot: 'block-send' },
  ],
  toolBindings: [{ toolId: '@svc/tool.order-lookup', config: { baseUrl: 'https://shop.example' } }],
  capabilities: {
    knowledge: {
      collections: [{ id: 'cuts', name: 'Cuts', presentation: { fields: ['picture', 'name'], actions: ['Book'] } }],
      things: [
        {
          id: 'haircut',
          name: 'Haircut',
          media: 'logo',
          collections: ['cuts'],
          location: { address: 'Main St 1', latitude: 1.5, longitude: 2.5 },
          actions: [
            { label: 'Book', kind: 'reply', value: 'book haircut' },
            { label: 'Call', kind: 'dial', phone: '+14155550100' },
            { label: 'Where', kind: 'viewLocation' },
            { label: 'More', url: 'https://example.com/cut' },
          ],
          metadata: { price: '30' },
        },
      ],
      facts: [
        {
          id: 'parking',
          question: 'Where can I park?',
          answer: 'Behind the house.',
          scope: { playbooks: ['booking'] },
        },
      ],
    },
    scheduling: {
      timezone: 'Europe/Paris',
      availableHours: [{ dayOfWeek: 1, startTime: '09:00', endTime: '17:00' }],
      reminders: { leadMinutes: 60, playbookId: 'booking' },
      representatives: [{ id: 'ann', name: 'Ann' }],
    },
    notifications: { operator: { provider: 'email', toAddress: 'team@example.com' } },
    people: {
      fields: [{ key: 'plan', label: 'Plan', type: 'string' }],
      segments: [{ id: 'gold', name: 'Gold', filter: { status: 'new' } }],
    },
  },
  integrations: {
    custom: [{ id: 'crm', description: 'Writes to the CRM.', endpoint: { url: 'https://crm.example/hook' } }],
  },
  outreach: [
    {
      id: 'come-back',
      name: 'Come back',
      class: 'marketing',
      openerTemplateId: 'opener',
      playbookId: 'invite',
      goal: { goalId: 'happy' },
      inputs: ['plan'],
      enabled: true,
      followUp: { templateId: 'nudge', afterHours: 24 },
    },
  ],
}

export function must<T>(outcome: T | Refusal): T {
  if (isRefusal(outcome)) throw new Error(JSON.stringify(outcome))
  return outcome as T
}

export function errorsOf(outcome: unknown): { code: string; fields: string[] } | undefined {
  if (!isRefusal(outcome)) return undefined
  return { code: outcome.refused, fields: (outcome.errors ?? []).map(({ field }) => field) }
}

/** With the parts that do not travel. */
export const sample: AgentDocument = {
  ...must(importDocument(emptyDocument, sampleExport, readers) as Outcome),
  media: [{ id: 'logo', name: 'Logo' }],
  sources: [{ id: 'site', name: 'Site', kind: 'url', url: 'https://example.com' }],
  draftCampaigns: [{ id: 'spring', name: 'Spring', segmentId: 'gold' }],
}

/** 200 playbooks with flows, 1,000 things, 2,000 facts. */
export function largeAgent(): AgentDocument {
  const some = <T>(count: number, make: (nth: number) => T) => Array.from({ length: count }, (_, nth) => make(nth))
  const flow = must(sample.playbooks[1] as AgentDocument['playbooks'][number]).flow
  const prose = 'Say hello and find out what they want. Then show [[things: t1, t2]] or [[template: welcome]]. '.repeat(
    30,
  )
  return {
    ...sample,
    playbooks: some(200, (nth) => ({
      id: `p${nth}`,
      name: `Playbook ${nth}`,
      body: prose,
      whenToUse: 'Always.',
      uses: defaultUses(sample),
      isDefault: nth === 0,
      ...(flow && {
        flow: { ...flow, steps: [...flow.steps.slice(0, -1), { id: 'over', handoff: `p${(nth + 1) % 200}` }] },
      }),
    })),
    outreach: [],
    things: some(1_000, (nth) => ({
      id: `t${nth}`,
      name: `Thing ${nth}`,
      description: 'Good. '.repeat(20),
      collections: ['cuts'],
    })),
    facts: some(2_000, (nth) => ({
      id: `f${nth}`,
      question: `What about ${nth}?`,
      answer: `It is so. See [[template: welcome]] image:logo`,
      scope: { playbooks: [`p${nth % 200}`] },
    })),
    scheduling: undefined,
  }
}
