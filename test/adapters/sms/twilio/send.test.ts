/** Handing over to Twilio: the form, who sends, and what answers and error codes mean. */
import t from 'tap'
import { twilioAdapter } from '../../../../adapters/sms/twilio/adapter.js'
import { segmentsOf } from '../../../../core/render/index.js'
import { render } from '../../../../core/render/render.js'
import { cases } from '../../../core/render/cases.js'
import { type Scripted, silence, testProvider } from '../../rcs/rbm/provider.js'
import { auth, ingressUrl, twilioSamples } from './samples.js'

const accepted: Scripted = { status: 201, body: { sid: 'SM1', status: 'queued' } }
const traits = twilioAdapter.descriptor.traits
const context = { address: '+15550100', messageId: 'msg_1' }

t.test('A message is a form with sender, recipient, content and status callback', async (t) => {
  const { sendContext, requests } = testProvider(auth, () => accepted)
  t.same(await twilioAdapter.send({ Body: 'Hi & bye ☺' }, sendContext), { kind: 'sent', providerId: 'SM1' })
  const [request] = requests
  t.match(request, {
    method: 'POST',
    url: 'https://api.twilio.com/2010-04-01/Accounts/AC00000000000000000000000000000001/Messages.json',
    headers: {
      authorization: `Basic ${Buffer.from(`${auth.accountSid}:${auth.authToken}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  t.same(Object.fromEntries(new URLSearchParams(String(request?.body))), {
    To: '+15550100',
    From: auth.from,
    Body: 'Hi & bye ☺',
    StatusCallback: `${ingressUrl}?piece=${sendContext.id}`,
  })
})

t.test('A messaging service chooses the sender, and a configured address replaces Twilio', async (t) => {
  const other = { ...twilioSamples.otherAuths![0]!, from: '+15550199', apiUrl: 'http://127.0.0.1:9/twilio/' }
  const { sendContext, requests } = testProvider(other, () => accepted)
  await twilioAdapter.send({ Body: 'Hi' }, sendContext)
  const form = new URLSearchParams(String(requests[0]?.body))
  t.equal(form.get('MessagingServiceSid'), other.messagingServiceSid)
  t.equal(form.has('From'), false)
  t.equal(requests[0]?.url, `http://127.0.0.1:9/twilio/2010-04-01/Accounts/${other.accountSid}/Messages.json`)
})

t.test('Every answer of Twilio has the outcome that its documents describe', async (t) => {
  for (const { name, answer, becomes } of twilioSamples.answers) {
    t.match(await twilioAdapter.send({ Body: 'Hi' }, testProvider(auth, () => answer).sendContext), becomes, name)
  }
  t.match(await twilioAdapter.send({ Body: 'Hi' }, testProvider(auth, () => silence).sendContext), {
    kind: 'refused',
    retry: 'later',
  })
  const odd = testProvider(auth, () => ({ status: 200, body: '<html>' }))
  t.match(
    await twilioAdapter.send({ Body: 'Hi' }, odd.sendContext),
    { kind: 'refused', retry: 'later' },
    'an answer without an id',
  )
})

t.test('A payload for sms sets parameters of the message, except sender and recipient', async (t) => {
  const payload = {
    ContentSid: 'HX1',
    ContentVariables: { 1: 'Ada' },
    MediaUrl: ['https://media.example/1.jpg', 'https://media.example/2.jpg'],
    From: '+15550666',
    To: '+15550667',
    MessagingServiceSid: 'MG666',
    StatusCallback: 'https://other.example',
  }
  const [rendered] = twilioAdapter.render([{ kind: 'native', payload }], context)
  const { sendContext, requests } = testProvider(auth, () => accepted)
  await twilioAdapter.send(rendered!, sendContext)
  t.same([...new URLSearchParams(String(requests[0]?.body))].sort(), [
    ['ContentSid', 'HX1'],
    ['ContentVariables', '{"1":"Ada"}'],
    ['From', auth.from],
    ['MediaUrl', 'https://media.example/1.jpg'],
    ['MediaUrl', 'https://media.example/2.jpg'],
    ['StatusCallback', `${ingressUrl}?piece=${sendContext.id}`],
    ['To', '+15550100'],
  ])
  t.same(twilioAdapter.render([{ kind: 'native', payload: 'Hi' }], context), [{ Body: 'Hi' }])
})

t.test('Every message is text of a size that Twilio accepts', async (t) => {
  for (const [name, message] of Object.values(cases).flatMap((each) => Object.entries(each))) {
    const { blocks } = render(message, traits, { locale: 'en-US', zone: 'America/New_York' })
    const payloads = twilioAdapter.render(blocks, context)
    t.equal(payloads.length, blocks.length, name)
    for (const { Body = 'a payload' } of payloads) {
      t.ok(Body.length > 0 && Body.length <= 1_600 && segmentsOf(String(Body)).segments <= 24, name)
    }
  }
  t.throws(() => twilioAdapter.render([{ kind: 'list', text: 'Which?', rows: [] }], context), /no list/)
})

t.test('Ids of a wrong kind are reported before a message is sent with them', async (t) => {
  t.equal(twilioAdapter.validateAuth?.(auth), undefined)
  for (const { auth: wrong, field } of twilioSamples.invalidAuths!)
    t.equal(twilioAdapter.validateAuth?.(wrong)?.field, field)
})
