/** Turns that are overtaken: by a STOP, a crash, a change of the agent, or an outcome that comes late. */
import t from 'tap'
import type { AgentRouting } from '../../../core/agent/routing.js'
import { isRefusal, refuse } from '../../../core/errors.js'
import type { TurnRecord } from '../../../core/turn/record.js'
import { createWebhookHandler, type DispatchDeps } from '../../../runtime/agentwebhook/dispatch.js'
import type { EffectContext } from '../../../runtime/shard/contract.js'
import { type BeginDeps, createDispatchHandler } from '../../../runtime/turn/begin.js'
import type { PlannedTurn } from '../../../runtime/turn/planner.js'
import { firstRecord, withStep } from '../../../runtime/turn/recordofplan.js'
import { openTurnConversation } from './conversation.js'

const done = { state: 'ok', result: {} } as const
const notDone = { state: 'failed', reason: 'It was not reached.' } as const

t.test('A turn that was planned before a STOP is planned again, and then says nothing', async (t) => {
  const { receive, begin, replies, conversation, records } = openTurnConversation()
  receive('hello')
  const seen = conversation()
  receive('STOP')
  for (const calls of ['none', 'integration:reserve'] as const) {
    const answer = begin({ seen, ...(calls !== 'none' && { call: calls }) })
    t.ok(isRefusal(answer) && answer.refused === 'request.invalid')
  }
  t.notOk(conversation().turn, 'no turn was opened')
  t.equal(begin({ seen, isSilent: true }), 'done')
  t.same(records(), [{ state: 'cut', endedBy: 'stopped', calls: [] }])
  t.same(replies(), [])
})

t.test('A call to a tool inside is in doubt when its turn is cut: nobody knows whether it was made', async (t) => {
  for (const [call, isAttempted, state] of [
    ['people.save', false, 'unknown'],
    ['integration:reserve', false, 'cancelled'],
    ['integration:reserve', true, 'unknown'],
  ] as const) {
    const { receive, begin, attempting, records } = openTurnConversation()
    receive('hello')
    begin({ call })
    if (isAttempted) attempting(1)
    receive('STOP')
    t.same(records(), [{ state: 'cut', endedBy: 'stopped', calls: [state] }], `${call} ${isAttempted}`)
  }
})

t.test('An outcome that comes after its step is noted in the record, whether or not the turn has ended', async (t) => {
  const { receive, begin, advance, records } = openTurnConversation()
  receive('hello')
  begin({ call: 'integration:charge' })
  advance(1, notDone, 'people.save')
  t.equal(advance(1, done), 'passed', 'another process has done it meanwhile')
  advance(2, done)
  t.same(records(), [{ state: 'completed', endedBy: undefined, calls: ['ok', 'ok'] }])
})

t.test('What an attempt could not do says nothing once another process has begun one', async (t) => {
  const { receive, begin, attempting, advance, records } = openTurnConversation()
  receive('hello')
  begin({ call: 'integration:charge' })
  t.same([attempting(1), attempting(1)], [1, 2])
  const stale = advance(1, notDone, undefined, { attempt: 1 })
  t.ok(isRefusal(stale) && stale.refused === 'request.invalid')
  t.same(records(), [], 'the turn waits for the other attempt')
  advance(1, done, undefined, { attempt: 2 })
  t.same(records(), [{ state: 'completed', endedBy: undefined, calls: ['ok'] }])
})

t.test('That a call was done counts, whichever attempt says so', async (t) => {
  const { receive, begin, attempting, advance, records } = openTurnConversation()
  receive('hello')
  begin({ call: 'integration:charge' })
  attempting(1)
  attempting(1)
  t.equal(advance(1, done, undefined, { attempt: 1 }), 'done')
  t.same(records(), [{ state: 'completed', endedBy: undefined, calls: ['ok'] }])
})

t.test('What was not done in time leaves the record of a turn that was cut as it is', async (t) => {
  const { receive, begin, attempting, advance, records } = openTurnConversation()
  receive('hello')
  begin({ call: 'integration:charge' })
  attempting(1)
  receive('STOP')
  advance(1, notDone, undefined, { attempt: 1 })
  t.same(records(), [{ state: 'cut', endedBy: 'stopped', calls: ['unknown'] }])
})

t.test('A late outcome never takes back that a call was done', async (t) => {
  for (const late of [notDone, { state: 'unknown', reason: 'No answer came.' } as const]) {
    const { receive, begin, advance, records } = openTurnConversation()
    receive('hello')
    begin({ call: 'integration:charge' })
    advance(1, done)
    advance(1, late)
    t.same(records(), [{ state: 'completed', endedBy: undefined, calls: ['ok'] }])
  }
})

t.test('R61: a turn that is cut says so in the log, and why', async (t) => {
  const { receive, begin, log, turnId } = openTurnConversation()
  receive('hello')
  begin({ call: 'integration:charge' })
  receive('STOP')
  const lines = log().filter(({ data }) => data?.turnId === turnId())
  t.match(lines, [
    { event: 'framework.dispatched' },
    { event: 'tool.called', data: { tool: 'integration:charge', outcome: 'cancelled' } },
    { event: 'framework.failed', data: { why: 'The person opted out.' } },
  ])
})

t.test('R46, R61: what a call says besides its outcome is in the log, with its turn', async (t) => {
  const { receive, begin, advance, log, turnId } = openTurnConversation()
  receive('hello')
  begin({ call: 'integration:charge' })
  const notes = [{ event: 'connection.lost', data: { tool: 'crm' } } as const]
  advance(1, notDone, 'people.save', { notes })
  advance(2, done)
  const lost = log().filter(({ event }) => event === 'connection.lost')
  t.same(lost, [{ event: 'connection.lost', data: { turnId: turnId(), tool: 'crm' } }])
})

t.test('R59, R61: what a step looked up is among the calls of its turn, and in the log', async (t) => {
  const { receive, begin, advance, calls, log, turnId } = openTurnConversation()
  receive('hello')
  begin({ call: 'scheduling.book' })
  const read = { name: 'scheduling.availability', by: 'flow', state: 'ok', arguments: {}, ms: 2 } as const
  const reads = [{ ...read, result: { slots: [1, 2] } }]
  advance(1, notDone, undefined, { reads })
  t.match(calls(), [{ name: 'scheduling.book', state: 'failed' }, read])
  t.equal(new Set(calls().map(({ key }) => key)).size, 2)
  const data = { turnId: turnId(), tool: 'scheduling.availability', slots: 2 }
  t.match(log(), [{}, {}, { event: 'scheduling.offered', data }])
})

t.test('The record of a turn says where its flow was before the turn, and where it is after it', async (t) => {
  const { turnStart, plannedWith } = openTurnConversation()
  const flowOf = (...flows: NonNullable<TurnRecord['flow']>[]) => {
    const [first, ...more] = flows.map((flow): PlannedTurn => plannedWith({ flow }))
    return more.reduce(withStep, firstRecord(turnStart(), first!)).flow
  }
  const slots = { name: 'Ada' }
  t.same(
    flowOf({ to: 'order:2', slots }, { from: 'order:2', outcome: 'ordered', slots }),
    { outcome: 'ordered', slots },
    'it began and ended within the turn',
  )
  t.same(flowOf({ from: 'order:1', to: 'order:2', slots }, { from: 'order:2', to: 'order:3', slots }), {
    from: 'order:1',
    to: 'order:3',
    slots,
  })
})

/** What the handlers see of a conversation with one event that waits. */
function waitingEvent() {
  const { tx, receive } = openTurnConversation()
  receive('hello')
  return { payload: { asid: 'ada', number: 1 } as never, context: { reader: tx } as unknown as EffectContext }
}

t.test('While the agent cannot be looked up, its event waits: it is taken for neither mode', async (t) => {
  const { payload, context } = waitingEvent()
  let calls = 0
  const handle = createDispatchHandler({
    directory: { get: () => Promise.resolve(refuse('service.unavailable')) },
    callWebhook: async () => void calls++,
  } as unknown as BeginDeps)
  await t.rejects(handle(payload, context), /cannot be looked up/)
  t.equal(calls, 0)
})

t.test('An event is not taken by a webhook that was removed right before the call', async (t) => {
  const { payload, context } = waitingEvent()
  const handle = createWebhookHandler({
    directory: { get: () => ({ orgId: 'acme', agentId: 'desk' }) as AgentRouting },
    shards: { execute: () => Promise.reject(new Error('an outcome was recorded')) },
  } as unknown as DispatchDeps)
  await t.rejects(handle(payload, context), /no webhook any more/)
})

t.test('A turn that was cut when its call came back has the outcome, unless another attempt has begun', async (t) => {
  for (const [attempts, state] of [
    [1, 'failed'],
    [2, 'unknown'],
  ] as const) {
    const { receive, begin, attempting, cut, records } = openTurnConversation()
    receive('hello')
    begin({ call: 'integration:charge' })
    for (let count = 0; count < attempts; count++) attempting(1)
    cut('webhook', { outcome: notDone, ms: 1, attempt: 1 })
    t.same(records(), [{ state: 'cut', endedBy: 'webhook', calls: [state] }])
  }
})
