/** The lists of personas and of emulator links, page by page. */
import t from 'tap'
import { openAgentsFixture } from './agents/fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())

for (const [path, body] of [
  ['/personas', { name: 'Ann' }],
  ['/emulator-links', {}],
] as const) {
  t.test(`${path} is a whole list, or a page of it on request`, async (t) => {
    const { call } = await fixture.agent()
    const made: string[] = []
    for (let nth = 0; nth < 3; nth++) made.push((await call('POST', path, body)).json.id)
    const whole = (await call('GET', path)).json
    t.same(whole.data.map(({ id }: { id: string }) => id).sort(), made.sort())
    t.notOk('nextPageToken' in whole)
    const first = (await call('GET', `${path}?limit=2`)).json
    const rest = (await call('GET', `${path}?pageToken=${first.nextPageToken}`)).json
    t.same([...first.data, ...rest.data], whole.data, 'pages make the list')
    t.equal(first.data.length, 2)
    t.notOk('nextPageToken' in rest)
    for (const query of ['limit=0', 'pageToken=x']) t.equal((await call('GET', `${path}?${query}`)).status, 422, query)
    const { call: other } = await fixture.agent()
    t.equal((await other('GET', `${path}?pageToken=${first.nextPageToken}`)).status, 422, 'a token opens no other list')
  })
}
