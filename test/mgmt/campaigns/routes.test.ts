/**
 * Campaigns as a resource of their agent, over a node: their fields, their moves, what they keep from going, and what
 * is read of them.
 */
import t from 'tap'
import { campaign as limits } from '../../../core/limits/index.js'
import { waitUntil } from '../../harness/clock.js'
import type { Response } from '../../harness/node.js'
import { type Call, fieldsOf } from '../agents/fixture.js'
import { newNumber, openSendNode, type SendAgent } from '../outreach/sendnode.js'

const node = await openSendNode()
t.teardown(() => node.node.close())
const { clock } = node.node

const path = '/campaigns'
const spring = { name: 'Spring', outreachId: 'hello', audience: { filter: {} } }

/** A person who can be contacted, because they were before, and who consented. */
async function createKnownPerson({ call, send, waitForState: reaches }: SendAgent, more: object = {}): Promise<string> {
  const { json } = await send({ recipient: { channel: 'rcs', address: newNumber() } })
  await reaches(json.sendId, 'sent')
  await call('PATCH', `/people/${json.personId}`, { consent: { status: 'granted' }, ...more })
  return json.personId
}

async function createDraft(call: Call, body: object = {}): Promise<string> {
  const made = await call('POST', path, { ...spring, ...body })
  t.equal(made.status, 201, JSON.stringify(made.json))
  return `${path}/${made.json.id}`
}

const code = ({ status, json }: Response) => `${status} ${json.code}`

async function reachesStatus(call: Call, item: string, status: string): Promise<void> {
  await waitUntil(async () => {
    await clock.advance(1_000)
    return (await call('GET', item)).json.status === status
  })
}

t.test('A campaign is drafted, read, listed page by page, edited and deleted', async (t) => {
  const { call } = await node.sender({ binding: false })
  const sendWindow = { startHour: 9, endHour: 17, timeZone: 'Europe/Paris' }
  const made = await call('POST', path, { ...spring, sendWindow })
  t.equal(made.status, 201)
  t.match(made.json, {
    ...spring,
    id: /^cm_/,
    sendWindow,
    status: 'draft',
    test: false,
    includePreviouslyContacted: true,
    createdAt: /Z$/,
  })
  const item = `${path}/${made.json.id}`
  t.strictSame((await call('GET', item)).json, made.json)
  const edited = await call('PATCH', item, {
    name: 'Summer',
    sendWindow: null,
    includePreviouslyContacted: false,
    audience: { filter: { tag: 'vip' } },
  })
  t.match(edited.json, { name: 'Summer', audience: { filter: { tag: 'vip' } }, includePreviouslyContacted: false })
  t.equal(edited.json.sendWindow, undefined)
  t.equal((await call('PATCH', item, { includePreviouslyContacted: null })).json.includePreviouslyContacted, true)
  for (let nth = 0; nth < 4; nth++) {
    await clock.advance(1)
    await createDraft(call, { name: `N${nth}` })
  }
  const first = (await call('GET', `${path}?limit=3`)).json
  t.same(
    first.data.map(({ name }: { name: string }) => name),
    ['N3', 'N2', 'N1'],
  )
  const second = (await call('GET', `${path}?limit=3&pageToken=${first.nextPageToken}`)).json
  t.same(
    second.data.map(({ name }: { name: string }) => name),
    ['N0', 'Summer'],
  )
  t.equal(second.nextPageToken, undefined)
  t.same((await call('GET', `${path}?status=running`)).json.data, [])
  t.same(fieldsOf(await call('GET', `${path}?pageToken=x`)), ['pageToken'])
  t.same(fieldsOf(await call('GET', `${path}?status=odd`)), ['status'])
  t.equal((await call('DELETE', item)).status, 204)
  for (const [method, of] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/stage'],
    ['POST', '/start'],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/cancel'],
    ['POST', '/retry-failed'],
    ['GET', '/recipients'],
    ['GET', '/report'],
    ['GET', '/export'],
    ['GET', '/preview?personId=x'],
  ] as const) {
    const answer = await call(method, `${item}${of}`, method === 'PATCH' ? {} : undefined)
    t.equal(code(answer), '404 resource.not_found', `${method} ${of}`)
  }
})

t.test('Every field is bounded, and what is wrong is named', async (t) => {
  const { call } = await node.sender({ binding: false })
  const audience = (given: object) => ({ ...spring, audience: given })
  for (const [body, fields] of [
    [{}, ['audience', 'name', 'outreachId']],
    [{ ...spring, name: '' }, ['name']],
    [{ ...spring, name: 'x'.repeat(limits.nameChars + 1) }, ['name']],
    [{ ...spring, more: 1 }, ['more']],
    [{ ...spring, includePreviouslyContacted: 'yes' }, ['includePreviouslyContacted']],
    [audience({}), ['audience']],
    [audience({ filter: {}, personIds: ['a'] }), ['audience']],
    [audience({ segmentId: 'none' }), ['audience.segmentId']],
    [audience({ filter: { hat: 'red' } }), ['audience.filter.hat']],
    [audience({ importBatchId: '' }), ['audience.importBatchId']],
    [audience({ importBatchId: 'imp_unknown' }), ['audience.importBatchId']],
    [audience({ personIds: [] }), ['audience.personIds']],
    [audience({ personIds: [''] }), ['audience.personIds[0]']],
    [audience({ personaIds: [] }), ['audience.personaIds']],
    [audience({ personaIds: ['none'] }), ['audience.personaIds[0]']],
    [audience({ personaIds: Array.from({ length: 201 }, (_, nth) => `p${nth}`) }), ['audience.personaIds']],
    [{ ...spring, sendWindow: { startHour: 24, endHour: 1, timeZone: 'UTC' } }, ['sendWindow.startHour']],
    [{ ...spring, sendWindow: { startHour: 1, endHour: 2, timeZone: 'Mars/Base' } }, ['sendWindow.timeZone']],
    [{ ...spring, sendWindow: { startHour: 1, endHour: 2 } }, ['sendWindow.timeZone']],
    [{ ...spring, outreachId: 'none' }, ['outreachId']],
  ] as const) {
    const refused = await call('POST', path, body)
    t.equal(refused.status, 422, JSON.stringify(body).slice(0, 100))
    t.same(fieldsOf(refused).sort(), [...fields].sort(), JSON.stringify(body).slice(0, 100))
  }
  t.equal(code(await call('POST', path, { ...spring, outreachId: 'none' })), '422 agent.outreach.not_found')
  await call('PATCH', '/outreach/hello', { enabled: false })
  t.equal(code(await call('POST', path, spring)), '422 agent.outreach.not_found', 'one that is switched off')
  t.same((await call('GET', path)).json.data, [], 'nothing of it was kept')
  await call('PATCH', '/outreach/hello', { enabled: true })
  const item = await createDraft(call)
  t.same(fieldsOf(await call('PATCH', item, { outreachId: 'none' })), ['outreachId'])
  t.same(fieldsOf(await call('PATCH', item, { audience: {} })), ['audience'])
  t.same(fieldsOf(await call('GET', `${item}/recipients?state=odd`)), ['state'])
  t.same(fieldsOf(await call('GET', `${item}/recipients?limit=201`)), ['limit'])
  t.same(fieldsOf(await call('GET', `${item}/recipients?startingAfter=x`)), ['startingAfter'])
  t.same(fieldsOf(await call('GET', `${item}/preview`)), ['personId'])
})

t.test('personIds are up to 50,000, and a read of one campaign shows them', async (t) => {
  const { call } = await node.sender({ binding: false })
  const ids = Array.from({ length: limits.personIds }, (_, nth) => `pr_${String(nth).padStart(26, '0')}`)
  const made = await call('POST', path, { ...spring, audience: { personIds: ids } })
  t.equal(made.status, 201)
  const read = await call('GET', `${path}/${made.json.id}`)
  t.equal(read.json.audience.personIds.length, ids.length)
  t.equal(read.json.audience.personIds[49_999], ids[49_999])
  t.strictSame((await call('GET', path)).json.data[0].audience, { personCount: ids.length })
  const more = await call('POST', path, { ...spring, audience: { personIds: [...ids, 'one-more'] } })
  t.same(fieldsOf(more), ['audience.personIds'])
})

t.test('A campaign that runs is neither edited, staged anew nor deleted', async (t) => {
  const agent = await node.sender()
  const { call } = agent
  await createKnownPerson(agent, { firstName: 'Ann' })
  // It waits for hours that are far from now.
  const startHour = (new Date(clock.now()).getUTCHours() + 12) % 22
  const item = await createDraft(call, { sendWindow: { startHour, endHour: startHour + 1, timeZone: 'UTC' } })
  await call('POST', `${item}/stage`)
  t.match((await call('POST', `${item}/start`)).json, { status: 'running' })
  t.equal(code(await call('PATCH', item, { name: 'Late' })), '409 agent.campaign.immutable')
  t.equal(code(await call('POST', `${item}/stage`)), '409 agent.campaign.immutable')
  t.equal(code(await call('DELETE', item)), '409 agent.campaign.state_conflict')
})

t.test('A campaign is staged, started, and read in every way', async (t) => {
  const agent = await node.sender()
  const { call } = agent
  const ann = await createKnownPerson(agent, { firstName: 'Ann' })
  const bob = await createKnownPerson(agent, { firstName: 'Bob' })
  const { json: unknown } = await call('POST', '/people', { firstName: 'Cy' })
  const item = await createDraft(call)
  t.equal(code(await call('POST', `${item}/start`)), '409 agent.campaign.state_conflict')
  const staged = await call('POST', `${item}/stage`)
  t.equal(staged.status, 200)
  t.match(staged.json, {
    status: 'staged',
    counts: { total: 3, sendable: 2, exclusions: { noConsent: 1, optedOut: 0 } },
    durationEstimate: [{ provider: 'emulator', channel: 'rcs', recipients: 2, seconds: undefined }],
    previews: [{ text: /^Hello (Ann|Bob)!$/ }, { text: /^Hello (Ann|Bob)!$/ }],
  })
  t.match((await call('GET', item)).json, { status: 'staged', counts: staged.json.counts, stagedAt: /Z$/ })
  t.match((await call('GET', `${item}/preview?personId=${ann}`)).json, { personId: ann, text: 'Hello Ann!', asid: /./ })
  t.match((await call('GET', `${item}/preview?personId=${unknown.id}`)).json, { exclusion: 'noConsent' })
  t.equal(code(await call('GET', `${item}/preview?personId=pr_nobody`)), '404 resource.not_found')
  const page = (await call('GET', `${item}/recipients?limit=2`)).json
  t.equal(page.hasMore, true)
  const rest = (await call('GET', `${item}/recipients?startingAfter=${page.data[1].id}`)).json
  t.equal(rest.hasMore, false)
  t.same([...page.data, ...rest.data].map(({ personId }) => personId).sort(), [ann, bob, unknown.id].sort())
  t.match((await call('GET', `${item}/recipients?state=excluded`)).json.data, [
    { personId: unknown.id, state: 'excluded', reason: 'no_consent' },
  ])
  t.match((await call('POST', `${item}/start`)).json, { status: 'running', startedAt: /Z$/ })
  await reachesStatus(call, item, 'completed')
  const { json: report } = await call('GET', `${item}/report`)
  t.match(report, { states: { excluded: 1, pending: 0, failed: 0 }, reasons: { no_consent: 1 }, total: 3, test: false })
  t.equal(report.states.sent + report.states.delivered + report.states.read, 2)
  const sends = (await call('GET', `/outreach/sends?campaignId=${item.slice(path.length + 1)}`)).json.data
  t.same(sends.map(({ personId }: { personId: string }) => personId).sort(), [ann, bob].sort())
  for (const send of sends) t.match(send, { origin: 'campaign', state: 'sent' })
  for (const move of ['start', 'pause', 'resume', 'cancel']) {
    t.equal(code(await call('POST', `${item}/${move}`)), '409 agent.campaign.state_conflict', move)
  }
  t.equal(code(await call('POST', `${item}/retry-failed`)), '409 agent.campaign.state_conflict', 'nobody failed')
  t.equal((await call('DELETE', item)).status, 204)
  t.equal((await call('GET', `/outreach/sends?personId=${ann}&origin=campaign`)).json.data.length, 1, 'its sends stay')
})

t.test('Recipients are exported as CSV, with addresses only for those who may export people', async (t) => {
  const agent = await node.sender()
  const { id, call } = agent
  await createKnownPerson(agent)
  await call('POST', '/people', { firstName: 'Cy' })
  const item = await createDraft(call)
  await call('POST', `${item}/stage`)
  await call('POST', `${item}/start`)
  await reachesStatus(call, item, 'completed')
  const whole = await call('GET', `${item}/export`)
  t.match(whole.headers['content-type'], /^text\/csv/)
  const lines = whole.text.trim().split('\r\n')
  t.equal(lines.length, 3)
  t.match(lines[0], /^id,personId,personaId,state,reason,.*,address$/)
  t.match(whole.text, /,\+1415555[0-9]{4}\r/)
  t.equal((await call('GET', `${item}/export?state=excluded`)).text.trim().split('\r\n').length, 2)
  const plain = node.callAs(await node.node.createKey(['agents:read']), id)
  const without = (await plain('GET', `${item}/export`)).text
  t.notMatch(without, /1415555|address/)
  t.same(fieldsOf(await call('GET', `${item}/export?state=odd`)), ['state'])
})

t.test('Those whom it failed to reach are drafted for another try', async (t) => {
  const agent = await node.sender()
  const { call } = agent
  const [ann, bob] = [await createKnownPerson(agent), await createKnownPerson(agent)]
  const item = await createDraft(call)
  await call('POST', `${item}/stage`)
  t.equal(code(await call('POST', `${item}/retry-failed`)), '409 agent.campaign.state_conflict', 'it is not over')
  await call('DELETE', `/people/${bob}`)
  await call('POST', `${item}/start`)
  await reachesStatus(call, item, 'completed')
  t.match((await call('GET', `${item}/report`)).json, { states: { failed: 1 }, reasons: { no_channel_identity: 1 } })
  const repeated = await call('POST', `${item}/retry-failed`)
  t.equal(repeated.status, 201)
  t.match(repeated.json, {
    status: 'draft',
    name: /^Spring, /,
    outreachId: 'hello',
    audience: { personIds: [bob] },
    includePreviouslyContacted: true,
  })
  t.notSame(repeated.json.audience.personIds, [ann])
})

t.test('Those whose turn did not come before a cancel are drafted for another try', async (t) => {
  const agent = await node.sender()
  const { call } = agent
  const people = [await createKnownPerson(agent), await createKnownPerson(agent)]
  const item = await createDraft(call)
  await call('POST', `${item}/stage`)
  await call('POST', `${item}/cancel`)
  const repeated = await call('POST', `${item}/retry-failed`)
  t.equal(repeated.status, 201)
  t.same(repeated.json.audience.personIds.toSorted(), people.toSorted())
})

t.test('An outreach that a campaign names does not go before the campaign is over', async (t) => {
  const { call } = await node.sender()
  const item = await createDraft(call)
  const id = item.slice(path.length + 1)
  t.match(await call('DELETE', '/outreach/hello'), {
    status: 409,
    json: { code: 'agent.outreach.in_use', referrers: [{ kind: 'campaign', id, name: 'Spring', status: 'draft' }] },
  })
  t.match((await call('POST', `${item}/cancel`)).json, { status: 'cancelled', endedAt: /Z$/ })
  t.equal((await call('DELETE', '/outreach/hello')).status, 204)
  t.equal((await call('GET', item)).json.status, 'cancelled')
})

t.test('A segment stays while a campaign is being drafted for it, and goes once it is staged', async (t) => {
  const { call } = await node.sender()
  await call('POST', '/people/segments', { id: 'vip', name: 'VIP', filter: { tag: 'vip' } })
  const item = await createDraft(call, { audience: { segmentId: 'vip' } })
  t.equal(code(await call('DELETE', '/people/segments/vip')), '409 agent.integrity_conflict')
  const without = { capabilities: { people: { segments: [] } } }
  t.equal(code(await call('POST', '/import', without)), '409 agent.integrity_conflict', 'whichever way it would go')
  t.equal((await call('POST', '/import', { capabilities: { people: { fields: [] } } })).status, 200)
  t.equal((await call('POST', `${item}/stage`)).status, 200)
  t.equal((await call('DELETE', '/people/segments/vip')).status, 204)
  t.match(await call('POST', `${item}/stage`), {
    status: 422,
    json: { code: 'agent.campaign.invalid', errors: [{ field: 'audience.segmentId' }] },
  })
})

t.test('A rehearsal is captured in the sandbox of its personas, without any channel', async (t) => {
  const { call } = await node.sender({ binding: false })
  const ids: string[] = []
  for (const name of ['Ada', 'Bo']) ids.push((await call('POST', '/personas', { name, channel: 'rcs' })).json.id)
  const item = await createDraft(call, { audience: { personaIds: ids } })
  t.match((await call('GET', item)).json, { test: true, audience: { personaIds: ids } })
  t.match((await call('POST', `${item}/stage`)).json, { counts: { total: 2, sendable: 2 }, durationEstimate: [] })
  t.match((await call('GET', `${item}/preview?personId=${ids[0]}`)).json, { personId: ids[0], text: /^Hello / })
  await call('POST', `${item}/start`)
  await reachesStatus(call, item, 'completed')
  t.match((await call('GET', `${item}/report`)).json, { total: 2, test: true, states: { failed: 0, suppressed: 0 } })
  for (const id of ids) {
    const turns = (await call('GET', `/personas/${id}/turns`)).json
    t.match(JSON.stringify(turns), /Hello /)
  }
  t.same((await call('GET', '/outreach/sends')).json.data, [], 'no live list has them')
})

t.test(
  'What an agent’s campaigns kept goes with it, and its successor of the same id begins with nothing',
  async (t) => {
    const { id, call } = await node.sender({ binding: false })
    const item = await createDraft(call)
    t.equal((await call('DELETE', '')).status, 204)
    t.equal((await call('GET', path)).status, 404)
    await node.node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.node.key, json: { name: id, id } })
    t.same((await call('GET', path)).json.data, [])
    t.equal((await call('GET', item)).status, 404)
  },
)
