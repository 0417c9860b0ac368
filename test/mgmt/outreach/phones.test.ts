/**
 * A send that brings a phone along goes where it was accepted to; from then on the phone is the number that is written
 * to.
 */
import t from 'tap'
import { byPerson, type ListedPerson, openCallers } from '../people/phones.js'
import { newNumber, type SendAgent } from './sendnode.js'

const { fixture, sendText: writes, people, waitForPeople: reaches, sender } = await openCallers(t)

const enterPerson = async ({ call }: SendAgent, body: object) => (await call('POST', '/people', body)).json.id as string
const read = async ({ call }: SendAgent, id: string): Promise<ListedPerson> => (await call('GET', `/people/${id}`)).json
const identitiesOf = async (agent: SendAgent, id: string) =>
  (await read(agent, id)).identities.map(({ channel, address }) => `${channel} ${address}`)
const withPhone = (phone: string) => ({ profile: { phone }, profileUpdate: 'overwrite' })
const journeys = '/integrations/journey/outreach/hello/sends'

t.test('A send that changes the phone goes to the number it was accepted to, and the next to the phone', async (t) => {
  const agent = await sender()
  const ways: readonly ((phone: string) => object)[] = [withPhone, (phone) => ({ inputs: { phone } })]
  for (const brought of ways) {
    const [former, phone] = [newNumber(), newNumber()]
    const id = await enterPerson(agent, { firstName: 'Ann', phone: former })
    await writes(agent, former, 'hello', 'sms')
    await reaches(agent, (all) => all.some((each) => each.id === id && each.identities.length === 2))
    const first = (await agent.send({ ...byPerson(id), ...brought(phone) })).json
    t.equal((await read(agent, id)).phone, phone)
    const next = (await agent.send({ ...byPerson(id), idempotencyKey: id })).json
    t.match(await agent.read(next.sendId), { json: { address: phone } }, 'while the first is on its way, too')
    t.match(await agent.waitForState(first.sendId, 'sent'), { address: former })
    t.match(await agent.waitForState(next.sendId, 'sent'), { address: phone })
    t.same(await identitiesOf(agent, id), [`rcs ${phone}`], 'the former number is not theirs any more')
    const { length } = await people(agent)
    await writes(agent, former, 'who is this?')
    await reaches(agent, (all) => all.length === length + 1)
  }
})

t.test('A journey that changes the phone makes its number the one written to', async (t) => {
  const agent = await fixture.sender()
  const [mobile, former] = [newNumber(), newNumber()]
  await writes(agent, mobile, 'hello')
  await reaches(agent, ({ length }) => length === 1)
  const { id } = (await people(agent))[0]!
  await agent.call('PATCH', `/people/${id}`, { firstName: 'Ann', phone: former })
  const sent = (await agent.call('POST', journeys, withPhone(mobile))).json
  t.equal(sent.personId, id)
  t.equal((await read(agent, id)).phone, mobile)
  t.match(await agent.waitForState(sent.sendId, 'sent'), { address: mobile })
  t.same(await identitiesOf(agent, id), [`rcs ${mobile}`])
})

t.test('The conversation of a phone that a send brings along is asked for a STOP', async (t) => {
  const agent = await fixture.sender()
  const stopped = newNumber()
  await writes(agent, stopped, 'STOP')
  await reaches(agent, ([each]) => each?.identities[0]?.optedOut)
  t.equal((await agent.call('DELETE', `/people/${(await people(agent))[0]!.id}`)).status, 204)
  const annId = await enterPerson(agent, { firstName: 'Ann', phone: newNumber() })
  await agent.send({ ...byPerson(annId), ...withPhone(stopped) })
  const at = async (id: string) => (await read(agent, id)).identities.find(({ address }) => address === stopped)
  t.match(await at(annId), { optedOut: true })
  t.equal((await agent.send({ ...byPerson(annId), idempotencyKey: 'next' })).status, 409)
  await agent.call('DELETE', `/people/${annId}`)
  const recipient = { channel: 'rcs', address: newNumber() }
  const made = (await agent.send({ recipient, profile: { phone: stopped } })).json
  t.match(await at(made.personId), { optedOut: true }, 'of somebody new as well')
})

t.test('Whoever wrote by text message is the person to whom a send brings that number', async (t) => {
  const agent = await sender()
  const phone = newNumber()
  await writes(agent, phone, 'hello', 'sms')
  await reaches(agent, ({ length }) => length === 1)
  const id = await enterPerson(agent, { firstName: 'Ann', phone: newNumber() })
  const { sendId } = (await agent.send({ ...byPerson(id), ...withPhone(phone) })).json
  await agent.waitForState(sendId, 'sent')
  t.same((await identitiesOf(agent, id)).toSorted(), [`rcs ${phone}`, `sms ${phone}`])
  t.equal((await people(agent)).length, 1)
})

t.test('A number that a send takes from one person goes on to another when the send has left', async (t) => {
  const agent = await fixture.sender()
  const [shared, phone] = [newNumber(), newNumber()]
  const ann = await enterPerson(agent, { firstName: 'Ann', phone: shared })
  const bo = await enterPerson(agent, { firstName: 'Bo', phone: shared })
  const { sendId } = (await agent.send({ ...byPerson(ann), ...withPhone(phone) })).json
  t.same(await identitiesOf(agent, bo), [])
  t.match(await agent.waitForState(sendId, 'sent'), { address: shared })
  t.same(await identitiesOf(agent, ann), [`rcs ${phone}`])
  t.same(await identitiesOf(agent, bo), [`rcs ${shared}`])
  const next = (await agent.send(byPerson(bo))).json
  t.match(await agent.waitForState(next.sendId, 'sent'), { address: shared })
})

t.test('A number that is the phone again, or is sent to once more, does not go with the first send', async (t) => {
  const agent = await fixture.sender()
  const [former, other, phone] = [newNumber(), newNumber(), newNumber()]
  const ann = await enterPerson(agent, { firstName: 'Ann', phone: former })
  const back = (await agent.send({ ...byPerson(ann), ...withPhone(phone) })).json
  await agent.call('PATCH', `/people/${ann}`, { phone: former })
  t.match(await agent.waitForState(back.sendId, 'sent'), { address: former })
  t.same(await identitiesOf(agent, ann), [`rcs ${former}`])
  const bo = await enterPerson(agent, { firstName: 'Bo', phone: other })
  const first = (await agent.send({ ...byPerson(bo), ...withPhone(phone) })).json
  const repeated = (await agent.send({ recipient: { channel: 'rcs', address: other }, idempotencyKey: 'again' })).json
  t.equal(repeated.personId, bo)
  t.match(await agent.waitForState(first.sendId, 'sent'), { address: other })
  t.match(await agent.waitForState(repeated.sendId, 'sent'), { address: other })
  t.same(await identitiesOf(agent, bo), [`rcs ${phone}`])
})

t.test('A phone that another person holds leaves its new owner without an identity', async (t) => {
  const agent = await fixture.sender()
  const [former, takenNumber] = [newNumber(), newNumber()]
  const ann = await enterPerson(agent, { firstName: 'Ann', phone: former })
  const bo = await enterPerson(agent, { firstName: 'Bo', phone: takenNumber })
  const { sendId } = (await agent.send({ ...byPerson(ann), ...withPhone(takenNumber) })).json
  const next = await agent.send({ ...byPerson(ann), idempotencyKey: 'next' })
  t.match(next.json, { status: 422, code: 'agent.outreach.no_channel_identity' }, 'the former number is not written to')
  t.match(await agent.waitForState(sendId, 'sent'), { address: former })
  t.same(await identitiesOf(agent, ann), [])
  t.same(await identitiesOf(agent, bo), [`rcs ${takenNumber}`])
})
