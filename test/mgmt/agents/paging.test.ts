/** Lists of an agent's document page by page. */
import fc from 'fast-check'
import t from 'tap'
import { type Call, fieldsOf, openAgentsFixture } from './fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())

const opener = { class: 'service', openerTemplateId: 'hi' }
const endpoint = { url: 'https://a.example/' }
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

/** How each list is filled with items of those ids. */
const lists: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  '/playbooks': (call) => each((name) => call('POST', '/playbooks', { name })),
  '/message-templates': (call) => each((name) => call('POST', '/message-templates', { name, body: 'Hi' })),
  '/knowledge/things': (call) => call('PUT', '/knowledge/things', { things: names.map((id) => ({ id, name: id })) }),
  '/knowledge/collections': (call) =>
    call('PUT', '/knowledge/collections', { collections: names.map((id) => ({ id, name: id })) }),
  '/knowledge/facts': (call) =>
    call('PUT', '/knowledge/facts', { facts: names.map((id) => ({ id, question: id, answer: id })) }),
  '/integrations': (call) => each((id) => call('PUT', `/integrations/${id}`, { description: id, endpoint })),
  async '/outreach'(call) {
    await call('POST', '/message-templates', { name: 'hi', body: 'Hi' })
    await each((name) => call('POST', '/outreach', { ...opener, name }))
  },
  '/people/segments': (call) => each((name) => call('POST', '/people/segments', { name, filter: { status: 'new' } })),
}

async function each(make: (name: string) => Promise<unknown>): Promise<void> {
  for (const name of names) await make(name)
}

async function pagesOf(call: Call, list: string, limit: number): Promise<{ id: string }[][]> {
  const pages: { id: string }[][] = []
  let pageToken: string | undefined
  do {
    const query = `limit=${limit}${pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`}`
    const { status, json } = await call('GET', `${list}?${query}`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`)
    pages.push(json.data)
    pageToken = json.nextPageToken
  } while (pageToken !== undefined)
  return pages
}

for (const [list, fill] of Object.entries(lists)) {
  t.test(`${list} is returned whole without a limit, and page by page with one`, async (t) => {
    const { call, id } = await fixture.agent()
    await fill(call)
    const whole = await call('GET', list)
    t.strictSame(Object.keys(whole.json), ['data'], 'no item and no other member is added or missing')
    t.equal(whole.json.data.length, names.length)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: names.length + 1 }), async (limit) => {
        const pages = await pagesOf(call, list, limit)
        t.strictSame(pages.flat(), whole.json.data)
        t.equal(pages.length, Math.ceil(names.length / limit))
      }),
      { numRuns: 8 },
    )
    const first = await call('GET', `${list}?limit=3`)
    t.equal(first.headers.etag, whole.headers.etag)
    const rest = await call('GET', `${list}?pageToken=${encodeURIComponent(first.json.nextPageToken)}`)
    t.strictSame(rest.json.data, whole.json.data.slice(3), 'a token alone implies the default number of rows')
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=x', 'limit'],
      ['pageToken=forged', 'pageToken'],
      ['cursor=1', 'cursor'],
    ] as const) {
      const refused = await call('GET', `${list}?${query}`)
      t.match([refused.status, fieldsOf(refused)], [422, [field]], query)
    }
    const other = await fixture.agent()
    const token = encodeURIComponent(first.json.nextPageToken)
    t.same(
      fieldsOf(await other.call('GET', `${list}?pageToken=${token}`)),
      ['pageToken'],
      `a token of ${id} is its own`,
    )
  })
}

t.test('Changes while a list is paged neither repeat nor hide items that stay', async (t) => {
  const { call } = await fixture.agent()
  await lists['/knowledge/facts']!(call)
  const ids = (data: { id: string }[]) => data.map(({ id }) => id)
  const first = (await call('GET', '/knowledge/facts?limit=3')).json
  t.same(ids(first.data), ['a', 'b', 'c'])
  await call('DELETE', '/knowledge/facts/a')
  await call('POST', '/knowledge/facts', { id: 'h', question: 'h', answer: 'h' })
  const second = (await call('GET', `/knowledge/facts?limit=2&pageToken=${first.nextPageToken}`)).json
  t.same(ids(second.data), ['d', 'e'], 'a deletion before the position moves nothing')
  await call('DELETE', '/knowledge/facts/e')
  const third = (await call('GET', `/knowledge/facts?limit=9&pageToken=${second.nextPageToken}`)).json
  t.same(ids(third.data), ['f', 'g', 'h'], 'even if its last item was deleted')
})

t.test('The OpenAPI document describes pages, ETags and 304', async (t) => {
  const { json } = await fixture.node.mgmt('GET', '/v1/openapi.json')
  const parameterNames = (operation: { parameters: { name: string }[] }) => operation.parameters.map(({ name }) => name)
  for (const list of Object.keys(lists)) {
    const { get } = json.paths[`/orgs/{org}/agents/{agent}${list}`]
    t.ok(
      ['limit', 'pageToken', 'if-none-match'].every((name) => parameterNames(get).includes(name)),
      list,
    )
    t.ok(get.responses[304], list)
    t.ok(get.responses[200].headers.ETag, list)
  }
  const { get, patch } = json.paths['/orgs/{org}/agents/{agent}/playbooks/{playbookId}']
  t.ok(get.responses[304])
  t.ok(parameterNames(patch).includes('if-match'))
  t.ok(patch.responses[200].headers.ETag)
})
