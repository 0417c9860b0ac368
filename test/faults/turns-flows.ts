/** The flows of the agent of the turn faults: each brings a turn to one point at which its node can be harmed. */

type Steps = readonly object[]

/** How an action that may fail goes on. */
function thenSay(done: string): Steps {
  return [
    { branch: [{ if: 'error', goto: 'not' }], else: 'done' },
    { id: 'done', say: done },
    { end: { outcome: 'done' } },
    { id: 'not', say: 'It is not known whether that has worked.' },
    { end: { outcome: 'not' } },
  ]
}

const withPicture = (text: string, url: string) => `${text}\n[[media: ${url}]]`

/** By the id of their playbook; `url` is that of the picture. */
export const flows = {
  picture: (url: string) => ({ steps: [{ say: withPicture('Here it is.', url) }] }),
  appointment: (url: string) => ({
    slots: [{ name: 'start', type: 'string', required: true, prompt: 'When shall it begin?' }],
    steps: [
      { collect: 'start' },
      { action: 'scheduling.book', with: { start: '{start}' }, on_error: 'branch' },
      ...thenSay(withPicture('It is booked.', url)),
    ],
  }),
  table: () => ({ steps: [{ action: 'integration:reserve', on_error: 'branch' }, ...thenSay('It is reserved.')] }),
  card: () => ({ steps: [{ action: 'integration:charge', on_error: 'branch' }, ...thenSay('It is charged.')] }),
  parcel: (url: string) => ({
    steps: [{ action: 'integration:deliver', on_error: 'branch' }, ...thenSay(withPicture('It is on its way.', url))],
  }),
} as const
export type FlowName = keyof typeof flows

export const pictureFlows = ['picture', 'appointment', 'parcel'] as const satisfies readonly FlowName[]

/** What people write to begin a flow; a number follows, so that no two texts are the same. */
export const wishes: Readonly<Record<FlowName, string>> = {
  picture: 'Show the picture',
  appointment: 'Make an appointment',
  table: 'Reserve a table',
  card: 'Charge the card',
  parcel: 'Send the parcel',
}

const uses = ['scheduling', 'integration:reserve', 'integration:charge', 'integration:deliver']

export function playbooksFor(pictureUrl: string): readonly object[] {
  const names = Object.keys(flows) as FlowName[]
  // A reply of its own, so that no suggestions are sent: a wish with its number would be taken for one of them.
  const reception = { steps: [{ say: 'Welcome.' }, { end: { outcome: 'welcomed' } }] }
  const front = { id: 'front', name: 'Reception', isDefault: true, body: '', uses: [], flow: reception }
  return [
    front,
    ...names.map((id) => ({ id, name: wishes[id], isDefault: false, body: '', uses, flow: flows[id](pictureUrl) })),
  ]
}

const everyDay = Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, startTime: '00:00', endTime: '24:00' }))

/** Only the tool that charges may get a request twice. */
export function toolsFor(endpointsUrl: string): object {
  const tool = (id: string, more: object = {}) => ({
    id,
    description: `Does ${id}.`,
    endpoint: { url: `${endpointsUrl}/tools/${id}` },
    parameters: { type: 'object', ...more },
  })
  const integrations = [tool('reserve'), tool('charge', { 'x-idempotent': true }), tool('deliver')]
  const scheduling = { timezone: 'UTC', availableHours: everyDay, representatives: [] }
  return { integrations: { custom: integrations }, capabilities: { scheduling } }
}
