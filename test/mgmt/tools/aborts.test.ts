/**
 * Decision 18: calls that are aborted or answered at a bad moment, because the node stops or a shard moves. Once a byte
 * may have gone out, no record says that nothing was done.
 */
import t, { type Test } from 'tap'
import { refuse } from '../../../core/errors.js'
import type { ToolOutcome } from '../../../core/tools/contract.js'
import type { AnsweredCall } from '../../../core/turn/openturn.js'
import type { EffectContext } from '../../../runtime/shard/contract.js'
import { type CallDeps, createCallHandler } from '../../../runtime/turn/call.js'
import { binding, integration } from '../../core/tools/document.js'
import { waitUntil } from '../../harness/clock.js'
import { openReceiver, type Receiver } from '../../harness/receiver.js'
import { account, openMailServer } from '../../runtime/smtp/mailserver.js'
import { openTurnConversation } from '../../runtime/turn/conversation.js'
import { createToolsFixture, type ToolsFixture } from './fixture.js'

const crm = '@svc/tool.crm-record'
const mail = '@svc/tool.mail'

interface Tool {
  readonly name: string
  readonly given: Record<string, unknown>
  readonly fixture: ToolsFixture
  /** How many requests have arrived whole; absent for a mail, which arrives in parts. */
  readonly arrived?: () => number
}

/** Each kind of tool, at an endpoint that takes what it gets and never answers. */
const tools: Readonly<Record<string, (t: Test) => Promise<Tool>>> = {
  async integration(t) {
    const receiver = await hanging(t)
    const document = { integrations: [integration('crm', { 'x-idempotent': true }, receiver.url('/in'))] }
    const fixture = createToolsFixture(t, { document })
    return { name: 'integration:crm', given: {}, fixture, arrived: () => receiver.at('/in').length }
  },
  async 'backend with a connection'(t) {
    const receiver = await hanging(t)
    const toolBindings = [binding(crm, { baseUrl: receiver.url(''), connectionId: 'cn_1' })]
    const tokens = {
      accessToken: async () => 'token-of-the-crm',
      async use<T>(_ref: unknown, attempt: (token: string) => Promise<{ ok: boolean; value?: T }>) {
        const outcome = await attempt('token-of-the-crm')
        return outcome.ok ? outcome.value! : ({ refused: 'connection.call_failed' } as const)
      },
    }
    const fixture = createToolsFixture(t, { document: { toolBindings }, tokens })
    const given = { action: 'find', phone: '+12025550123' }
    return { name: `tool:${crm}`, given, fixture, arrived: () => receiver.at('/crm-record').length }
  },
  async chat(t) {
    const receiver = await hanging(t)
    const fixture = createToolsFixture(t, { document: { notifications: { operator: { provider: 'slack' } } } })
    await fixture.setSecrets('notifications', '', { slackWebhookUrl: receiver.url('/in') })
    return { name: 'notify.team', given: { text: 'Hello' }, fixture, arrived: () => receiver.at('/in').length }
  },
  async mail(t) {
    const server = await openMailServer(t, { replies: { '.': 'silence' } })
    const config = { host: 'localhost', port: server.port, username: account.username, fromAddress: 'a@harbor.example' }
    const document = { toolBindings: [binding(mail, config)] }
    const fixture = createToolsFixture(t, { document, smtp: { ca: server.ca } })
    await fixture.setSecrets('toolBindings', mail, { password: account.password })
    const given = { to: 'ann@harbor.example', subject: 'Hello', text: 'Hello' }
    return { name: `tool:${mail}`, given, fixture }
  },
}

async function hanging(t: Test) {
  const receiver = await openReceiver(t)
  for (const path of ['/in', '/crm-record']) receiver.setBehavior(path, () => {})
  return receiver
}

for (const [kind, open] of Object.entries(tools)) {
  t.test(`Decision 18: after an abort it is not known whether a call that has arrived was done: ${kind}`, async (t) => {
    const { name, given, fixture, arrived } = await open(t)
    const stopping = new AbortController()
    let written = 0
    const isStillOwner = () => {
      written++
      return true
    }
    const running = fixture.run(name, given, { signal: stopping.signal, isStillOwner })
    await waitUntil(() => written === 1 && arrived?.() !== 0)
    stopping.abort()
    t.match((await running).outcome, { state: 'unknown', reason: /^It is not known whether/i })
    const stopped = fixture.run(name, given, { signal: AbortSignal.abort(), isStillOwner })
    t.match((await stopped).outcome, { state: 'failed' }, 'one that was aborted before is not sent')
    const repeat = fixture.run(name, given, { signal: AbortSignal.abort(), isStillOwner, isRepeat: true })
    t.match((await repeat).outcome, { state: 'unknown' }, 'but an attempt before it may have been')
    t.equal(written, 1, 'and nothing is sent again')
  })
}

/**
 * The effect of a turn that waits for an integration, and the outcomes that it records. So often its plan is refused.
 */
async function openEffect(t: Test, receiver: Receiver, refusals = 0) {
  const document = { integrations: [integration('crm', {}, receiver.url('/in'))] }
  const { call } = createToolsFixture(t, { document })
  const conversation = openTurnConversation()
  conversation.receive('hello')
  conversation.begin({ call: 'integration:crm' })
  const recorded: ToolOutcome[] = []
  const end = new AbortController()
  const handle = createCallHandler({
    shards: {
      async execute(_owner: string, command: string, { answered }: { answered: AnsweredCall }) {
        if (command === 'attempting') return conversation.attempting(1)
        if (command === 'keepAnswer') return conversation.keepAnswer(1, answered)
        recorded.push(answered.outcome)
        return conversation.advance(1, answered.outcome, undefined, answered)
      },
    },
    commands: { attempting: 'attempting', keepAnswer: 'keepAnswer', advance: 'advance' },
    directory: { get: async () => ({ orgId: 'demo', agentId: 'ada' }) },
    contexts: { of: () => ({}) },
    planner: {
      plan: async () => (refusals-- > 0 ? refuse('service.unavailable') : conversation.plannedWith({})),
    },
    port: { call },
    clock: { now: () => 0, monotonic: () => 0 },
  } as unknown as CallDeps)
  const context = {
    ...{ reader: conversation.tx, signal: end.signal, isStillOwner: () => !end.signal.aborted },
    ...{ releaseSlot: () => {}, completes: undefined },
  } as unknown as EffectContext
  const run = () => handle({ asid: 'ada', turnId: conversation.turnId(), number: 1 } as never, context)
  return { conversation, recorded, end, run }
}

t.test('Decision 18: an effect that is aborted records nothing, and the next owner does not call again', async (t) => {
  const receiver = await hanging(t)
  const { conversation, recorded, end, run } = await openEffect(t, receiver)
  const running = run()
  await waitUntil(() => receiver.at('/in').length === 1)
  end.abort()
  await t.rejects(running, /the shard is gone/)
  t.same(recorded, [])
  t.equal(conversation.attempting(1), 2, 'the next owner is told of the attempt')
  conversation.receive('STOP')
  t.match(conversation.records(), [{ state: 'cut', calls: ['unknown'] }])
})

t.test('Decision 18: an effect that was aborted before its call sends nothing, and records nothing', async (t) => {
  const receiver = await hanging(t)
  const { recorded, end, run } = await openEffect(t, receiver)
  end.abort()
  await t.rejects(run(), /the shard is gone/)
  t.same(recorded, [])
  t.equal(receiver.at('/in').length, 0)
})

t.test('A tool that has answered is not asked again because its turn could not go on', async (t) => {
  const receiver = await openReceiver(t)
  const { conversation, recorded, run } = await openEffect(t, receiver, 1)
  await t.rejects(run(), /cannot be looked up/)
  t.same(recorded, [])
  await run()
  t.equal(receiver.at('/in').length, 1)
  t.match(recorded, [{ state: 'ok' }])
  t.match(conversation.records(), [{ state: 'completed', calls: ['ok'] }])
})

t.test('A turn that is cut while it cannot go on has the outcome of its call', async (t) => {
  const { conversation, run } = await openEffect(t, await openReceiver(t), 1)
  await t.rejects(run(), /cannot be looked up/)
  conversation.receive('STOP')
  t.match(conversation.records(), [{ state: 'cut', calls: ['ok'] }])
})
