/** A person is one person, whichever way they are entered, changed, sent to or write in. */
import t from 'tap'
import { conversation } from '../../../core/limits.js'
import { listen } from '../../../runtime/http/server.js'
import { newNumber, openSendNode, type SendAgent } from '../outreach/desk.js'

const desk = await openSendNode()
const { node } = desk
const { clock } = node
// Emulated phones call the gateway.
const log = { error: (...what: unknown[]) => console.error(...what) } as never
const listening = await listen({ host: '127.0.0.1', port: 0, serve: node.node.planes.gateway.serve, log })
node.node.reachableAt({ mgmt: 'http://mgmt.test', gateway: `http://127.0.0.1:${listening.port}` })
t.teardown(async () => {
  await listening.close(0)
  await node.close()
})
let said = 0

/** A text from that number to the agent. */
async function writes({ call }: SendAgent, from: string, text: string, channel = 'rcs'): Promise<void> {
  const bindings = (await call('GET', '/channels')).json.data as { id: string; channel: string }[]
  const binding = bindings.find((each) => each.channel === channel)!
  const items = [{ id: `in-${++said}`, from, text }]
  const path = `/v1/system/emulator/bindings/${binding.id}/_act`
  const { status } = await node.mgmt('POST', path, { token: node.key, json: { items } })
  if (status !== 202) throw new Error(`the phone could not write: ${status}`)
}

async function imports(agent: SendAgent, file: string) {
  const path = `/v1/orgs/demo/agents/${agent.id}/people/import`
  const { status, json } = await node.mgmt('POST', path, {
    token: node.key,
    body: file,
    headers: { 'content-type': 'text/csv' },
  })
  if (status !== 200) throw new Error(`the file was refused: ${status} ${JSON.stringify(json)}`)
  return json
}

interface Listed {
  readonly id: string
  readonly identities: readonly { asid: string; address: string; optedOut: boolean; lastSeenAt?: string }[]
}
const people = async ({ call }: SendAgent): Promise<Listed[]> => (await call('GET', '/people?limit=200')).json.data

/** Lets time pass until the people of the agent are as they are to be. */
async function reaches(agent: SendAgent, holds: (all: readonly Listed[]) => unknown): Promise<void> {
  await eventually(async () => holds(await people(agent)))
}

async function eventually(holds: () => Promise<unknown>, stepMs = 0): Promise<void> {
  for (let looks = 0; looks < 1_000; looks++) {
    if (await holds()) return
    await clock.advance(stepMs)
  }
  throw new Error('it never came to that')
}

const byPerson = (personId: string) => ({ recipient: { personId } })
const granted = { consent: { status: 'granted' } }

t.test('A person entered with a phone is reachable at it, and is the one who writes in from it', async (t) => {
  const agent = await desk.sender()
  await agent.call('POST', '/channels', { channel: 'sms', mode: 'unmanaged', provider: 'emulator', auth: {} })
  const phone = newNumber()
  const ann = (await agent.call('POST', '/people', { firstName: 'Ann', phone })).json
  t.match(ann.identities, [{ channel: 'rcs', address: phone, optedOut: false }])
  const send = (await agent.send(byPerson(ann.id))).json
  t.match(send, { status: 'queued', personId: ann.id, asid: ann.identities[0].asid })
  t.match(await agent.reaches(send.sendId, 'sent'), { address: phone })
  const named = await agent.send({ recipient: { channel: 'rcs', address: phone }, idempotencyKey: 'k1' })
  t.equal(named.json.personId, ann.id, 'a send to the number is a send to her')
  await writes(agent, phone, 'hello')
  await writes(agent, phone, 'hello there', 'sms')
  await reaches(
    agent,
    ([only]) => only?.identities.length === 2 && only.identities.every(({ lastSeenAt }) => lastSeenAt),
  )
  const all = await people(agent)
  t.equal(all.length, 1, 'and so is a text from it, on either channel')
  t.match(all[0], {
    id: ann.id,
    firstName: 'Ann',
    identities: [{ channel: 'rcs' }, { channel: 'sms', address: phone }],
  })
})

t.test('A person entered with a phone sets off automated outreach', async (t) => {
  const agent = await desk.sender()
  const rule = {
    name: 'Welcome',
    outreachId: 'hello',
    enabled: true,
    trigger: { kind: 'person.created' },
    delayMinutes: 0,
  }
  const { id } = (await agent.call('POST', '/automated-outreach', rule)).json
  const ann = (await agent.call('POST', '/people', { phone: newNumber(), ...granted })).json
  await eventually(async () => {
    const [row] = (await agent.call('GET', `/automated-outreach/${id}/rows`)).json.data
    return row?.personId === ann.id && row.state === 'sent'
  }, 20_000)
  t.match((await agent.call('GET', `/automated-outreach/${id}/rows`)).json.data, [{ personId: ann.id, state: 'sent' }])
})

t.test('A number that wrote in before it was entered belongs to the person who is entered with it', async (t) => {
  const agent = await desk.sender()
  const [first, second, third] = [newNumber(), newNumber(), newNumber()]
  for (const number of [first, second, third]) await writes(agent, number, 'hello')
  await reaches(agent, ({ length }) => length === 3)
  const strangers = new Map((await people(agent)).map(({ id, identities }) => [identities[0]?.address, id]))
  const posted = (await agent.call('POST', '/people', { firstName: 'Ann', phone: first })).json
  t.match(posted.identities, [{ address: first, lastSeenAt: /Z$/ }])
  t.equal((await agent.call('GET', `/people/${strangers.get(first)}`)).json.id, posted.id, 'the old id leads to her')
  const bo = (await agent.call('POST', '/people', { email: 'bo@example.com' })).json
  t.match((await agent.call('PATCH', `/people/${bo.id}`, { phone: second })).json.identities, [{ address: second }])
  const cy = (await agent.call('POST', '/people', { email: 'cy@example.com' })).json
  t.match(await imports(agent, `email,phone\ncy@example.com,${third}\n`), { created: 0, updated: 1, rejected: [] })
  t.match((await agent.call('GET', `/people/${cy.id}`)).json.identities, [{ address: third }])
  t.equal((await people(agent)).length, 3)
})

t.test('A number that another named person holds stays theirs', async (t) => {
  const agent = await desk.sender()
  const phone = newNumber()
  const ann = (await agent.call('POST', '/people', { firstName: 'Ann', phone })).json
  const bo = (await agent.call('POST', '/people', { firstName: 'Bo', phone })).json
  t.same(bo.identities, [])
  t.match((await agent.call('GET', `/people/${ann.id}`)).json.identities, [{ address: phone }])
})

t.test('A corrected number is the one written to, and the old one is not theirs any more', async (t) => {
  const agent = await desk.sender()
  const numbers = [newNumber(), newNumber(), newNumber(), newNumber()] as const
  await imports(agent, `email,phone,consent\ncorr@example.com,${numbers[0]},granted\n`)
  const { id } = (await people(agent))[0]!
  const identities = async () => (await agent.call('GET', `/people/${id}`)).json.identities
  await imports(agent, `email,phone\ncorr@example.com,${numbers[1]}\n`)
  t.match(await identities(), [{ address: numbers[1] }])
  t.equal((await identities()).length, 1)
  const waiting = (await agent.send(byPerson(id))).json
  await agent.call('PATCH', `/people/${id}`, { phone: numbers[2] })
  t.match(await identities(), [{ address: numbers[2] }])
  t.equal((await identities()).length, 1)
  t.match(
    await agent.reaches(waiting.sendId, 'failed'),
    { address: numbers[1], reason: 'no_channel_identity' },
    'what waits for the old number does not go there',
  )
  const after = (await agent.send({ ...byPerson(id), idempotencyKey: 'after' })).json
  t.match(await agent.reaches(after.sendId, 'sent'), { address: numbers[2] })
  await writes(agent, numbers[0], 'who is this?')
  await reaches(agent, ({ length }) => length === 2)
  t.same(
    (await agent.call('PATCH', `/people/${id}`, { phone: null })).json.identities,
    [],
    'nor is one that is taken away',
  )
})

t.test('A number entered beside one that a person wrote from is the one written to', async (t) => {
  const agent = await desk.sender()
  const [mobile, entered] = [newNumber(), newNumber()]
  await writes(agent, mobile, 'hello')
  await reaches(agent, ({ length }) => length === 1)
  const { id } = (await people(agent))[0]!
  const changed = (await agent.call('PATCH', `/people/${id}`, { firstName: 'Ann', phone: entered })).json
  t.match(changed.identities, [{ address: mobile }, { address: entered }], 'a number they write from stays theirs')
  const { sendId } = (await agent.send(byPerson(id))).json
  t.match(await agent.reaches(sendId, 'sent'), { address: entered })
})

t.test('A STOP is asked of the conversation wherever an identity is made', async (t) => {
  const agent = await desk.sender()
  const phone = newNumber()
  const isOut = async () => (await people(agent)).map(({ identities }) => identities[0]?.optedOut)
  await writes(agent, phone, 'STOP')
  await reaches(agent, ([each]) => each?.identities[0]?.optedOut)
  const drop = async () => {
    for (const { id } of await people(agent)) t.equal((await agent.call('DELETE', `/people/${id}`)).status, 204)
  }
  await drop()
  await imports(agent, `phone,consent\n${phone},granted\n`)
  t.same(await isOut(), [true], 'an import')
  const campaign = { name: 'All', outreachId: 'hello', audience: { filter: {} } }
  const draft = (await agent.call('POST', '/campaigns', campaign)).json
  const staged = (await agent.call('POST', `/campaigns/${draft.id}/stage`)).json
  t.match(staged.counts ?? staged, { total: 1, sendable: 0 })
  await drop()
  const posted = (await agent.call('POST', '/people', { phone, ...granted })).json
  t.equal(posted.identities[0].optedOut, true, 'an entry')
  await drop()
  const { id } = (await agent.call('POST', '/people', { firstName: 'Ann' })).json
  t.equal((await agent.call('PATCH', `/people/${id}`, { phone })).json.identities[0].optedOut, true, 'a change')
  await drop()
  t.equal((await agent.send({ recipient: { channel: 'rcs', address: phone } })).status, 409, 'a send')
  // A later session of somebody who is opted out still.
  await clock.advance(conversation.sessionIdleMs + 60_000)
  await writes(agent, phone, 'hello?')
  await reaches(agent, ({ length }) => length === 1)
  t.same(await isOut(), [true], 'a message')
  await writes(agent, phone, 'START')
  await reaches(agent, ([each]) => each?.identities[0]?.optedOut === false)
  t.same(await isOut(), [false])
})

t.test('An import batch keeps its people, whoever reads them in again', async (t) => {
  const agent = await desk.sender()
  const [one, two] = [newNumber(), newNumber()]
  const first = await imports(agent, `phone,consent\n${one},granted\n${two},granted\n`)
  const second = await imports(agent, `phone,company\n${one},Acme\n`)
  const totalOf = async (importBatchId: string) => {
    const made = await agent.call('POST', '/campaigns', { name: 'B', outreachId: 'hello', audience: { importBatchId } })
    const { json } = await agent.call('POST', `/campaigns/${made.json.id}/stage`)
    return (json.counts ?? json).total
  }
  t.equal(await totalOf(first.importBatchId), 2)
  t.equal(await totalOf(second.importBatchId), 1)
})

t.test('An asid that its conversation knows and no person holds is a recipient; an unknown one is not', async (t) => {
  const agent = await desk.sender()
  const phone = newNumber()
  await writes(agent, phone, 'hello')
  await reaches(agent, ({ length }) => length === 1)
  const { id, identities } = (await people(agent))[0]!
  await agent.call('DELETE', `/people/${id}`)
  const { asid } = identities[0]!
  const sent = await agent.send({ recipient: { asid } })
  t.match(sent.json, { status: 'queued', asid })
  t.match((await agent.call('GET', `/people/${sent.json.personId}`)).json.identities, [{ asid, address: phone }])
  const other = await desk.sender()
  for (const each of [asid, 'usr_nobody']) {
    t.match((await other.send({ recipient: { asid: each } })).json, {
      status: 404,
      code: 'agent.outreach.recipient_not_found',
    })
  }
})

t.test('An id that was merged away leads to the one who stays, in writes and in the list of sends', async (t) => {
  const agent = await desk.sender()
  const made = async () => (await agent.call('POST', '/people', { phone: newNumber() })).json
  const [ann, anna, anne] = [await made(), await made(), await made()]
  const sends = [(await agent.send(byPerson(ann.id))).json.sendId, (await agent.send(byPerson(anna.id))).json.sendId]
  t.equal((await agent.call('POST', `/people/${ann.id}/_merge`, { from: anna.id })).status, 200)
  t.match((await agent.call('PATCH', `/people/${anna.id}`, { firstName: 'Ann' })).json, {
    id: ann.id,
    firstName: 'Ann',
  })
  for (const personId of [ann.id, anna.id]) {
    const { data } = (await agent.call('GET', `/outreach/sends?personId=${personId}`)).json
    t.same(data.map(({ sendId }: { sendId: string }) => sendId).sort(), sends.toSorted())
  }
  t.same((await agent.send(byPerson(ann.id))).json.status, 'duplicate')
  const self = await agent.call('POST', `/people/${anna.id}/_merge`, { from: ann.id })
  t.match(self.json, { status: 422, errors: [{ field: 'from', message: 'is the same person' }] })
  t.equal((await agent.call('POST', `/people/${anne.id}/_merge`, { from: anna.id })).json.id, anne.id)
  t.equal((await agent.call('GET', `/outreach/sends?personId=${anna.id}`)).json.data.length, 2)
  t.equal((await agent.call('DELETE', `/people/${ann.id}`)).status, 204)
  t.equal((await people(agent)).length, 0)
})

t.test('A number with too few or too many digits for its country is refused, unless it wrote in', async (t) => {
  const agent = await desk.sender()
  for (const number of ['+1415555', '+1234567', '+155501000000']) {
    const named = await agent.send({ recipient: { channel: 'rcs', address: number } })
    t.match(named.json, { status: 422, code: 'agent.outreach.invalid_address' })
    const path = '/integrations/journey/outreach/hello/sends'
    t.match((await agent.call('POST', path, { profile: { phone: number } })).json, { status: 400 })
    t.match((await agent.call('POST', '/people', { phone: number })).json.errors, [{ field: 'phone' }])
    t.match(await imports(agent, `phone\n${number}\n`), { created: 0, rejectedCount: 1 })
  }
  t.equal((await people(agent)).length, 0)
  await writes(agent, '+15550100', 'hello')
  await reaches(agent, ({ length }) => length === 1)
  t.match((await agent.send({ recipient: { channel: 'rcs', address: '+15550100' } })).json, { status: 'queued' })
})
