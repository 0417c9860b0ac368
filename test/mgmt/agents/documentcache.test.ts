/** The document of an agent in its shard: versions, tags, the trail of changes, and what is held of it in memory. */
import fc from 'fast-check'
import t from 'tap'
import { formatAgentKey } from '../../../core/agentref.js'
import { isRefusal } from '../../../core/errors.js'
import { agentDocument as limits } from '../../../core/limits/index.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import { activity, recordActivity } from '../../../mgmt/agents/activity.js'
import { createDocuments } from '../../../mgmt/agents/documentoperations.js'
import { objectTable } from '../../../mgmt/agents/mediaobjects.js'
import { agentTable } from '../../../mgmt/agents/store.js'
import type { Command, Tx } from '../../../runtime/shard/contract.js'
import { type CommitContext, decide } from '../../../runtime/shard/decision.js'
import { createOverlay, type Overlay } from '../../../runtime/shard/overlay.js'
import type { Reader } from '../../../runtime/store/contract.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { waitUntil } from '../../harness/clock.js'
import { openReceiver } from '../../harness/receiver.js'
import { fieldsOf, openAgentsFixture } from './fixture.js'

const agentRef = { orgId: 'demo', agentId: 'ada' }
const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())

t.test('A write returns the ETag that the next read shows, and each part has its own ETag', async (t) => {
  const { call } = await fixture.agent()
  const first = await call('GET', '/goals')
  t.match(first.headers.etag, /^"\d+-1"$/)
  const written = await call('PUT', '/personality', { text: 'Be brief.' })
  t.equal(written.headers.etag, (await call('GET', '/personality')).headers.etag)
  t.equal((await call('GET', '/personality/diff')).headers.etag, written.headers.etag)
  t.not(written.headers.etag, first.headers.etag)
  t.equal((await call('GET', '/goals')).headers.etag, first.headers.etag, 'untouched parts keep their ETags')
  t.equal(
    (await call('GET', '/export?format=json')).headers.etag,
    written.headers.etag,
    'the whole agent has the newest',
  )
  const repeated = await call('PUT', '/personality', { text: 'Be brief.' })
  t.equal(repeated.headers.etag, written.headers.etag, 'a write without a change makes no version')
})

t.test('If-Match allows a write only if the resource is unchanged since the read', async (t) => {
  const { call } = await fixture.agent()
  const { etag } = (await call('PUT', '/personality', { text: 'One.' })).headers
  const mine = await call('PUT', '/personality', { text: 'Two.' }, { 'if-match': etag! })
  t.equal(mine.status, 200)
  const theirs = await call('PUT', '/personality', { text: 'Three.' }, { 'if-match': etag! })
  t.equal(theirs.status, 412)
  t.equal(theirs.json.code, 'request.precondition_failed')
  t.equal(theirs.headers.etag, mine.headers.etag, 'the refusal shows the current ETag')
  t.equal((await call('GET', '/personality')).json.text, 'Two.')
  const now = mine.headers.etag!
  for (const good of [now, '*', `"x", ${now}`, `${now} , "y"`]) {
    t.equal((await call('PUT', '/personality', { text: 'Two.' }, { 'if-match': good })).status, 200, good)
  }
  for (const bad of [`W/${now}`, '"x"', now.slice(1, -1), '"x", "y"']) {
    t.equal((await call('PUT', '/personality', { text: 'Four.' }, { 'if-match': bad })).status, 412, bad)
  }
  t.equal((await call('PUT', '/rules', { rules: [] }, { 'if-match': now })).status, 412, 'a tag of another part')
  t.equal((await call('PATCH', '', { name: 'Other' }, { 'if-match': '"0-0"' })).status, 412, 'the agent itself too')
})

t.test('An agent has an ETag from the start, and is deleted only if unchanged', async (t) => {
  const json = { name: 'Tagged' }
  const made = await fixture.node.mgmt('POST', '/v1/orgs/demo/agents', { token: fixture.node.key, json })
  const call = fixture.callAs(fixture.node.key, made.json.id)
  t.equal((await call('GET', '')).headers.etag, made.headers.etag)
  await call('PATCH', '/identity', { brandColor: '#fff' })
  const refused = await call('DELETE', '', undefined, { 'if-match': made.headers.etag! })
  t.equal(refused.status, 412)
  const { etag } = (await call('GET', '')).headers
  t.equal(refused.headers.etag, etag)
  t.equal((await call('DELETE', '', undefined, { 'if-match': etag! })).status, 204)
  t.equal((await call('DELETE', '', undefined, { 'if-match': etag! })).status, 404)
})

t.test('A new agent with a used id has none of the old ETags', async (t) => {
  const { id, call } = await fixture.agent()
  const { etag } = (await call('GET', '/personality/diff')).headers
  await call('DELETE', '')
  await fixture.node.mgmt('POST', '/v1/orgs/demo/agents', { token: fixture.node.key, json: { name: id, id } })
  t.equal((await call('PUT', '/personality', { text: 'x' }, { 'if-match': etag! })).status, 412)
})

t.test('Every change is on record with its author, newest first, page by page', async (t) => {
  const { id, call } = await fixture.agent()
  await call('PUT', '/personality', { text: 'One.' }, { 'x-svc-agent': 'copilot-1' })
  await call('PUT', '/personality', { text: 'One.' })
  await call('PUT', '/personality', {})
  await call('POST', '/playbooks', { name: 'Front desk' })
  await call('PATCH', '', { name: 'Renamed', identity: { brandColor: '#fff' } })
  const editor = await fixture.node.createSession('editor')
  await fixture.callAs(editor, id)('PATCH', '/playbooks/front-desk', { body: 'Help.' })
  const { data } = (await call('GET', '/activity')).json
  t.match(data, [
    { version: 5, action: 'PATCH /playbooks/{playbookId}', item: 'front-desk', changed: ['playbooks'] },
    { version: 4, action: 'PATCH /', changed: ['name', 'identity'], by: { kind: 'key' } },
    { version: 3, action: 'POST /playbooks', item: 'front-desk', changed: ['playbooks'] },
    { version: 2, action: 'PUT /personality', changed: ['personality'], by: { kind: 'key', svcAgent: 'copilot-1' } },
    { version: 1, action: 'POST /', changed: [], by: { kind: 'key' } },
  ])
  t.equal(data.length, 5, 'writes without a change and refused ones are not listed')
  t.equal(data[0].by.kind, 'session')
  t.not(data[0].by.id, data[1].by.id)
  const seen: number[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page: { data: { version: number }[]; nextPageToken?: string } = (
      await call('GET', `/activity?limit=2${next && `&pageToken=${next}`}`)
    ).json
    seen.push(...page.data.map(({ version }) => version))
    next = page.nextPageToken
  }
  t.same(seen, [5, 4, 3, 2, 1])
  for (const wrong of ['?limit=0', '?pageToken=x', '?other=1'])
    t.equal((await call('GET', `/activity${wrong}`)).status, 422)
  t.equal((await fixture.callAs(fixture.node.key, 'nobody')('GET', '/activity')).status, 404)
})

t.test('The number of recorded changes is bounded, and the oldest are dropped', async (t) => {
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  root.put(agentTable, ['demo', 'ada'], {
    id: 'ada',
    orgId: 'demo',
    incarnation: 1,
    name: 'Ada',
    createdAt: 1,
    updatedAt: 1,
  })
  const entry = { at: 1, action: 'PUT /rules', changed: ['rules'] }
  const last = limits.retainedAuditEntries + 5
  for (let version = 1; version <= last; version++)
    recordActivity(root as unknown as Tx, agentRef, { version, ...entry })
  const auditPage = activity.read(root, { ...agentRef, limit: last })
  if (isRefusal(auditPage)) throw new Error(auditPage.refused)
  t.equal(auditPage.data.length, limits.retainedAuditEntries)
  t.equal(auditPage.data[0]!.version, last)
  t.equal(auditPage.data.at(-1)!.version, 6)
})

t.test('The org gets an event with the changed parts of an agent', async (t) => {
  const receiver = await openReceiver(t)
  const json = { url: receiver.url('/changes'), events: ['agent.updated'] }
  t.equal((await fixture.node.mgmt('POST', '/v1/orgs/demo/webhooks', { token: fixture.node.key, json })).status, 201)
  const { id, call } = await fixture.agent()
  await call('PUT', '/standing-instructions', { standingInstructions: ['Be kind.'] })
  await call('PUT', '/standing-instructions', { standingInstructions: ['Be kind.'] })
  await call('POST', '/apply-template', { templateId: '@svc/agent.salon' })
  const receivedEvents = () => receiver.at('/changes').map(({ body }) => JSON.parse(String(body)))
  await waitUntil(() => receivedEvents().length >= 2, fixture.node.clock)
  t.match(receivedEvents()[0], { agentId: id, data: { id, changed: ['standingInstructions'], by: { kind: 'key' } } })
  t.ok(receivedEvents()[1].data.changed.includes('playbooks'))
  t.equal(receivedEvents().length, 2)
})

t.test('A deleted agent leaves nothing for the next one with its id', async (t) => {
  const { id, call } = await fixture.agent()
  await call('POST', '/apply-template', { templateId: '@svc/agent.salon' })
  const crm = { description: 'x', endpoint: { url: 'https://crm.example' }, authHeader: 'Bearer abcdefghijkl' }
  t.equal((await call('PUT', '/integrations/crm', crm)).status, 201)
  t.equal((await call('DELETE', '')).status, 204)
  for (const path of ['', '/playbooks', '/integrations', '/export', '/lint', '/activity'])
    t.equal((await call('GET', path)).status, 404, path)
  t.equal((await call('PUT', '/personality', { text: 'x' })).status, 404)
  await fixture.node.mgmt('POST', '/v1/orgs/demo/agents', { token: fixture.node.key, json: { name: id, id } })
  t.strictSame((await call('GET', '/playbooks')).json, { data: [] })
  t.equal((await call('GET', '/activity')).json.data.length, 1)
  const { authHeader: _authHeader, ...plain } = crm
  await call('PUT', '/integrations/crm', plain)
  t.strictSame((await call('GET', '/integrations')).json.data[0].auth, { set: false })
})

t.test('A write of another process is read, whatever is cached', async (t) => {
  const own = await openAgentsFixture()
  const { id, call } = await own.agent()
  await call('POST', '/playbooks', { name: 'Front desk', body: 'Help.' })
  await own.node.node.close()
  const repeated = await openAgentsFixture({ dir: own.node.dir })
  t.teardown(() => own.node.close().catch(() => undefined))
  t.teardown(() => repeated.node.close())
  const token = own.node.key
  const after = repeated.callAs(token, id)
  t.equal((await after('GET', '/playbooks')).json.data[0].body, 'Help.')
  t.equal((await after('PATCH', '/playbooks/front-desk', { body: 'Help more.' })).status, 200)
  t.equal((await after('GET', '/activity')).json.data[0].version, 3)
})

t.test('A body that is too large is refused, and one as large as lists may be is accepted', async (t) => {
  const { call } = await fixture.agent()
  const facts = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ question: `Q${nth}`, answer: 'x'.repeat(900) }))
  t.equal((await call('PUT', '/knowledge/facts', { facts: facts(2_000) })).status, 200)
  const large = await call('PUT', '/knowledge/facts', { facts: facts(20_000) })
  t.equal(large.status, 413)
  t.equal((await call('PUT', '/personality', { text: 'x'.repeat(limits.bodyBytes) })).status, 413)
  t.equal((await call('GET', '/knowledge/facts')).json.data.length, 2_000)
})

t.test('A body that is not an object is refused at its root, for every resource', async (t) => {
  const { call } = await fixture.agent()
  for (const path of ['/personality', '/goals', '/rules', '/knowledge/things', '/scheduling', '/integrations/x']) {
    for (const body of [[], 'text', 7, null]) {
      const refused = await call('PUT', path, body)
      t.equal(refused.status, 422, `${path} ${JSON.stringify(body)}`)
      t.equal(fieldsOf(refused).length, 1)
    }
  }
})

const orgEvent: Command<OrgEventPayload, true> = { name: 'test.orgEvent', decide: () => true }

type Step = { readonly write: string; readonly id: string; readonly fate: 'kept' | 'lost'; readonly process: 0 | 1 }

const step: fc.Arbitrary<Step> = fc.record({
  write: fc.constantFrom('add', 'add', 'call', 'call', 'call', 'remove', 'remove', 'goals', 'identity', 'read'),
  id: fc.constantFrom('a', 'b', 'b'),
  fate: fc.constantFrom('kept' as const, 'kept' as const, 'lost' as const),
  process: fc.constantFrom(0 as const, 1 as const),
})

/** Two playbooks, the first of which names the second. */
const opening: readonly Step[] = [
  { write: 'add', id: 'a', fate: 'kept', process: 0 },
  { write: 'add', id: 'b', fate: 'kept', process: 1 },
  { write: 'call', id: 'b', fate: 'kept', process: 0 },
]

function request(
  { write, id }: Step,
  nth: number,
): { endpointName: string; request: { params: object; body?: unknown } } {
  switch (write) {
    case 'add':
      return { endpointName: 'POST /playbooks', request: { params: {}, body: { name: id, id } } }
    case 'call': {
      const flow = { slots: [], steps: [{ handoff: `playbook:${id}` }] }
      return { endpointName: 'PATCH /playbooks/{playbookId}', request: { params: { playbookId: 'a' }, body: { flow } } }
    }
    case 'remove':
      return { endpointName: 'DELETE /playbooks/{playbookId}', request: { params: { playbookId: id } } }
    case 'goals': {
      const goal = { id, name: id, definition: { kind: 'event', event: 'person.replied' } }
      return {
        endpointName: 'PUT /goals',
        request: { params: {}, body: { goals: [goal], defaultGoal: { goalId: id } } },
      }
    }
    default:
      return { endpointName: 'PUT /identity', request: { params: {}, body: { contactAvailability: `at ${nth}` } } }
  }
}

t.test('The cache never differs from the store, for any lost commit and any owner', async (t) => {
  let conflicts = 0
  let written = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }), (steps) => {
      const newcomer = () => createDocuments({ orgEvent })
      const owners = [newcomer(), newcomer()]
      const empty = { get: () => undefined, range: () => [], encode: encodeWrites }
      const root = createOverlay(empty)
      const agent = { id: 'ada', orgId: 'demo', incarnation: 1, name: 'Ada', createdAt: 1, updatedAt: 1 }
      root.put(agentTable, ['demo', 'ada'], agent)
      root.commit()
      const scratch = () => createOverlay(Object.assign(root, { encode: encodeWrites }))
      for (const [nth, each] of [...opening, ...steps].entries()) {
        const input = { ...agentRef, ifMatch: '', ...request(each, nth) }
        const decideWith = (by: ReturnType<typeof createDocuments>, over: Overlay) => {
          const command = by.commands.write as Command<unknown, unknown>
          const moment: CommitContext = {
            at: 1_000 + nth,
            monotonicAt: 0,
            commit: nth,
            pending: [],
            outboundCommands: [],
          }
          return decide(over, { owner: formatAgentKey(agentRef), command, input, commandId: `c${nth}` }, moment)
        }
        const before = exportOf(newcomer(), root)
        if (each.write !== 'read') {
          const expected = decideWith(newcomer(), scratch())
          // A lost commit is one that was decided over the state and never became part of it.
          const answer = decideWith(owners[each.process]!, each.fate === 'lost' ? scratch() : root)
          if (JSON.stringify(answer) !== JSON.stringify(expected)) return false
          if (!isRefusal(answer)) written++
          else if (answer.refused === 'agent.integrity_conflict') conflicts++
        }
        const now = exportOf(newcomer(), root)
        if (each.fate === 'lost' && now !== before) return false
        const parts = partsOf(newcomer(), root)
        for (const owner of owners) if (exportOf(owner, root) !== now || partsOf(owner, root) !== parts) return false
      }
      return true
    }),
    { numRuns: 100 },
  )
  t.ok(conflicts > 20, 'references were in the way')
  t.ok(written > 200, 'documents were written')
})

t.test('The view of an agent is rendered once, and again when the agent changes', async (t) => {
  const documents = createDocuments({ orgEvent })
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  root.put(agentTable, ['demo', 'ada'], {
    id: 'ada',
    orgId: 'demo',
    incarnation: 1,
    name: 'Ada',
    createdAt: 1,
    updatedAt: 1,
  })
  const views = () => readParts.map(([endpointName, params]) => viewOf(documents, root, endpointName, params))
  for (const [nth, each] of opening.entries()) {
    const command = documents.commands.write as Command<unknown, unknown>
    const input = { ...agentRef, ifMatch: '', ...request(each, nth) }
    const before = views()
    t.ok(
      views().every((view, at) => view === before[at] || isRefusal(view)),
      'the very same again',
    )
    decide(
      root,
      { owner: formatAgentKey(agentRef), command, input, commandId: `c${nth}` },
      { ...moment, at: 1_000 + nth },
    )
    t.ok(
      views().every((view, at) => view !== before[at] || isRefusal(view)),
      'another after a change',
    )
  }
  const one = viewOf(documents, root, 'GET /playbooks/{playbookId}', { playbookId: 'a' })
  for (let nth = 0; nth <= limits.cachedViews; nth++) {
    viewOf(documents, root, 'GET /playbooks', { [`any-${nth}`]: `x${nth}` })
  }
  const after = viewOf(documents, root, 'GET /playbooks/{playbookId}', { playbookId: 'a' })
  t.not(after, one, 'no more is held than may be')
  t.strictSame(after, one)
})

t.test('Views contain the URL of each picture, and the document does not', async (t) => {
  const documents = createDocuments({ orgEvent, mediaUrl: (object) => `https://gateway.example/v4/media/${object}` })
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  root.put(agentTable, ['demo', 'ada'], {
    id: 'ada',
    orgId: 'demo',
    incarnation: 1,
    name: 'Ada',
    createdAt: 1,
    updatedAt: 1,
  })
  root.put(objectTable, ['demo', 'ada', 'logo'], 'abc.png')
  for (const [nth, id] of ['logo', 'lost'].entries()) {
    const command = documents.commands.write as Command<unknown, unknown>
    const body = { id, name: id, contentType: 'image/png', bytes: 1 }
    const input = { ...agentRef, ifMatch: '', endpointName: 'POST /media', request: { params: {}, query: {}, body } }
    decide(
      root,
      { owner: formatAgentKey(agentRef), command, input, commandId: `c${nth}` },
      { ...moment, at: 1_000 + nth },
    )
  }
  const loadParts = () => documents.load(root, agentRef, ['media', 'things'])!
  const before = loadParts()
  t.match(before.document.media, [
    { id: 'logo', url: 'https://gateway.example/v4/media/abc.png' },
    { id: 'lost', url: undefined },
  ])
  t.equal(loadParts().document, before.document, 'made once')
  t.notMatch(JSON.stringify(viewOf(documents, root, 'GET /media', {})), 'gateway.example')
})

const moment: CommitContext = { at: 0, monotonicAt: 0, commit: 1, pending: [], outboundCommands: [] }

const readParts = [
  ['GET /playbooks', {}],
  ['GET /playbooks/{playbookId}', { playbookId: 'a' }],
  ['GET /playbooks/{playbookId}', { playbookId: 'b' }],
  ['GET /goals', {}],
  ['GET /identity', {}],
] as const

function viewOf(
  { queries }: ReturnType<typeof createDocuments>,
  reader: Reader,
  endpointName: string,
  params: Readonly<Record<string, string>>,
): unknown {
  return queries.view.read(reader, { ...agentRef, endpointName, request: { params, query: {} } })
}

function exportOf(documents: ReturnType<typeof createDocuments>, reader: Reader): string {
  return JSON.stringify(viewOf(documents, reader, 'GET /export', {}))
}

function partsOf(documents: ReturnType<typeof createDocuments>, reader: Reader): string {
  return JSON.stringify(readParts.map(([endpointName, params]) => viewOf(documents, reader, endpointName, params)))
}
