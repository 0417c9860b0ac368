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
