/** The disclaimer of a messaging relationship, over the real HTTP surface, on each kind of provider. */
import t from 'tap'
import { EmulatedAccount } from '../harness/account.js'
import { type Carrier, importPeople, makeOutreach, onEachCarrier, stageCampaign, textsAt } from '../harness/carriers.js'
import { waitUntil } from '../harness/clock.js'
import { type NodeProcess, startNode } from '../harness/process.js'
import { aml } from '../harness/testagent.js'

t.setTimeout(240_000)

const env = { PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '60' }
const node: NodeProcess = await startNode(env)
t.teardown(() => node.clean())

const disclaimer = 'Rates may apply. Reply STOP to leave.'
const complies = ({ testAgent }: Carrier) =>
  testAgent.change('rcs', { compliance: { enabled: true, disclaimerText: disclaimer } })

const phone = '+14155550101'
const text = (words: string) => ({ spec: 'amf/1', parts: [{ type: 'text', text: words }] })

onEachCarrier(t, () => node, {
  async 'The disclaimer goes before the opening of a campaign'(t, carrier) {
    const { testAgent } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'spring', 'Spring is here.')
    const phones = [phone, '+14155550102']
    const id = await stageCampaign(carrier, 'spring', await importPeople(carrier, phones))
    await testAgent.manage('POST', `${testAgent.agentPath}/campaigns/${id}/start`)
    for (const each of phones) t.same(await textsAt(carrier, each, 2), [disclaimer, 'Spring is here.'])
    await waitUntil(
      async () => (await testAgent.manage('GET', `${testAgent.agentPath}/campaigns/${id}`)).status === 'completed',
    )
  },

  async 'The disclaimer goes before a message in bulk, and once'(t, carrier) {
    const { testAgent } = carrier
    await carrier.sendFrom(phone, 'Good day')
    await testAgent.nextContentEvents(t, 2)
    await complies(carrier)
    const userId = testAgent.lastPerson()
    const messages = [text('First.'), text('Second.')]
    await testAgent.call('POST', '/messages', { userId, messages, priority: 'batch' })
    t.same(await textsAt(carrier, phone, 3), [disclaimer, 'First.', 'Second.'])
    await testAgent.send(userId, text('Third.'))
    t.same(await textsAt(carrier, phone, 4), [disclaimer, 'First.', 'Second.', 'Third.'])
  },

  async 'The disclaimer goes before the opening of a named send'(t, carrier) {
    const { testAgent } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'note', 'A note.')
    const recipient = { channel: 'rcs', address: phone }
    await testAgent.manage('POST', `${testAgent.agentPath}/outreach/note/sends`, { recipient })
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'A note.'])
  },

  async 'The disclaimer goes before the first automated opening'(t, carrier) {
    const { testAgent } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'welcome', 'Welcome.')
    const trigger = { kind: 'person.created' }
    const rule = { name: 'Welcome', outreachId: 'welcome', enabled: true, trigger, delayMinutes: 0 }
    await testAgent.manage('POST', `${testAgent.agentPath}/automated-outreach`, rule)
    await importPeople(carrier, [phone])
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'Welcome.'])
  },

  async 'The disclaimer goes before the opening of a send from a journey'(t, carrier) {
    const { testAgent } = carrier
    await complies(carrier)
    await makeOutreach(carrier, 'welcome', 'Welcome.')
    const step = { profile: { phone }, journey: { versionId: 'v1', nodeId: 'n1', instanceId: 'i1' } }
    const path = `${testAgent.agentPath}/integrations/journey/outreach/welcome/sends`
    t.match(await testAgent.manage('POST', path, step), { outcome: 'queued' })
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'Welcome.'])
  },

  async 'The disclaimer goes before what the webhook of an agent answers'(t, carrier) {
    const { testAgent } = carrier
    await complies(carrier)
    testAgent.replies(aml('Hello there.'))
    await carrier.sendFrom(phone, 'Good day')
    t.same(await textsAt(carrier, phone, 2), [disclaimer, 'Hello there.'])
  },

  async 'The disclaimer of the next channel goes before a message that moves on to it'(t, carrier) {
    const { testAgent } = carrier
    await carrier.sendFrom(phone, 'Good day')
    await testAgent.nextContentEvents(t, 2)
    const person = testAgent.lastPerson()
    const sms = await EmulatedAccount.open(testAgent, 'twilio', 'sms', '+14155550100')
    await testAgent.change('sms', { compliance: { enabled: true, disclaimerText: disclaimer } })
    if (carrier.account) await carrier.account.injectFaults({ kind: 'unreachable', address: phone })
    else {
      const refusal = { reason: 'sendFailed', again: 'elsewhere' }
      await testAgent.manage('PUT', `/system/emulator/bindings/${testAgent.bindings.rcs}/refusal`, {
        address: phone,
        refusal,
      })
    }
    const delivery = { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] }
    const sentTexts = async () => (await sms.sent()).map(({ body }) => (body as { Body: string }).Body)
    await testAgent.send(person, { ...text('Either way.'), delivery })
    await waitUntil(async () => (await sentTexts()).length === 2)
    await testAgent.send(person, { ...text('And more.'), delivery })
    await waitUntil(async () => (await sentTexts()).length === 3)
    t.same(await sentTexts(), [disclaimer, 'Either way.', 'And more.'])
    t.same(await carrier.receivedTexts(), [], 'no message went out on the first channel')
  },

  async 'The disclaimer goes before a reply'(t, carrier) {
    const { testAgent } = carrier
    await complies(carrier)
    await carrier.sendFrom(phone, 'Good day')
    await testAgent.nextContentEvents(t, 2)
    await testAgent.send(testAgent.lastPerson(), text('Hello.'), text('How are you?'))
    t.same(await textsAt(carrier, phone, 3), [disclaimer, 'Hello.', 'How are you?'])
  },
})
