/**
 * The requests of the examples in the OpenAPI document, in an order in which an operator could send them to set up an
 * agent. A test sends them to a node in this order; `examples.ts` computes the answers.
 */

export interface Step {
  /** Name of the endpoint, as in `PUT /personality`. */
  readonly endpoint: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** The agent before the first step. */
export const exampleAgent = { name: 'Harbor Desk', id: 'harbor-desk', description: 'Books rooms and answers guests.' }

const booking = { playbookId: 'booking' }
const welcome = { templateId: 'welcome' }
const parking = { factId: 'parking' }
const crm = { id: 'crm' }
const calendar = { toolId: '@svc/tool.calendar' }

/** The path parameters of reads. */
export const exampleIds: Readonly<Record<string, string>> = { ...booking, ...welcome, ...parking, ...crm, ...calendar }

const flow = {
  slots: [
    { name: 'mail', type: 'email', bind: 'person.email', validate: 'email' },
    { name: 'nights', type: 'enum', options: ['one', 'two', 'a week'] },
  ],
  steps: [
    { say: 'template:welcome' },
    { id: 'ask', collect: ['mail', 'nights'] },
    { action: 'integration:crm', with: { nights: '{nights}' } },
    { say: { text: 'Thank you, {person.firstName}!', suggestions: ['Change it', 'Directions'] } },
    { handoff: 'playbook:front-desk' },
  ],
}

/** From an empty agent to one that has at least one item of each kind. */
export const exampleSteps: readonly Step[] = [
  { endpoint: 'PATCH /', body: { description: 'Books rooms, answers guests and sends them the way.' } },
  { endpoint: 'PUT /identity', body: { contactEmail: 'desk@harbor.example', websiteUrl: 'https://harbor.example' } },
  { endpoint: 'PATCH /identity', body: { brandColor: '#004466', contactAvailability: 'Every day from 7 to 23.' } },
  { endpoint: 'POST /personality/import', body: { templateId: '@svc/personality.warm-receptionist' } },
  {
    endpoint: 'PUT /personality',
    body: { description: 'Warm and brief', text: 'You are warm, brief and never pushy.' },
  },
  {
    endpoint: 'PUT /goals',
    body: {
      goals: [
        { id: 'booked', name: 'A stay is booked', definition: { kind: 'event', event: 'appointment.booked' } },
        { id: 'helped', name: 'Helped', definition: { kind: 'judged', criterion: 'The guest got an answer.' } },
      ],
      defaultGoal: { goalId: 'helped' },
    },
  },
  {
    endpoint: 'PUT /standing-instructions',
    body: { standingInstructions: ['Never promise a room before it is booked.'] },
  },
  {
    endpoint: 'PUT /guardrails',
    body: { topicsToAvoid: ['politics'], claimsNotToMake: ['the cheapest in town'], requiredDisclaimers: [] },
  },
  { endpoint: 'PATCH /guardrails', body: { topicsToAvoid: { add: ['religion'], remove: ['politics'] } } },
  { endpoint: 'POST /guardrails/import', body: { templateId: '@svc/guardrail.privacy' } },
  {
    endpoint: 'PUT /rules',
    body: {
      rules: [
        {
          id: 'no-prices',
          text: 'Never name prices.',
          check: { kind: 'pattern', patterns: ['/\\$\\d+/', 'per night'] },
        },
      ],
    },
  },
  {
    endpoint: 'PUT /knowledge/collections',
    body: { collections: [{ id: 'rooms', name: 'Rooms', purpose: 'To pick from.' }] },
  },
  {
    endpoint: 'PUT /knowledge/things',
    body: {
      things: [
        {
          id: 'blue-room',
          name: 'Blue room',
          description: 'One bed, quiet, towards the garden.',
          collections: ['rooms'],
          location: { address: '12 Quay Street, Portland', latitude: 43.65, longitude: -70.25 },
          actions: [{ label: 'Book it', kind: 'reply', value: 'book the blue room' }],
        },
        { id: 'loft', name: 'Loft', description: 'Under the roof, with a kitchen.', collections: ['rooms'] },
      ],
    },
  },
  {
    endpoint: 'POST /message-templates',
    body: { id: 'welcome', name: 'Welcome', body: 'Hello {person.firstName|there}!' },
  },
  {
    endpoint: 'PUT /message-templates/{templateId}',
    params: welcome,
    body: { name: 'Welcome', body: 'Welcome, {person.firstName|dear guest}! [[collection: rooms]]' },
  },
  {
    endpoint: 'PATCH /message-templates/{templateId}',
    params: welcome,
    body: { description: 'The first thing we say.' },
  },
  { endpoint: 'POST /playbooks/import', body: { templateId: '@svc/playbook.faq' } },
  {
    endpoint: 'PUT /integrations/{id}',
    params: crm,
    body: {
      name: 'CRM',
      description: 'Writes a stay into the CRM.',
      endpoint: { url: 'https://crm.example/stays' },
      parameters: { type: 'object', properties: { nights: { type: 'string' } } },
      authHeader: 'Bearer token-of-the-crm-0042',
    },
  },
  {
    endpoint: 'POST /playbooks',
    body: {
      id: 'front-desk',
      name: 'Front desk',
      body: 'Find out what they want. Show [[things: blue-room, loft]].',
      uses: ['people'],
    },
  },
  {
    endpoint: 'POST /playbooks',
    body: {
      id: 'booking',
      name: 'Booking',
      whenToUse: 'Somebody wants to stay.',
      body: 'Find out for how long, then book it.',
      uses: ['scheduling', 'people', 'integration:crm'],
      messageTemplateRefs: ['welcome'],
      goal: { goalId: 'booked' },
    },
  },
  { endpoint: 'PATCH /playbooks/{playbookId}', params: booking, body: { flow } },
  {
    endpoint: 'PUT /playbooks/{playbookId}',
    params: booking,
    body: {
      name: 'Booking a room',
      whenToUse: 'Somebody wants to stay, or asks what is free.',
      body: 'Find out for how long, then book it.',
      goal: { goalId: 'booked' },
    },
  },
  { endpoint: 'POST /playbooks/{playbookId}/_setDefault', params: { playbookId: 'front-desk' } },
  {
    endpoint: 'PUT /knowledge/facts',
    body: { facts: [{ id: 'parking', question: 'Where can I park?', answer: 'Behind the house.' }] },
  },
  {
    endpoint: 'POST /knowledge/facts',
    body: { question: 'Is there breakfast?', answer: 'Until eleven.', scope: { playbooks: ['front-desk'] } },
  },
  {
    endpoint: 'PATCH /knowledge/facts/{factId}',
    params: parking,
    body: { answer: 'Behind the house, free for guests.' },
  },
  {
    endpoint: 'PUT /scheduling',
    body: {
      timezone: 'America/New_York',
      availableHours: [{ dayOfWeek: 1, startTime: '09:00', endTime: '17:30' }],
      defaultDurationMinutes: 30,
      reminders: { leadMinutes: 1_440, playbookId: 'booking' },
      representatives: [{ id: 'ann', name: 'Ann', title: 'Front desk' }],
    },
  },
  {
    endpoint: 'PUT /notifications',
    body: {
      operator: { provider: 'slack' },
      slackWebhookUrl: 'https://hooks.slack.example/services/T0000/B0000/0042',
    },
  },
  {
    endpoint: 'PUT /tool-bindings/{toolId}',
    params: calendar,
    body: { config: { calendarUrl: 'https://dav.example/desk' } },
  },
  {
    endpoint: 'PATCH /tool-bindings/{toolId}',
    params: calendar,
    body: { config: { username: 'desk', password: 'an-app-password-0042' } },
  },
  { endpoint: 'POST /tool-bindings/{toolId}/_disable', params: calendar },
  { endpoint: 'POST /tool-bindings/{toolId}/_enable', params: calendar },
  { endpoint: 'POST /updates/apply', body: { kind: 'playbook', id: 'questions-and-answers' } },
  {
    endpoint: 'POST /import',
    body: {
      standingInstructions: ['Never promise a room before it is booked.', 'Answer in the language you are asked in.'],
    },
  },
]

/** Removes items again, and applies a template. */
export const teardownSteps: readonly Step[] = [
  { endpoint: 'PATCH /playbooks/{playbookId}', params: booking, body: { flow: null, uses: [] } },
  { endpoint: 'DELETE /knowledge/facts/{factId}', params: parking },
  { endpoint: 'DELETE /integrations/{id}', params: crm },
  { endpoint: 'DELETE /tool-bindings/{toolId}', params: calendar },
  { endpoint: 'PATCH /playbooks/{playbookId}', params: booking, body: { messageTemplateRefs: [] } },
  { endpoint: 'DELETE /message-templates/{templateId}', params: welcome },
  { endpoint: 'PUT /scheduling', body: { timezone: 'America/New_York' } },
  { endpoint: 'DELETE /playbooks/{playbookId}', params: booking },
  { endpoint: 'POST /apply-template', body: { templateId: '@svc/agent.salon' } },
]
