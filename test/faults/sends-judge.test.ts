/** The judge of sends under fault finds every wrong, and excuses unknown outcomes. */
import t from 'tap'
import type { FaultNode } from './faultnode.js'
import type { SeenSend, SendAgent } from './sends-agent.js'
import { judgeSends, looked } from './sends-judge.js'
import { type Arrival, openSendRecord, type ToldOfSend } from './sends-record.js'

const phone = '+14155551000'
const isSent: SeenSend = { state: 'sent', attempts: 1 }
const isSilenced: SeenSend = { state: 'suppressed', reason: 'opted_out', attempts: 1 }
const isUnknown: SeenSend = { state: 'failed', reason: 'capability_unknown', attempts: 4 }
const isCancelled: SeenSend = { state: 'cancelled', attempts: 1 }
const faultNode = { name: 'node', surprises: () => [], printed: () => '' } as unknown as FaultNode

interface Story {
  readonly told?: readonly ToldOfSend[]
  readonly again?: ToldOfSend
  readonly send?: SeenSend
  readonly arrivals?: readonly Partial<Arrival>[]
  readonly killedAt?: number
  readonly stoppedAt?: number
  readonly cancelledAt?: number
}

const queued: ToldOfSend = { outcome: 'queued', sendId: 'sd_1' }
const repeated: ToldOfSend = { outcome: 'duplicate', sendId: 'sd_1' }
const refused: ToldOfSend = { outcome: 'refused' }

/** The course of one send; absent fields went well. */
async function judged({ told = [queued], again = repeated, send = isSent, arrivals = [{}], ...moments }: Story) {
  const record = openSendRecord()
  const { killedAt, stoppedAt: acknowledgedAt, cancelledAt } = moments
  const usual: Arrival = { at: 10, id: 'one', phone, ref: 'ref-1', isTaken: true, isTold: true }
  record.arrivals.push(...arrivals.map((each) => ({ ...usual, ...each })))
  if (killedAt !== undefined) record.harms.push(killedAt)
  if (acknowledgedAt !== undefined) record.stops.set(phone, { phone, begunAt: acknowledgedAt - 1, acknowledgedAt })
  const wanted = { ref: 'ref-1', way: 'named' as const, phone, beganAt: 0, told: [...told] }
  record.wanted.push({ ...wanted, ...(cancelledAt !== undefined && { cancelledAt }) })
  const agent = { ask: async () => again, read: async () => send } as unknown as SendAgent
  return judgeSends({ faultNodes: [faultNode], agent, record })
}

const wrongs: readonly (readonly [found: RegExp, story: Story])[] = [
  [/is 2 sends/, { again: { outcome: 'duplicate', sendId: 'sd_2' } }],
  [/told that .* is new/, { told: [queued, queued] }],
  [/never said STOP/, { told: [refused], again: refused, arrivals: [] }],
  [/refused, and sent/, { told: [refused], again: refused, stoppedAt: 20 }],
  [/as 2 messages/, { arrivals: [{}, { id: 'two' }] }],
  [/somebody else/, { arrivals: [{ phone: '+14155551001' }] }],
  [/after its cancel/, { send: isCancelled, cancelledAt: 5, arrivals: [{ isTold: false }] }],
  [/cancelled, and is sent/, { cancelledAt: 15 }],
  [/before it was tried, and sent/, { send: { ...isCancelled, attempts: 0 }, arrivals: [{ isTold: false }] }],
  [/never took it/, { arrivals: [] }],
  [/never took it/, { arrivals: [{ isTaken: false }] }],
  [/had said that it took it/, { send: isSilenced, stoppedAt: 20 }],
  [/had said that it took it/, { send: isSilenced, stoppedAt: 20, killedAt: 5 }],
  [/which is not so/, { send: isSilenced, arrivals: [] }],
  [/which is not so/, { send: { state: 'failed', reason: 'not_rcs_capable', attempts: 1 }, arrivals: [] }],
  [/had said that it took it/, { send: isUnknown }],
  [/tried 5 times/, { send: { ...isSent, attempts: 5 } }],
  [/nobody wanted/, { arrivals: [{}, { ref: 'ref-2' }] }],
  [/whose STOP was acknowledged/, { stoppedAt: 5, arrivals: [{}, { at: 11 }] }],
  [/whose STOP was acknowledged/, { stoppedAt: 5, killedAt: 7 }],
  [/whose STOP was acknowledged/, { stoppedAt: 5 }],
]

t.test('Each thing that may go wrong with a send is found', async (t) => {
  for (const [found, story] of wrongs) {
    const { problems } = await judged(story)
    t.ok(
      problems.some((sentence) => found.test(sentence)),
      `${found} in ${problems.join('; ') || 'nothing'}`,
    )
  }
})

const rights: Readonly<Record<string, Story>> = {
  'one message however often it is tried': { arrivals: [{ isTaken: false }, { isTold: false }, {}] },
  'a STOP before it was tried': { send: isSilenced, stoppedAt: 5, arrivals: [] },
  'a STOP while nobody knows whether it was taken': { send: isSilenced, stoppedAt: 20, arrivals: [{ isTold: false }] },
  'a STOP after the node that was told is killed': { send: isSilenced, stoppedAt: 20, killedAt: 15 },
  'a cancel while nobody knows whether it was taken': {
    send: isCancelled,
    cancelledAt: 20,
    arrivals: [{ isTold: false }],
  },
  'a number that nobody could ask about again': { send: isUnknown, arrivals: [{ isTaken: false }, { isTold: false }] },
  'a refusal after STOP': { told: [refused], again: refused, stoppedAt: 20, arrivals: [] },
}

t.test('What went as promised, or what nobody can know, is no problem', async (t) => {
  for (const [what, story] of Object.entries(rights)) t.same((await judged(story)).problems, [], what)
})

t.test('A send that is lost, or changes after its end, is found whenever it is looked at', async (t) => {
  const record = openSendRecord()
  const wanted = { ref: 'ref-1', way: 'named' as const, phone, beganAt: 0, told: [queued] }
  const seen: (SeenSend | 'nowhere')[] = [isSent, isSilenced, 'nowhere']
  const agent = { read: async () => seen.shift() } as unknown as SendAgent
  for (let look = 0; look < 3; look++) await looked({ faultNodes: [faultNode], agent, record }, wanted)
  t.match(record.wrongs, [/had ended as sent/, /does not know ref-1/])
})
