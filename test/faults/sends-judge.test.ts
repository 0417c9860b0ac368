/** The judge of sends under fault finds every wrong, and excuses unknown outcomes. */
import t from 'tap'
import type { FaultNode } from './faultnode.js'
import type { SeenSend, SendAgent } from './sends-agent.js'
import { judgeSends, readSend } from './sends-judge.js'
import { type Arrival, openSendRecord, type SendAnswer } from './sends-record.js'

const phone = '+14155551000'
const isSent: SeenSend = { state: 'sent', attempts: 1 }
const isSilenced: SeenSend = { state: 'suppressed', reason: 'opted_out', attempts: 1 }
const isUnknown: SeenSend = { state: 'failed', reason: 'capability_unknown', attempts: 4 }
const isCancelled: SeenSend = { state: 'cancelled', attempts: 1 }
const faultNode = { name: 'node', surprises: () => [], printed: () => '' } as unknown as FaultNode

interface Story {
  readonly answers?: readonly SendAnswer[]
  readonly lastAnswer?: SendAnswer
  readonly send?: SeenSend
  readonly arrivals?: readonly Partial<Arrival>[]
  readonly killedAt?: number
  readonly stoppedAt?: number
  readonly cancelledAt?: number
}

const queued: SendAnswer = { outcome: 'queued', sendId: 'sd_1' }
const repeated: SendAnswer = { outcome: 'duplicate', sendId: 'sd_1' }
const refused: SendAnswer = { outcome: 'refused' }

/** The course of one send; absent fields went well. */
async function judgeStory({
  answers = [queued],
  lastAnswer = repeated,
  send = isSent,
  arrivals = [{}],
  ...moments
}: Story) {
  const record = openSendRecord()
  const { killedAt, stoppedAt: acknowledgedAt, cancelledAt } = moments
  const usual: Arrival = { at: 10, id: 'one', phone, ref: 'ref-1', isAccepted: true, isAnswered: true }
  record.arrivals.push(...arrivals.map((each) => ({ ...usual, ...each })))
  if (killedAt !== undefined) record.harms.push(killedAt)
  if (acknowledgedAt !== undefined) record.stops.set(phone, { phone, begunAt: acknowledgedAt - 1, acknowledgedAt })
  const request = { ref: 'ref-1', way: 'named' as const, phone, beganAt: 0, answers: [...answers] }
  record.requests.push({ ...request, ...(cancelledAt !== undefined && { cancelledAt }) })
  const agent = { requestSend: async () => lastAnswer, read: async () => send } as unknown as SendAgent
  return judgeSends({ faultNodes: [faultNode], agent, record })
}

const badStories: readonly (readonly [found: RegExp, story: Story])[] = [
  [/is 2 sends/, { lastAnswer: { outcome: 'duplicate', sendId: 'sd_2' } }],
  [/told that .* is new/, { answers: [queued, queued] }],
  [/never said STOP/, { answers: [refused], lastAnswer: refused, arrivals: [] }],
  [/refused, and sent/, { answers: [refused], lastAnswer: refused, stoppedAt: 20 }],
  [/as 2 messages/, { arrivals: [{}, { id: 'two' }] }],
  [/somebody else/, { arrivals: [{ phone: '+14155551001' }] }],
  [/after its cancel/, { send: isCancelled, cancelledAt: 5, arrivals: [{ isAnswered: false }] }],
  [/cancelled, and is sent/, { cancelledAt: 15 }],
  [/before it was tried, and sent/, { send: { ...isCancelled, attempts: 0 }, arrivals: [{ isAnswered: false }] }],
  [/never took it/, { arrivals: [] }],
  [/never took it/, { arrivals: [{ isAccepted: false }] }],
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

t.test('Each possible fault of a send is detected', async (t) => {
  for (const [expected, story] of badStories) {
    const { problems } = await judgeStory(story)
    t.ok(
      problems.some((sentence) => expected.test(sentence)),
      `${expected} in ${problems.join('; ') || 'nothing'}`,
    )
  }
})

const rights: Readonly<Record<string, Story>> = {
  'one message however often it is tried': { arrivals: [{ isAccepted: false }, { isAnswered: false }, {}] },
  'a STOP before it was tried': { send: isSilenced, stoppedAt: 5, arrivals: [] },
  'a STOP while nobody knows whether it was taken': {
    send: isSilenced,
    stoppedAt: 20,
    arrivals: [{ isAnswered: false }],
  },
  'a STOP after the node that was told is killed': { send: isSilenced, stoppedAt: 20, killedAt: 15 },
  'a cancel while nobody knows whether it was taken': {
    send: isCancelled,
    cancelledAt: 20,
    arrivals: [{ isAnswered: false }],
  },
  'a number that nobody could ask about again': {
    send: isUnknown,
    arrivals: [{ isAccepted: false }, { isAnswered: false }],
  },
  'a refusal after STOP': { answers: [refused], lastAnswer: refused, stoppedAt: 20, arrivals: [] },
}

t.test('A correct course, or one that cannot be known, is no finding', async (t) => {
  for (const [what, story] of Object.entries(rights)) t.same((await judgeStory(story)).problems, [], what)
})

t.test('A send that is lost, or changes after its end, is detected at any time', async (t) => {
  const record = openSendRecord()
  const request = { ref: 'ref-1', way: 'named' as const, phone, beganAt: 0, answers: [queued] }
  const seen: (SeenSend | 'nowhere')[] = [isSent, isSilenced, 'nowhere']
  const agent = { read: async () => seen.shift() } as unknown as SendAgent
  for (let look = 0; look < 3; look++) await readSend({ faultNodes: [faultNode], agent, record }, request)
  t.match(record.violations, [/had ended as sent/, /does not know ref-1/])
})
