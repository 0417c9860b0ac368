/** A person is one person, whichever way they are entered, changed, sent to or write in. */
import t from 'tap'
import { conversation } from '../../../core/limits/index.js'
import { newNumber, type SendAgent } from '../outreach/sendnode.js'
import { byPerson, type ListedPerson, openCallers } from './phones.js'

const {
  fixture,
  clock,
  sendText: writes,
  importPeople: imports,
  people,
  waitForPeople: reaches,
  eventually,
  sender,
} = await openCallers(t)
const granted = { consent: { status: 'granted' } }

t.test('A person entered with a phone is reachable there, and is the one who writes from it', async (t) => {
  const agent = await sender()
  const phone = newNumber()
  const ann = (await agent.call('POST', '/people', { firstName: 'Ann', phone })).json
  t.match(ann.identities, [{ channel: 'rcs', address: phone, optedOut: false }])
  const send = (await agent.send(byPerson(ann.id))).json
  t.match(send, { status: 'queued', personId: ann.id, asid: ann.identities[0].asid })
  t.match(await agent.waitForState(send.sendId, 'sent'), { address: phone })
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

t.test('A person entered with a phone triggers automated outreach', async (t) => {
  const agent = await fixture.sender()
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

t.test('A number that wrote in first belongs to the person who is later entered with it', async (t) => {
  const agent = await fixture.sender()
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

t.test('A person who wrote by sms is the person entered with that number', async (t) => {
  const agent = await sender()
  const numbers = [newNumber(), newNumber(), newNumber(), newNumber(), newNumber()] as const
  for (const number of numbers) await writes(agent, number, 'hello', 'sms')
  await reaches(agent, ({ length }) => length === numbers.length)
  const strangers = new Map((await people(agent)).map(({ id, identities }) => [identities[0]?.address, id]))
  const post = async (body: object) => (await agent.call('POST', '/people', body)).json.id as string
  const [posted, patched, imported, merged, journey] = numbers
  const ids = {
    posted: await post({ firstName: 'Ann', phone: posted }),
    patched: await post({ firstName: 'Bo' }),
    imported: await post({ email: 'cy@example.com' }),
    merged: await post({ firstName: 'Di' }),
  }
  await agent.call('PATCH', `/people/${ids.patched}`, { phone: patched })
  await imports(agent, `email,phone\ncy@example.com,${imported}\n`)
  await agent.call('POST', `/people/${ids.merged}/_merge`, { from: await post({ firstName: 'D', phone: merged }) })
  const path = '/integrations/journey/outreach/hello/sends'
  const { personId } = (await agent.call('POST', path, { profile: { phone: journey, firstName: 'Ed' } })).json
  for (const [nth, id] of [...Object.values(ids), personId].entries()) {
    const number = numbers[nth]!
    const { identities } = (await agent.call('GET', `/people/${strangers.get(number)}`)).json
    t.equal((await agent.call('GET', `/people/${strangers.get(number)}`)).json.id, id, 'the old id leads to them')
    t.same(identities.map((each: ListedPerson['identities'][0]) => `${each.channel} ${each.address}`).toSorted(), [
      `rcs ${number}`,
      `sms ${number}`,
    ])
  }
  t.equal((await people(agent)).length, numbers.length)
})

t.test('A number of another named person stays theirs', async (t) => {
  const agent = await fixture.sender()
  const phone = newNumber()
  const ann = (await agent.call('POST', '/people', { firstName: 'Ann', phone })).json
  const bo = (await agent.call('POST', '/people', { firstName: 'Bo', phone })).json
  t.same(bo.identities, [])
  t.match((await agent.call('GET', `/people/${ann.id}`)).json.identities, [{ address: phone }])
})

t.test('A corrected number gets the messages, and the old one no longer belongs to the person', async (t) => {
  const agent = await fixture.sender()
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
    await agent.waitForState(waiting.sendId, 'failed'),
    { address: numbers[1], reason: 'no_channel_identity' },
    'messages that wait for the old number are not sent there',
  )
  const after = (await agent.send({ ...byPerson(id), idempotencyKey: 'after' })).json
  t.match(await agent.waitForState(after.sendId, 'sent'), { address: numbers[2] })
  await writes(agent, numbers[0], 'who is this?')
  await reaches(agent, ({ length }) => length === 2)
  t.same((await agent.call('PATCH', `/people/${id}`, { phone: null })).json.identities, [], 'nor is a removed number')
})

t.test('Two swapped numbers are corrected with one change each, or with one file', async (t) => {
  const agent = await fixture.sender()
  const numbers = [newNumber(), newNumber(), newNumber(), newNumber()] as const
  const ids: string[] = []
  for (const [nth, phone] of numbers.entries()) {
    ids.push((await agent.call('POST', '/people', { email: `p${nth}@example.com`, phone })).json.id)
  }
  await agent.call('PATCH', `/people/${ids[0]}`, { phone: numbers[1] })
  await agent.call('PATCH', `/people/${ids[1]}`, { phone: numbers[0] })
  await imports(agent, `id,phone\n${ids[2]},${numbers[3]}\n${ids[3]},${numbers[2]}\n`)
  for (const [nth, other] of [1, 0, 3, 2].entries()) {
    const { identities } = (await agent.call('GET', `/people/${ids[nth]}`)).json
    t.match(identities, [{ address: numbers[other] }])
    t.equal(identities.length, 1)
    const { sendId } = (await agent.send(byPerson(ids[nth]!))).json
    t.match(await agent.waitForState(sendId, 'sent'), { address: numbers[other] })
  }
})

t.test('A number entered beside the one a person wrote from gets the messages', async (t) => {
  const agent = await fixture.sender()
  const [mobile, entered] = [newNumber(), newNumber()]
  await writes(agent, mobile, 'hello')
  await reaches(agent, ({ length }) => length === 1)
  const { id } = (await people(agent))[0]!
  const changed = (await agent.call('PATCH', `/people/${id}`, { firstName: 'Ann', phone: entered })).json
  t.match(changed.identities, [{ address: mobile }, { address: entered }], 'a number they write from stays theirs')
  const { sendId } = (await agent.send(byPerson(id))).json
  t.match(await agent.waitForState(sendId, 'sent'), { address: entered })
})

t.test('Creating an identity in any way queries its conversation for a STOP', async (t) => {
  const agent = await fixture.sender()
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
  // A later session of a person who is opted out still.
  await clock.advance(conversation.sessionIdleMs + 60_000)
  await writes(agent, phone, 'hello?')
  await reaches(agent, ({ length }) => length === 1)
  t.same(await isOut(), [true], 'a message')
  await writes(agent, phone, 'START')
  await reaches(agent, ([each]) => each?.identities[0]?.optedOut === false)
  t.same(await isOut(), [false])
})

t.test('An import batch keeps its people, even if they are imported again', async (t) => {
  const agent = await fixture.sender()
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

t.test('An asid known to its conversation but to no person is a recipient; an unknown one is not', async (t) => {
  const agent = await fixture.sender()
  const phone = newNumber()
  await writes(agent, phone, 'hello')
  await reaches(agent, ({ length }) => length === 1)
  const { id, identities } = (await people(agent))[0]!
  await agent.call('DELETE', `/people/${id}`)
  const { asid } = identities[0]!
  const sent = await agent.send({ recipient: { asid } })
  t.match(sent.json, { status: 'queued', asid })
  t.match((await agent.call('GET', `/people/${sent.json.personId}`)).json.identities, [{ asid, address: phone }])
  const other = await fixture.sender()
  for (const each of [asid, 'usr_nobody']) {
    t.match((await other.send({ recipient: { asid: each } })).json, {
      status: 404,
      code: 'agent.outreach.recipient_not_found',
    })
  }
})

t.test('People known only by an address are imported from an export, with their opt-outs', async (t) => {
  const [agent, another] = [await sender(), await sender()]
  const [texted, stopped] = [newNumber(), newNumber()]
  await writes(agent, texted, 'hello', 'sms')
  await writes(agent, texted, 'hello')
  await writes(agent, stopped, 'STOP')
  await reaches(agent, (all) => all.length === 2 && all.some(({ identities }) => identities[0]?.optedOut))
  const exportPath = `/v1/orgs/demo/agents/${agent.id}/people/export`
  const file = (await fixture.node.mgmt('GET', exportPath, { token: fixture.node.key })).text
  const readPeople = async (of: SendAgent) =>
    (await people(of)).map(({ identities }) => identities.map((each) => `${each.channel} ${each.address}`).toSorted())
  const expected = await readPeople(agent)
  t.match(await imports(another, file), { created: 2, updated: 0, rejected: [] })
  t.same((await readPeople(another)).toSorted(), expected.toSorted())
  t.match(await imports(another, file), { created: 0, updated: 2, rejected: [] }, 'no person is duplicated')
  await writes(another, texted, 'hello', 'sms')
  await reaches(another, (all) => all.some(({ identities }) => identities.some(({ lastSeenAt }) => lastSeenAt)))
  t.equal((await people(another)).length, 2)
  for (const { id } of await people(agent)) await agent.call('DELETE', `/people/${id}`)
  t.match(await imports(agent, file), { created: 2 })
  const outs = (await people(agent)).flatMap(({ identities }) =>
    identities.flatMap(({ address, optedOut }) => (optedOut ? [address] : [])),
  )
  t.same(outs, [stopped], 'each conversation is queried')
})

t.test('Identities in an export change no person known by id', async (t) => {
  const agent = await fixture.sender()
  const [phone, former] = [newNumber(), newNumber()]
  const { id } = (await agent.call('POST', '/people', { firstName: 'Ann', phone })).json
  await agent.call('PATCH', `/people/${id}`, { phone: null })
  t.match(await imports(agent, `id,identities\n${id},rcs:${former}\n`), { created: 0, updated: 1, rejected: [] })
  t.same((await agent.call('GET', `/people/${id}`)).json.identities, [])
})

t.test('A merged id resolves to the surviving person, in writes and in the list of sends', async (t) => {
  const agent = await fixture.sender()
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
  const agent = await fixture.sender()
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
