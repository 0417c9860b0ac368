/** The journey's routes over a whole node: sends, what became of them, and the action for the platform. */
import t from 'tap'
import { conversationCommands } from '../../../runtime/conversation/commands.js'
import { contextOn } from '../../harness/agentcontext.js'
import { newNumber, openSendNode, type SendAgent } from '../outreach/sendnode.js'

const fixture = await openSendNode()
t.teardown(() => fixture.node.close())

const { receiveInbound } = conversationCommands({ timeScale: 1 })
const step = (instanceId: string) => ({ versionId: 'v1', nodeId: 'n1', instanceId })

function openJourney(agent: SendAgent, outreachId = 'hello') {
  const path = `/integrations/journey/outreach/${outreachId}/sends`
  return {
    send: (body: unknown) => agent.call('POST', path, body),
    status: (sendId: string) => agent.call('GET', `/integrations/journey/sends/${sendId}`),
  }
}

t.test('A step of a journey is one send, however often it is called', async (t) => {
  const agent = await fixture.sender()
  const { send } = openJourney(agent)
  const phone = newNumber()
  const body = { profile: { phone, firstName: 'Ann' }, journey: step('i1'), consent: { sms: 'y' } }
  const first = await send(body)
  t.equal(first.status, 200)
  const { sendId, personId } = first.json
  t.strictSame(first.json, {
    outcome: 'queued',
    reason: '',
    detail: '',
    sendId,
    personId,
    unknownInputs: [],
    idempotency: 'journey',
  })
  t.match((await send(body)).json, { outcome: 'duplicate', sendId, personId })
  const calls = await Promise.all(Array.from({ length: 50 }, () => send({ ...body, journey: step('i2') })))
  t.equal(new Set(calls.map(({ json }) => json.sendId)).size, 1)
  t.equal(calls.filter(({ json }) => json.outcome === 'queued').length, 1)
  t.match((await agent.call('GET', `/people/${personId}`)).json, { phone, firstName: 'Ann', source: 'journey' })
  t.match((await agent.read(sendId)).json.consent, { claimed: 'yes', evidence: /consent\.sms was y/ })
})

t.test('Without a step a profile gets the outreach once a day, by its id or otherwise by its number', async (t) => {
  const { send } = openJourney(await fixture.sender())
  const first = (await send({ profile: { phone: newNumber(), id: 'profile-1' } })).json
  t.match(first, { outcome: 'queued', idempotency: 'derived' })
  t.match((await send({ profile: { phone: newNumber(), id: 'profile-1' } })).json, {
    outcome: 'duplicate',
    sendId: first.sendId,
  })
  const phone = newNumber()
  const second = (await send({ profile: { phone } })).json
  t.match((await send({ profile: { phone } })).json, { outcome: 'duplicate', sendId: second.sendId })
})

t.test('The body is parsed as JSON, whatever its content type', async (t) => {
  const agent = await fixture.sender()
  const path = `/v1/orgs/demo/agents/${agent.id}/integrations/journey/outreach/hello/sends`
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', '']) {
    const body = JSON.stringify({ profile: { phone: newNumber() } })
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
    const answer = await fixture.node.mgmt('POST', path, { token: fixture.node.key, body, headers })
    t.match([answer.status, answer.json.outcome], [200, 'queued'], type)
  }
  const bad = await fixture.node.mgmt('POST', path, { token: fixture.node.key, body: '{"profile":', headers: {} })
  t.match([bad.status, bad.json.code], [400, 'request.invalid'])
})

t.test('An invalid call is 400 and names the field', async (t) => {
  const { send } = openJourney(await fixture.sender())
  const cases: [body: object, field: string][] = [
    [{}, 'profile.phone'],
    [{ profile: { phone: '415 555 0100' } }, 'profile.phone'],
    [{ profile: { phone: newNumber(), channel: 'sms' } }, 'profile.channel'],
    [{ profile: { phone: newNumber() }, inputs: { 'a.b': 'x' } }, 'inputs.a.b'],
    [{ profile: { phone: newNumber() }, dryrun: true }, 'dryrun'],
    [{ emulator: { personaId: 'nobody' } }, 'emulator.personaId'],
    [{ emulator: { personaId: 'nobody' }, profile: { phone: newNumber() } }, 'profile.phone'],
  ]
  for (const [body, field] of cases) {
    const { status, json } = await send(body)
    t.match([status, json.code, json.errors[0].field], [400, 'request.invalid', field])
  }
})

t.test('A business refusal is 200 with its reason, and writes nothing', async (t) => {
  const agent = await fixture.sender({
    outreach: { inputs: ['city'] },
    template: { body: 'Hi {person.customFields.city}' },
  })
  const { send } = openJourney(agent)
  const phone = newNumber()
  const profile = { phone }
  t.match((await send({ profile })).json, { outcome: 'refused', reason: 'missing_inputs', detail: /inputs\.city/ })
  t.match((await send({ profile, inputs: { city: 'Bergen' }, consent: { sms: 'n' } })).json, {
    outcome: 'refused',
    reason: 'declined',
    sendId: '',
    personId: '',
  })
  t.same((await agent.call('GET', '/people')).json.data, [])
  t.same((await agent.call('GET', '/outreach/sends')).json.data, [])
  const made = (await send({ profile, inputs: { city: 'Bergen' } })).json
  t.equal(made.outcome, 'queued')
  await agent.call('PATCH', `/people/${made.personId}`, { consent: { status: 'denied' } })
  t.match((await send({ profile, inputs: { city: 'Bergen' }, journey: step('i9') })).json, {
    outcome: 'refused',
    reason: 'consent_denied',
  })
})

t.test('A person who replied STOP is refused from the moment that it is on record', async (t) => {
  const agent = await fixture.sender()
  const { send } = openJourney(agent)
  const phone = newNumber()
  const { personId } = (await send({ profile: { phone }, journey: step('i1') })).json
  const { asid } = (await agent.call('GET', `/people/${personId}`)).json.identities[0]
  const agentRef = { orgId: 'demo', agentId: agent.id }
  const stopped = await fixture.node.node.engine.execute(asid, receiveInbound, {
    identity: { asid, agent: agentRef, channel: 'rcs', address: phone },
    agent: contextOn('rcs'),
    items: [{ id: 'in-1', inbound: { kind: 'content', content: { text: 'STOP' } } }],
  })
  t.same(stopped, { newCount: 1 })
  t.match((await send({ profile: { phone }, journey: step('i2') })).json, {
    outcome: 'refused',
    reason: 'opted_out',
    sendId: '',
  })
})

t.test('A dry run decides, but sends and writes nothing', async (t) => {
  const agent = await fixture.sender()
  const { send } = openJourney(agent)
  t.match((await send({ profile: { phone: newNumber() }, dryRun: 'true' })).json, {
    outcome: 'skipped',
    sendId: '',
    personId: '',
  })
  t.same((await agent.call('GET', '/people')).json.data, [])
})

t.test('The status of a send is shown in both forms, with every member', async (t) => {
  const agent = await fixture.sender()
  const { send, status } = openJourney(agent)
  const { sendId } = (await send({ profile: { phone: newNumber() } })).json
  const queued = await status(sendId)
  t.strictSame(queued.json, {
    sendId,
    state: 'queued',
    reason: '',
    reachable: true,
    delivered: false,
    read: false,
    replied: false,
    final: false,
    nextAttemptAt: '',
  })
  t.strictSame((await agent.call('GET', `/integrations/journey/sends?sendId=${sendId}`)).json, queued.json)
  await agent.waitForState(sendId, 'sent')
  t.match((await status(sendId)).json, { state: 'sent', final: true })
  t.match(await status('sd_nothing'), { status: 404, json: { code: 'resource.not_found' } })
  t.equal((await agent.call('GET', '/integrations/journey/sends')).status, 400)
})

t.test('An outreach that is missing or off is 404, and so is a missing agent', async (t) => {
  const agent = await fixture.sender()
  const { send } = openJourney(agent)
  const body = { profile: { phone: newNumber() } }
  t.match(await openJourney(agent, 'nothing').send(body), { status: 404, json: { code: 'agent.outreach.not_found' } })
  await agent.call('PATCH', '/outreach/hello', { enabled: false })
  t.match(await send(body), { status: 404, json: { code: 'agent.outreach.not_found' } })
  const callUnauthorized = fixture.callAs(fixture.node.key, 'nobody')
  t.match(await callUnauthorized('POST', '/integrations/journey/outreach/hello/sends', body), {
    status: 404,
    json: { code: 'agent.not_found' },
  })
})

t.test('The action definition contains absolute URLs, and warns of an outreach that is off', async (t) => {
  const agent = await fixture.sender({ outreach: { inputs: ['city'] } })
  const path = '/integrations/journey/outreach/hello/action-definition'
  const { status, json } = await agent.call('GET', path)
  t.equal(status, 200)
  t.match(json, { contract: 'journey/1', agentId: agent.id, outreachId: 'hello', inputs: ['city'] })
  t.equal(json.send.url, `http://mgmt.test/v1/orgs/demo/agents/${agent.id}/integrations/journey/outreach/hello/sends`)
  t.match(json.runbook[0], /200 calls a second/)
  await agent.call('PATCH', '/outreach/hello', { enabled: false })
  t.match((await agent.call('GET', path)).json.runbook[0], /turned off/)
  t.match(await agent.call('GET', '/integrations/journey/outreach/nothing/action-definition'), {
    status: 404,
    json: { code: 'agent.outreach.not_found' },
  })
})

t.test('An outreach may name its inputs like slots, and no journey can send it then', async (t) => {
  const agent = await fixture.sender({
    outreach: { inputs: ['person.firstName', 'person.customFields.city'] },
    template: { body: 'Hi {person.firstName} in {person.customFields.city}' },
  })
  const definition = await agent.call('GET', '/integrations/journey/outreach/hello/action-definition')
  t.match(definition, { status: 422, json: { code: 'agent.outreach.journey_incompatible_inputs' } })
  t.same(
    definition.json.errors.map(({ field }: { field: string }) => field),
    ['inputs.person.firstName', 'inputs.person.customFields.city'],
  )
  const { id: personId } = (await agent.call('POST', '/people', { phone: newNumber(), firstName: 'Ann' })).json
  const send = () => agent.call('POST', '/outreach/hello/sends', { recipient: { personId } })
  t.match(await send(), { status: 422, json: { errors: [{ field: 'inputs.person.customFields.city' }] } })
  await agent.call('PATCH', `/people/${personId}`, { customFields: { city: 'Bergen' } })
  t.match(await send(), { status: 202, json: { status: 'queued' } })
})

t.test('The journey has its own budget, and its scope reaches nothing else', async (t) => {
  const agent = await fixture.sender()
  const key = await fixture.node.createKey(['integrations:journey'])
  const call = fixture.callAs(key, agent.id)
  const body = { profile: { phone: newNumber() } }
  t.equal((await call('POST', '/integrations/journey/outreach/hello/sends', body)).status, 200)
  t.equal((await call('GET', '/people')).status, 403)
  t.equal((await call('POST', '/outreach/hello/sends', { recipient: {} })).status, 403)
})

t.test('Reading the status of a send is not limited, and does not spend the budget of sends', async (t) => {
  const agent = await fixture.sender()
  const call = fixture.callAs(await fixture.node.createKey(['integrations:journey']), agent.id)
  const sent = () => call('POST', '/integrations/journey/outreach/hello/sends', { profile: { phone: newNumber() } })
  const first = await sent()
  t.equal(first.headers['ratelimit-limit'], '1000')
  for (const path of [`/sends/${first.json.sendId}`, `/sends?sendId=${first.json.sendId}`]) {
    const read = await call('GET', `/integrations/journey${path}`)
    t.equal(read.status, 200)
    t.equal(read.headers['ratelimit-limit'], undefined)
  }
  const second = await sent()
  const remainingCalls = ({ headers }: typeof first) => Number(headers['ratelimit-remaining'])
  t.ok(remainingCalls(second) >= remainingCalls(first) - 1, 'the second send alone has spent from it')
})

t.test(
  'A shard without an owner is 502, and one that does not answer in time 504: a repeat is the same send',
  async (t) => {
    let mood: 'well' | 'away' | 'silent' = 'well'
    const moody = await openSendNode({
      wrapShards: (shards) => ({
        ...shards,
        execute(owner, command, input, options) {
          if (command.name !== 'outreach.accept' || mood === 'well')
            return shards.execute(owner, command, input, options)
          return mood === 'away' ? Promise.resolve({ refused: 'service.unavailable' }) : new Promise(() => {})
        },
      }),
    })
    t.teardown(() => moody.node.close())
    const agent = await moody.sender()
    const { send } = openJourney(agent)
    const body = { profile: { phone: newNumber() }, journey: step('i1') }
    mood = 'away'
    t.match(await send(body), { status: 502, json: { code: 'agent.outreach_send.upstream' } })
    mood = 'silent'
    const waiting = send(body)
    await new Promise((resolve) => setImmediate(resolve))
    await moody.node.clock.advance(10_000)
    t.match(await waiting, { status: 504, json: { code: 'agent.outreach_send.timeout' } })
    mood = 'well'
    t.match((await send(body)).json, { outcome: 'queued' })
  },
)
