/** Named sends over HTTP: every field, every refusal, results, and who may ask. */
import fc from 'fast-check'
import t from 'tap'
import { budgets, outreachSend as limits } from '../../../core/limits/index.js'
import { fieldsOf } from '../agents/fixture.js'
import { newNumber, openSendNode, type SendAgent } from './sendnode.js'

const node = await openSendNode()
t.teardown(() => node.node.close())

const to = (address = newNumber()) => ({ recipient: { channel: 'rcs', address } })

/** People and sends of the agent, to see that nothing of a refusal was kept. */
async function readRecords({ call }: SendAgent): Promise<string> {
  const [people, sends] = [await call('GET', '/people?limit=200'), await call('GET', '/outreach/sends?limit=200')]
  return people.text + sends.text
}

t.test('An accepted send is told with 202: who, by which identity, and what was not declared', async (t) => {
  const agent = await node.sender()
  const number = newNumber()
  const pretty = `${number.slice(0, 2)} (${number.slice(2, 5)}) ${number.slice(5, 8)}-${number.slice(8)}`
  const made = await agent.send({
    recipient: { channel: 'rcs', address: pretty },
    profile: { firstName: 'Ann', email: null, phone: '+15005550006' },
    source: 'crm',
    inputs: { plan: 'gold', company: 'Acme', note: null },
    consent: { optIn: true, evidence: 'Form 7', capturedAt: '2026-02-01T10:00:00Z', source: 'web' },
    idempotencyKey: '',
  })
  t.equal(made.status, 202)
  const { sendId, personId, asid } = made.json
  t.strictSame(made.json, {
    status: 'queued',
    sendId,
    personId,
    outreachId: 'hello',
    asid,
    channel: 'rcs',
    unknownInputs: ['plan'],
  })
  t.match((await agent.call('GET', `/people/${personId}`)).json, {
    firstName: 'Ann',
    company: 'Acme',
    phone: '+15005550006',
    source: 'crm',
    customFields: { plan: 'gold' },
    consent: { status: 'unknown' },
    identities: [{ asid, channel: 'rcs', address: number }],
  })
  const send = await agent.read(sendId)
  t.strictSame(send.json, {
    sendId,
    outreachId: 'hello',
    origin: 'named',
    personId,
    state: 'queued',
    channel: 'rcs',
    asid,
    address: number,
    queuedAt: send.json.queuedAt,
    attempts: 0,
    delivery: { known: false, sent: false, delivered: false, read: false, failed: false },
    consent: { claimed: 'yes', recorded: 'new', evidence: 'Form 7', capturedAt: '2026-02-01T10:00:00Z', source: 'web' },
  })
  const sent = await agent.waitForState(sendId, 'sent')
  t.equal(sent.address, number, 'it goes to the identity and never to a profile phone')
})

t.test('The same number however it is written is one person, by address, asid and personId', async (t) => {
  const agent = await node.sender()
  const { personId, asid } = (await agent.send({ ...to(), idempotencyKey: 'a' })).json
  for (const [nth, recipient] of [
    { asid },
    { personId },
    { personId, channel: 'rcs' },
    { personId, channel: null },
  ].entries()) {
    const repeated = await agent.send({ recipient, idempotencyKey: `k${nth}` })
    t.match(repeated.json, { status: 'queued', personId, asid, channel: 'rcs' })
    t.match((await agent.read(repeated.json.sendId)).json.consent, { claimed: 'none', recorded: 'unknown' })
  }
})

t.test('profileUpdate fills what is empty or overwrites what differs; a locked field is never written', async (t) => {
  const agent = await node.sender()
  const { call, send } = agent
  await call('PUT', '/people/fields', {
    fields: [
      { key: 'tier', label: 'Tier', type: 'string', locked: true },
      { key: 'plan', label: 'Plan', type: 'string' },
    ],
  })
  const address = newNumber()
  const first = await send({
    ...to(address),
    profile: { firstName: 'Ann' },
    inputs: { plan: 'a', tier: 'x' },
    idempotencyKey: '1',
  })
  t.same(first.json.unknownInputs, [])
  const { personId } = first.json
  const person = async () => (await call('GET', `/people/${personId}`)).json
  t.match(await person(), { firstName: 'Ann', customFields: { plan: 'a' } })
  t.notOk('tier' in (await person()).customFields)
  await send({
    ...to(address),
    profile: { firstName: 'Bea', lastName: 'Low' },
    inputs: { plan: 'b' },
    idempotencyKey: '2',
  })
  t.match(await person(), { firstName: 'Ann', lastName: 'Low', customFields: { plan: 'b' } })
  await call('PATCH', `/people/${personId}`, { lockedFields: ['lastName'] })
  await send({
    ...to(address),
    profile: { firstName: 'Cid', lastName: 'High' },
    profileUpdate: 'overwrite',
    idempotencyKey: '3',
  })
  t.match(await person(), { firstName: 'Cid', lastName: 'Low' })
})

t.test('A body that is not as it should be is 422 request.invalid, names the field, and writes nothing', async (t) => {
  const agent = await node.sender()
  const before = await readRecords(agent)
  const recipient = to().recipient
  const many = Object.fromEntries(Array.from({ length: limits.inputs + 1 }, (_, nth) => [`k${nth}`, 'v']))
  for (const [body, field] of [
    [{}, 'recipient'],
    [{ recipient: null }, 'recipient'],
    [{ recipient: {} }, 'recipient'],
    [{ recipient: { channel: 'rcs' } }, 'recipient'],
    [{ recipient: { address: '+14155550100' } }, 'recipient.channel'],
    [{ recipient: { ...recipient, asid: 'x' } }, 'recipient'],
    [{ recipient: { asid: 'x', personId: 'y' } }, 'recipient'],
    [{ recipient: { asid: 'x', channel: 'rcs' } }, 'recipient.channel'],
    [{ recipient: { ...recipient, asid: 'x', personId: 'y', personaId: 'z' } }, 'recipient'],
    [{ recipient: { ...recipient, more: 1 } }, 'recipient.more'],
    [{ recipient, more: 1 }, 'more'],
    [{ recipient, profile: { nickName: 'x' } }, 'profile.nickName'],
    [{ recipient, profile: { firstName: 7 } }, 'profile.firstName'],
    [{ recipient, profileUpdate: 'merge' }, 'profileUpdate'],
    [{ recipient, consent: { optIn: 'yes' } }, 'consent.optIn'],
    [{ recipient, consent: { given: true } }, 'consent.given'],
    [{ recipient, consent: { capturedAt: 'yesterday' } }, 'consent.capturedAt'],
    [{ recipient, consent: { capturedAt: '2026-13-45' } }, 'consent.capturedAt'],
    [{ recipient, consent: { capturedAt: '2026-02-29T10:00:00Z' } }, 'consent.capturedAt'],
    [{ recipient, source: 'x'.repeat(65) }, 'source'],
    [{ recipient, source: '' }, 'source'],
    [{ recipient, source: 'a b' }, 'source'],
    [{ recipient, idempotencyKey: 'x'.repeat(201) }, 'idempotencyKey'],
    [{ recipient, inputs: { 'a.b': 'x' } }, 'inputs.a.b'],
    [{ recipient, inputs: { $a: 'x' } }, 'inputs.$a'],
    [{ recipient, inputs: { '': 'x' } }, 'inputs.'],
    [{ recipient, inputs: { ['x'.repeat(129)]: 'v' } }, `inputs.${'x'.repeat(128)}`],
    [{ recipient, inputs: { a: 'x'.repeat(4_001) } }, 'inputs.a'],
    [{ recipient, inputs: { a: 1 } }, 'inputs.a'],
    [{ recipient, inputs: many }, 'inputs'],
    [{ recipient, dryRun: 'true' }, 'dryRun'],
  ] as const) {
    const refused = await agent.send(body)
    t.equal(refused.status, 422, field)
    t.equal(refused.json.code, 'request.invalid')
    t.same(fieldsOf(refused), [field])
  }
  t.equal(await readRecords(agent), before)
})

t.test('What is just within its bounds is taken', async (t) => {
  const agent = await node.sender()
  const inputs = Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`k${nth}`.padEnd(128, 'x'), 'v']))
  for (const body of [
    { inputs },
    { inputs: { a: 'x'.repeat(4_000) } },
    { idempotencyKey: 'x'.repeat(200) },
    { idempotencyKey: '😀'.repeat(200) },
    { source: 'x'.repeat(64) },
    { source: 'A-z_0.9:x' },
    { consent: { capturedAt: '2026-02-01' } },
  ]) {
    t.equal((await agent.send({ ...to(), ...body })).status, 202, String(Object.keys(body)))
  }
})

t.test('Each refusal of the contract has its status and code, and writes nothing', async (t) => {
  const agent = await node.sender({ outreach: { inputs: ['plan', 'firstName'] } })
  const { call, send } = agent
  const given = { inputs: { plan: 'a', firstName: 'Ann' } }
  await call('POST', '/outreach', { id: 'off', name: 'Off', class: 'service', openerTemplateId: 'hi', enabled: false })
  const earlier = (await send({ ...to(), ...given })).json
  const denied = (await send({ ...to(), ...given })).json
  await call('PATCH', `/people/${denied.personId}`, { consent: { status: 'denied' } })
  const { id: noraId } = (await call('POST', '/people', { firstName: 'Nora' })).json
  const before = await readRecords(agent)
  for (const [body, status, code, outreachId] of [
    [{ ...to(), ...given, consent: { optIn: false } }, 422, 'agent.outreach.consent_declined'],
    [{ recipient: { asid: denied.asid }, idempotencyKey: 'x' }, 409, 'agent.outreach.consent_denied'],
    [{ recipient: { asid: 'usr_none' } }, 404, 'agent.outreach.recipient_not_found'],
    [{ recipient: { personId: 'pr_none' } }, 404, 'agent.outreach.recipient_not_found'],
    [{ recipient: { personaId: 'none' } }, 404, 'agent.outreach.recipient_not_found'],
    [{ recipient: { personId: noraId } }, 422, 'agent.outreach.no_channel_identity'],
    [{ recipient: { channel: 'rcs', address: '555' } }, 422, 'agent.outreach.invalid_address'],
    [{ recipient: { channel: 'rcs', address: 'ann@x.example' } }, 422, 'agent.outreach.invalid_address'],
    [{ recipient: { channel: 'rcs', address: '' } }, 422, 'agent.outreach.invalid_address'],
    [{ recipient: { channel: 'sms', address: newNumber() } }, 422, 'agent.outreach.channel_unavailable'],
    [{ recipient: { channel: 'pigeon', address: newNumber() } }, 422, 'agent.outreach.channel_unavailable'],
    [{ recipient: { personId: earlier.personId, channel: 'sms' } }, 422, 'agent.outreach.channel_unavailable'],
    [{ ...to(), ...given }, 422, 'agent.outreach.not_found', 'none'],
    [{ ...to(), ...given }, 422, 'agent.outreach.not_found', 'off'],
    [to(), 422, 'agent.outreach.missing_inputs'],
  ] as const) {
    for (const dryRun of [false, true]) {
      const refused = await send({ ...body, dryRun }, outreachId ?? 'hello')
      t.equal(refused.status, status, `${code} ${JSON.stringify(body)}`)
      t.equal(refused.json.code, code)
    }
  }
  const missing = await send({ ...to(), inputs: { plan: ' ' } })
  t.same(fieldsOf(missing), ['inputs.plan', 'inputs.firstName'])
  t.equal(await readRecords(agent), before)
  t.equal(
    (await send({ ...to(), inputs: { plan: 'b' }, profile: { firstName: 'Bo' } })).status,
    202,
    'a profile supplies too',
  )
  const unauthorized = await node.callAs(node.node.key, 'nobody')('POST', '/outreach/hello/sends', to())
  t.match(unauthorized.json, { status: 404, code: 'agent.not_found' })
})

t.test('A dry run decides everything by the same judge and says what would be', async (t) => {
  const agent = await node.sender()
  const before = await readRecords(agent)
  const fresh = await agent.send({ ...to(), inputs: { x: '1' }, idempotencyKey: 'k', dryRun: true })
  t.equal(fresh.status, 202)
  t.strictSame(fresh.json, { status: 'skipped', outreachId: 'hello', channel: 'rcs', unknownInputs: ['x'] })
  t.equal(await readRecords(agent), before)
  const made = (await agent.send({ ...to(), idempotencyKey: 'k' })).json
  t.equal(made.status, 'queued', 'its key is not burnt')
  const earlier = await agent.send({ recipient: { asid: made.asid }, idempotencyKey: 'k', dryRun: true })
  const { personId, asid } = made
  t.strictSame(
    earlier.json,
    { status: 'skipped', personId, outreachId: 'hello', asid, channel: 'rcs', unknownInputs: [] },
    'nor is it looked up',
  )
})

t.test(
  'A key is one send of the agent for good, without one there is one a day; a thousand at once are one',
  async (t) => {
    const agent = await node.sender()
    await agent.call('POST', '/outreach', { id: 'other', name: 'Other', class: 'service', openerTemplateId: 'hi' })
    const session = await node.node.createSession('editor')
    const call = node.callAs(session, agent.id)
    const body = { ...to(), idempotencyKey: 'one' }
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => call('POST', '/outreach/hello/sends', body)))
    t.equal(answers.filter(({ json }) => json.status === 'queued').length, 1)
    t.equal(answers.filter(({ json }) => json.status === 'duplicate').length, 999)
    t.equal(new Set(answers.map(({ json }) => `${json.sendId} ${json.personId}`)).size, 1)
    const elsewhere = await call('POST', '/outreach/other/sends', { ...to(), idempotencyKey: 'one' })
    t.match(elsewhere.json, { status: 'duplicate', sendId: answers[0]!.json.sendId, outreachId: 'hello' })
    const daily = to()
    const first = (await call('POST', '/outreach/hello/sends', daily)).json
    t.match((await call('POST', '/outreach/hello/sends', daily)).json, { status: 'duplicate', sendId: first.sendId })
    t.equal(
      (await call('POST', '/outreach/other/sends', daily)).json.status,
      'queued',
      'another outreach is another key',
    )
    t.equal((await call('POST', '/outreach/hello/sends', { ...daily, idempotencyKey: 'x' })).json.status, 'queued')
  },
)

t.test('Null is never anything but absent, wherever it stands', async (t) => {
  const agent = await node.sender()
  const optional = ['profile', 'profileUpdate', 'source', 'inputs', 'consent', 'idempotencyKey', 'dryRun'] as const
  const { personId } = (await agent.send({ ...to(), profile: { firstName: 'Ann' } })).json
  const call = node.callAs(await node.node.createSession('editor'), agent.id)
  let nth = 0
  await fc.assert(
    fc.asyncProperty(fc.subarray([...optional]), async (names) => {
      const nulls = Object.fromEntries(names.map((name) => [name, null]))
      const body = { recipient: { personId, asid: null }, idempotencyKey: `n${nth++}`, ...nulls }
      const { status } = await call('POST', '/outreach/hello/sends', {
        ...body,
        profile: nulls.profile ?? { firstName: null },
      })
      const person = await call('GET', `/people/${personId}`)
      return status === 202 && person.json.firstName === 'Ann'
    }),
    { numRuns: 20 },
  )
  t.pass()
})

t.test('Calls of one key are limited as the contract says, before anything happens', async (t) => {
  const agent = await node.sender()
  const key = await node.node.createKey(['people:write'])
  const call = node.callAs(key, agent.id)
  const body = { ...to(), dryRun: true }
  const { burstCalls, refillPerSecond } = budgets.send
  const begun = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 2 * burstCalls }, () => call('POST', '/outreach/hello/sends', body)),
  )
  const passedSeconds = (performance.now() - begun) / 1000
  const acceptedCount = answers.filter(({ status }) => status === 202).length
  t.ok(acceptedCount >= burstCalls && acceptedCount <= burstCalls + Math.ceil(passedSeconds * refillPerSecond))
  const limited = answers.find(({ status }) => status === 429)!
  t.equal(limited.json.code, 'request.rate_limited')
  t.ok(Number(limited.headers['retry-after']) >= 1)
})

t.test(
  'To rehearse with a persona it is enough to be a viewer who may read agents; to send to anybody it is not',
  async (t) => {
    const agent = await node.sender()
    const viewer = node.callAs(await node.node.createSession('viewer'), agent.id)
    const reader = node.callAs(await node.node.createKey(['agents:read']), agent.id)
    for (const call of [viewer, reader]) {
      const sandboxed = await call('POST', '/outreach/hello/sends', { recipient: { personaId: 'nobody', asid: null } })
      t.match(sandboxed.json, { status: 404, code: 'agent.outreach.recipient_not_found' })
      for (const body of [
        to(),
        {},
        { recipient: { personaId: 'nobody', asid: 'x' } },
        { recipient: { personaId: null } },
        7,
      ]) {
        t.equal((await call('POST', '/outreach/hello/sends', body)).status, 403, JSON.stringify(body))
      }
    }
    const people = node.callAs(await node.node.createKey(['people:read']), agent.id)
    t.equal((await people('POST', '/outreach/hello/sends', { recipient: { personaId: 'x' } })).status, 403)
  },
)

t.test('An address is for callers who may export people', async (t) => {
  const agent = await node.sender()
  const { sendId } = (await agent.send(to())).json
  const reader = node.callAs(await node.node.createKey(['people:read']), agent.id)
  t.notOk('address' in (await reader('GET', `/outreach/sends/${sendId}`)).json)
  t.notOk('address' in (await reader('GET', '/outreach/sends')).json.data[0])
  t.equal((await reader('POST', `/outreach/sends/${sendId}/cancel`)).status, 403)
  const exporter = node.callAs(await node.node.createKey(['people:read', 'people:export']), agent.id)
  t.ok('address' in (await exporter('GET', `/outreach/sends/${sendId}`)).json)
  t.ok('address' in (await exporter('GET', '/outreach/sends')).json.data[0])
})

t.test('The list takes the values of its vocabularies and no others', async (t) => {
  const { call } = await node.sender({ binding: false })
  for (const [query, field] of [
    ['state=gone', 'state'],
    ['origin=api', 'origin'],
    ['reason=weather', 'reason'],
    ['since=2026-13-45', 'since'],
    ['until=tomorrow', 'until'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['other=1', 'other'],
  ] as const) {
    const refused = await call('GET', `/outreach/sends?${query}`)
    t.equal(refused.status, 422, query)
    t.same(fieldsOf(refused), [field])
  }
  const query = 'state=sent&origin=named&reason=no_route&since=2026-01-01&until=2026-12-31T23:59:59Z&limit=200'
  t.same((await call('GET', `/outreach/sends?${query}`)).json, { data: [] })
})

t.test('An agent of the same id that comes later sees none of its sends', async (t) => {
  const agent = await node.sender()
  const body = { ...to(), idempotencyKey: 'mine' }
  const { sendId } = (await agent.send(body)).json
  await agent.call('DELETE', '')
  await node.node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.node.key, json: { name: agent.id, id: agent.id } })
  t.same((await agent.call('GET', '/outreach/sends')).json, { data: [] })
  t.equal((await agent.read(sendId)).status, 404)
})
