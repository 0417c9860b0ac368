/** The disclaimer of a messaging relationship, over the real HTTP surface, on each kind of provider. */
import t from 'tap'
import { EmulatedAccount } from '../harness/account.js'
import { type Carrier, importPeople, makeOutreach, onEachCarrier, stageCampaign, textsAt } from '../harness/carriers.js'
import { until } from '../harness/clock.js'
import { aml } from '../harness/desk.js'
import { type NodeProcess, startNode } from '../harness/process.js'

t.setTimeout(240_000)

const env = { PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '60' }
const node: NodeProcess = await startNode(env)
t.teardown(() => node.clean())

const disclaimer = 'Rates may apply. Reply STOP to leave.'
const complies = ({ desk }: Carrier) =>
  desk.change('rcs', { compliance: { enabled: true, disclaimerText: disclaimer } })

const phone = '+14155550101'
const text = (words: string) => ({ spec: 'amf/1', parts: [{ type: 'text', text: words }] })

onEachCarrier(t, () => node, {
  async 'The disclaimer goes before the opening of a campaign'(t, carrier) {
    const { desk } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'spring', 'Spring is here.')
    const phones = [phone, '+14155550102']
    const id = await stageCampaign(carrier, 'spring', await importPeople(carrier, phones))
    await desk.manage('POST', `${desk.at}/campaigns/${id}/start`)
    for (const each of phones) t.same(await textsAt(carrier, each, 2), [disclaimer, 'Spring is here.'])
    await until(async () => (await desk.manage('GET', `${desk.at}/campaigns/${id}`)).status === 'completed')
  },

  async 'The disclaimer goes before a message in bulk, and once'(t, carrier) {
    const { desk } = carrier
    await carrier.writes(phone, 'Good day')
    await desk.heard(t, 2)
    await complies(carrier)
    const userId = desk.lastPerson()
    const messages = [text('First.'), text('Second.')]
    await desk.call('POST', '/messages', { userId, messages, priority: 'batch' })
    t.same(await textsAt(carrier, phone, 3), [disclaimer, 'First.', 'Second.'])
    await desk.send(userId, text('Third.'))
    t.same(await textsAt(carrier, phone, 4), [disclaimer, 'First.', 'Second.', 'Third.'])
  },

  async 'The disclaimer goes before the opening of a named send'(t, carrier) {
    const { desk } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'note', 'A note.')
    const recipient = { channel: 'rcs', address: phone }
    await desk.manage('POST', `${desk.at}/outreach/note/sends`, { recipient })
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'A note.'])
  },

  async 'The disclaimer goes before the first automated opening'(t, carrier) {
    const { desk } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'welcome', 'Welcome.')
    const trigger = { kind: 'person.created' }
    const rule = { name: 'Welcome', outreachId: 'welcome', enabled: true, trigger, delayMinutes: 0 }
    await desk.manage('POST', `${desk.at}/automated-outreach`, rule)
    await importPeople(carrier, [phone])
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'Welcome.'])
  },

  async 'The disclaimer goes before the opening of a send from a journey'(t, carrier) {
    const { desk } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'welcome', 'Welcome.')
    const step = { profile: { phone }, journey: { versionId: 'v1', nodeId: 'n1', instanceId: 'i1' } }
    const path = `${desk.at}/integrations/journey/outreach/welcome/sends`
    t.match(await desk.manage('POST', path, step), { outcome: 'queued' })
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'Welcome.'])
  },

  async 'The disclaimer goes before what the webhook of an agent answers'(t, carrier) {
    const { desk } = carrier
    await complies(carrier)
    desk.replies(aml('Hello there.'))
    await carrier.writes(phone, 'Good day')
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'Hello there.'])
  },

  async 'The disclaimer of the next channel goes before a message that moves on to it'(t, carrier) {
    const { desk } = carrier
    await carrier.writes(phone, 'Good day')
    await desk.heard(t, 2)
    const person = desk.lastPerson()
    const sms = await EmulatedAccount.open(desk, 'twilio', 'sms', '+14155550100')
    await desk.change('sms', { compliance: { enabled: true, disclaimerText: disclaimer } })
    if (carrier.account) await carrier.account.troubles({ kind: 'unreachable', address: phone })
    else {
      const refusal = { reason: 'sendFailed', again: 'elsewhere' }
      await desk.manage('PUT', `/system/emulator/bindings/${desk.bindings.rcs}/refusal`, { address: phone, refusal })
    }
    const delivery = { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] }
    const said = async () => (await sms.sent()).map(({ body }) => (body as { Body: string }).Body)
    await desk.send(person, { ...text('Either way.'), delivery })
    await until(async () => (await said()).length === 2)
    await desk.send(person, { ...text('And more.'), delivery })
    await until(async () => (await said()).length === 3)
    t.same(await said(), [disclaimer, 'Either way.', 'And more.'])
    t.same(await carrier.arrived(), [], 'nothing went out on the first channel')
  },

  async 'The disclaimer goes before a reply'(t, carrier) {
    const { desk } = carrier
    await complies(carrier)
    await carrier.writes(phone, 'Good day')
    await desk.heard(t, 2)
    await desk.send(desk.lastPerson(), text('Hello.'), text('How are you?'))
    t.same(await textsAt(carrier, phone, 3), [disclaimer, 'Hello.', 'How are you?'])
  },
})
