/** Custom integrations (R48, decisions 17 and 18) against endpoints that misbehave over real connections. */
import fc from 'fast-check'
import t from 'tap'
import { tools as limits, turn } from '../../../core/limits/index.js'
import { integration } from '../../core/tools/document.js'
import { answer, openReceiver } from '../../harness/receiver.js'
import { type Behavior, behaviors, openEndpoint, takesNothing } from './endpoint.js'
import { createToolsFixture } from './fixture.js'

const name = 'integration:crm'
const secret = 'Bearer s3cr3t-of-the-crm'
const given = { plan: 'gold', phone: '+12025550123' }

t.test(
  'R48, decision 17: the body is the arguments alone, with the call’s headers and the stored secret',
  async (t) => {
    const receiver = await openReceiver(t)
    receiver.setBehavior('/in', (response) => response.end('{"id":7}'))
    const fixture = createToolsFixture(t, { document: { integrations: [integration('crm', {}, receiver.url('/in'))] } })
    await fixture.setSecrets('integrations', 'crm', { authHeader: secret })
    t.same((await fixture.run(name, given)).outcome, { state: 'ok', result: { id: 7 } })
    const [request] = receiver.at('/in')
    t.same(JSON.parse(String(request?.body)), given)
    t.match(request?.headers, {
      'content-type': 'application/json',
      'x-svc-turn': 'tu_1',
      'idempotency-key': 'call-1',
      authorization: secret,
    })
  },
)

t.test(
  'R48: the method is that of the endpoint, POST by default, and without a secret there is no header',
  async (t) => {
    for (const method of ['POST', 'PUT', 'PATCH', undefined] as const) {
      const { url, arrivals } = await openEndpoint(t, () => ['ok'])
      const one = { ...integration('crm'), endpoint: { url, ...(method && { method }) } }
      const { run } = createToolsFixture(t, { document: { integrations: [one] } })
      t.match(await run(name, given), { outcome: { state: 'ok', result: { booked: true } } })
      t.ok(arrivals[0]?.text.startsWith(`${method ?? 'POST'} /in `))
      t.notMatch(arrivals[0]?.text, /authorization/i)
    }
  },
)

/** They take until the deadline, or move many bytes. */
const slow: readonly Behavior[] = ['hang', 'drip', 'huge']

interface Expected {
  readonly state: string
  readonly arrivals: number
  readonly reason?: RegExp
}

const expected: Readonly<Record<Behavior, Expected>> = {
  ok: { state: 'ok', arrivals: 1 },
  huge: { state: 'ok', arrivals: 1 },
  notFound: { state: 'failed', arrivals: 1, reason: /^The integration crm answered with status 404\.$/ },
  failure: { state: 'failed', arrivals: 1, reason: /status 500/ },
  redirect: { state: 'failed', arrivals: 1, reason: /redirect, which is not followed/ },
  limited: { state: 'failed', arrivals: limits.unsentAttempts, reason: /takes no calls just now/ },
  busy: { state: 'failed', arrivals: limits.unsentAttempts, reason: /takes no calls just now/ },
  gateway: { state: 'unknown', arrivals: 1, reason: /status 502/ },
  hang: { state: 'unknown', arrivals: 1, reason: /did not answer in time/ },
  reset: { state: 'unknown', arrivals: 1, reason: /connection failed/ },
  close: { state: 'unknown', arrivals: 1, reason: /closed before an answer/ },
  garbage: { state: 'unknown', arrivals: 1, reason: /not HTTP/ },
  halfHead: { state: 'unknown', arrivals: 1, reason: /It is not known/ },
  shortBody: { state: 'unknown', arrivals: 1, reason: /It is not known/ },
  drip: { state: 'unknown', arrivals: 1, reason: /did not answer in time/ },
}

t.test('decisions 17 and 18: what becomes of a call, whatever the endpoint does with it', async (t) => {
  let behavior: Behavior = 'ok'
  const endpoint = await openEndpoint(t, () => [behavior])
  const document = { integrations: [integration('crm', {}, endpoint.url)] }
  for (behavior of behaviors) {
    endpoint.clear()
    const callMs = ['hang', 'drip'].includes(behavior) ? 1_500 : 20_000
    const { run } = createToolsFixture(t, { document, limits: { callMs } })
    const { outcome } = await run(name, given)
    const { state, arrivals, reason } = expected[behavior]
    t.match(outcome, { state, ...(reason && { reason }) }, behavior)
    t.equal(endpoint.arrivals.length, arrivals, `${behavior}: requests that arrived`)
  }
})

t.test('decisions 17 and 18: a call has ten seconds, and three attempts under one key', async (t) => {
  t.match(limits, { callMs: 10_000, answerBytes: 256 * 1024, idempotentAttempts: 3 })
})

t.test('decision 17: an answer of 64 MB is read no further than 256 KB, and 16 KB of it are seen', async (t) => {
  const { url } = await openEndpoint(t, () => ['huge'])
  const { run } = createToolsFixture(t, { document: { integrations: [integration('crm', {}, url)] } })
  const { outcome } = await run(name, given)
  t.match(outcome, { state: 'ok', result: { note: 'The answer was cut to 16 KB.', text: /^x+$/ } })
  t.ok(JSON.stringify(outcome).length <= turn.toolResultBytes + 100)
})

t.test('decision 18: without x-idempotent at most one request arrives that was not turned away', async (t) => {
  let script: readonly Behavior[] = ['ok']
  const endpoint = await openEndpoint(t, () => script)
  const { run } = createToolsFixture(t, {
    document: { integrations: [integration('crm', {}, endpoint.url)] },
    limits: { callMs: 20_000 },
  })
  const quick = behaviors.filter((each) => !slow.includes(each))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...quick), { minLength: 1, maxLength: 4 }), async (behaviors) => {
      script = behaviors
      endpoint.clear()
      const { outcome } = await run(name, given)
      const met = endpoint.arrivals.filter(({ behavior }) => !takesNothing.includes(behavior))
      if (met.length > 1) throw new Error(`${met.length} requests`)
      const state = met[0] ? expected[met[0].behavior].state : 'failed'
      if (outcome.state !== state) throw new Error(`${outcome.state}, not ${state}`)
    }),
    { numRuns: 60 },
  )
  t.pass()
})

t.test(
  'decision 18: with x-idempotent a call in doubt is repeated under its key, until an answer says what happened',
  async (t) => {
    let script: readonly Behavior[] = ['ok']
    const endpoint = await openEndpoint(t, () => script)
    const { run } = createToolsFixture(t, {
      document: { integrations: [integration('crm', { 'x-idempotent': true }, endpoint.url)] },
      limits: { callMs: 20_000 },
    })
    const quick = behaviors.filter((each) => !slow.includes(each))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...quick), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (all, isRepeat) => {
          script = all
          endpoint.clear()
          const { outcome } = await run(name, given, { isRepeat, id: 'call-9' })
          const { arrivals } = endpoint
          if (arrivals.length > Math.max(limits.idempotentAttempts, limits.unsentAttempts)) throw new Error('too many')
          if (!arrivals.every(({ text }) => text.includes('call-9'))) throw new Error('another key')
          const isInDoubt = isRepeat || arrivals.some(({ behavior }) => expected[behavior].state === 'unknown')
          const isDone = arrivals.at(-1)?.behavior === 'ok'
          const state = isDone ? 'ok' : isInDoubt ? 'unknown' : 'failed'
          if (outcome.state !== state) throw new Error(`${outcome.state}, not ${state}`)
        },
      ),
      { numRuns: 60 },
    )
    t.pass()
  },
)

t.test('decision 18: an attempt that may have been made before is not made again, and says so', async (t) => {
  const endpoint = await openEndpoint(t, () => ['ok'])
  const { run } = createToolsFixture(t, { document: { integrations: [integration('crm', {}, endpoint.url)] } })
  t.match(await run(name, given, { isRepeat: true }), {
    outcome: { state: 'unknown', reason: /interrupted, and is not repeated/ },
  })
  t.equal(endpoint.arrivals.length, 0)
})

t.test(
  'decision 18: errors that prove that nothing was sent are tried again, and then the call has failed',
  async (t) => {
    const closed = await openReceiver(t)
    const integrations = [
      integration('refused', {}, `http://127.0.0.1:1/in`),
      integration('nowhere', {}, 'http://no-such-host.invalid/in'),
      integration('tls', {}, closed.url('/in').replace('http:', 'https:')),
      integration('guard', {}, 'ftp://127.0.0.1/in'),
    ]
    const fixture = createToolsFixture(t, { document: { integrations } })
    for (const { id } of integrations) {
      let isWritten = false
      const isStillOwner = () => {
        isWritten = true
        return true
      }
      const { outcome } = await fixture.run(`integration:${id}`, given, { isStillOwner })
      t.match(outcome, { state: 'failed', reason: /^The integration \w+ was not reached\. / }, id)
      t.notOk(isWritten, `${id}: not a byte was about to be written`)
    }
    t.equal(closed.at('/in').length, 0)
    let attempts = 0
    const call = async () => {
      attempts++
      return {
        ok: false,
        message: 'The host name could not be resolved.',
        mayHaveArrived: false,
        isStopped: false,
      } as const
    }
    t.match(
      await createToolsFixture(t, { document: { integrations }, egress: { call } }).run('integration:tls', given),
      {
        outcome: { state: 'failed' },
      },
    )
    t.equal(attempts, limits.unsentAttempts)
  },
)

t.test('decision 18: nothing is sent once the process does not own the conversation, or stops', async (t) => {
  const endpoint = await openEndpoint(t, () => ['ok'])
  const { run } = createToolsFixture(t, { document: { integrations: [integration('crm', {}, endpoint.url)] } })
  t.match(await run(name, given, { isStillOwner: () => false }), { outcome: { state: 'failed' } })
  t.match(await run(name, given, { signal: AbortSignal.abort() }), { outcome: { state: 'failed' } })
  t.equal(endpoint.arrivals.length, 0)
  const stopping = new AbortController()
  const isStillOwner = () => {
    setTimeout(() => stopping.abort(), 50)
    return true
  }
  const hanging = await openEndpoint(t, () => ['hang'])
  const other = createToolsFixture(t, {
    document: { integrations: [integration('crm', { 'x-idempotent': true }, hanging.url)] },
  })
  t.match(await other.run(name, given, { signal: stopping.signal, isStillOwner }), { outcome: { state: 'unknown' } })
  t.equal(hanging.arrivals.length, 1, 'and a call that was under way is not repeated after that')
})

t.test('R48: no secret is seen in an outcome, however the endpoint repeats what it got', async (t) => {
  const receiver = await openReceiver(t)
  const fixture = createToolsFixture(t, {
    document: { integrations: [integration('crm', {}, receiver.url('/in?key=in-the-url'))] },
  })
  await fixture.setSecrets('integrations', 'crm', { authHeader: secret })
  const token = secret.replace('Bearer ', '')
  const echoes = [
    JSON.stringify({ headers: { authorization: secret }, [token]: token }),
    `<html>${secret}</html>`,
    `{"a":"${token.replace(/./g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)}"}`,
  ]
  for (const status of [200, 400, 500, 302]) {
    for (const echo of echoes) {
      receiver.setBehavior('/in?key=in-the-url', (response) =>
        response.writeHead(status, { location: `/${token}` }).end(echo),
      )
      const seen = JSON.stringify(await fixture.run(name, given))
      t.notOk(seen.includes(token), seen)
    }
  }
  receiver.setBehavior('/in?key=in-the-url', answer(200))
  const captured = JSON.stringify(await fixture.run(name, given, {}, { sandbox: true }))
  t.notMatch(captured, /s3cr3t|in-the-url/)
})

t.test('R57: in the sandbox nothing goes out, and what would have gone is captured', async (t) => {
  const endpoint = await openEndpoint(t, () => ['ok'])
  const { run } = createToolsFixture(t, { document: { integrations: [integration('crm', {}, endpoint.url)] } })
  const { outcome, effects } = await run(name, given, {}, { sandbox: true })
  t.same(outcome, { state: 'captured', result: { captured: true } })
  t.match(effects, [
    {
      kind: 'integration',
      summary: 'Calls the integration crm.',
      payload: { method: 'POST', url: endpoint.url, arguments: given },
      at: Number,
    },
  ])
  t.equal(endpoint.arrivals.length, 0)
})

t.test(
  'R48: a call of what the agent does not have, or whose secret cannot be read, has failed with a sentence',
  async (t) => {
    const endpoint = await openEndpoint(t, () => ['ok'])
    const fixture = createToolsFixture(t, { document: { integrations: [integration('crm', {}, endpoint.url)] } })
    t.match(await fixture.run('integration:erp', given), {
      outcome: { state: 'failed', reason: 'There is no integration erp.' },
    })
    t.match(await fixture.run('people.forget', given), {
      outcome: { state: 'failed', reason: 'There is no tool people.forget.' },
    })
    const other = { orgId: 'demo', agentId: 'other' }
    t.match(await fixture.run(name, given, {}, { agent: other }), {
      outcome: { state: 'failed', reason: 'There is no such agent.' },
    })
    fixture.setUnavailable()
    t.match(await fixture.run(name, given), { outcome: { state: 'failed', reason: /could not be read just now/ } })
    t.match(
      await fixture.run(name, given, { isRepeat: true }),
      { outcome: { state: 'unknown' } },
      'but not of a repeat',
    )
    t.equal(endpoint.arrivals.length, 0)
  },
)

t.test(
  'decision 18: an attempt that was interrupted stays in doubt, although the next one cannot even begin',
  async (t) => {
    const repeat = { isRepeat: true }
    const inDoubt = { outcome: { state: 'unknown', reason: /^It is not known whether .* And then: / } }
    const one = integration('crm', { 'x-idempotent': true })
    const missing = createToolsFixture(t, { document: { integrations: [one] } })
    missing.setDocument({ integrations: [] })
    t.match(await missing.run(name, given), { outcome: { state: 'failed' } })
    t.match(await missing.run(name, given, repeat), inDoubt, 'the integration was removed')
    const away = createToolsFixture(t, { document: { integrations: [one] } })
    away.setUnavailable()
    t.match(await away.run(name, given), { outcome: { state: 'failed' } })
    t.match(await away.run(name, given, repeat), inDoubt, 'the agent’s shard cannot be reached')
    const untold = createToolsFixture(t, { document: {} })
    t.match(await untold.run('notify.team', { text: 'Hello' }), { outcome: { state: 'failed' } })
    t.match(await untold.run('notify.team', { text: 'Hello' }, repeat), inDoubt, 'the notifications were removed')
  },
)
