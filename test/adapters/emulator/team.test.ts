/** The emulated mail providers and chat webhook: the providers' own SDKs are accepted, and what is wrong is refused. */
import sendgridMail from '@sendgrid/mail'
import { IncomingWebhook } from '@slack/webhook'
import formData from 'form-data'
import Mailgun from 'mailgun.js'
import t from 'tap'
import { mailProviders } from '../../../mgmt/tools/mailproviders.js'
import { openEmulatorHarness } from './emulatorharness.js'

const from = { address: 'desk@harbor.example', name: 'Harbor, the "Hotel"' }
const mail = {
  to: ['ann@harbor.example'],
  subject: 'Ünusual',
  text: 'A guest asks.\nSoon.',
  messageId: 'call-1@harbor.example',
}

async function open(t: Parameters<typeof openEmulatorHarness>[0]) {
  const harness = await openEmulatorHarness(t)
  const account = (wire: 'sendgrid' | 'mailgun' | 'chathook') => {
    const { id, auth } = harness.emulator.accounts.register({ wire })!
    return { id, ...auth } as unknown as Record<'id' | 'apiKey' | 'apiUrl' | 'domain' | 'webhookUrl', string>
  }
  const bodies = (id: string) => harness.emulator.sent(0, { account: id }).map(({ body }) => body)
  return { ...harness, account, bodies }
}

function post(url: string, headers: Record<string, string>, body: string) {
  return fetch(url, { method: 'POST', headers, body }).then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
  }))
}

t.test('SendGrid accepts its own SDK and our request, which have the same shape', async (t) => {
  const { account, bodies } = await open(t)
  const { id, apiKey, apiUrl } = account('sendgrid')
  sendgridMail.setApiKey(apiKey)
  // biome-ignore lint/suspicious/noExplicitAny: the client is not part of the declared type
  ;(sendgridMail as any).client.setDefaultRequest('baseUrl', `${apiUrl}/`)
  const headers = { 'Message-ID': '<own@harbor.example>' }
  const sdk = {
    to: mail.to,
    from: { email: from.address, name: from.name },
    subject: mail.subject,
    text: mail.text,
    headers,
  }
  const [answer] = await sendgridMail.send(sdk)
  t.equal(answer.statusCode, 202)
  t.match(answer.headers['x-message-id'], /^[0-9a-f]+$/)
  const own = mailProviders.sendgrid.request({ from, apiKey }, mail)
  t.match(await post(`${apiUrl}${own.path}`, own.headers, own.body), { status: 202, text: '' })
  const [first, second] = bodies(id) as Record<string, unknown>[]
  t.match(second?.headers, { 'Message-ID': '<call-1@harbor.example>' })
  t.same({ ...second, headers }, first)
})

t.test('Mailgun accepts its own SDK and our request, which have the same fields', async (t) => {
  const { account, bodies } = await open(t)
  const { id, apiKey, apiUrl, domain } = account('mailgun')
  const client = new Mailgun(formData).client({ username: 'api', key: apiKey, url: apiUrl })
  const sdkFrom = '"Harbor, the \\"Hotel\\"" <desk@harbor.example>'
  const answer = await client.messages.create(domain, {
    ...{ from: sdkFrom, to: mail.to, subject: mail.subject, text: mail.text, 'h:Message-Id': '<own@harbor.example>' },
  })
  t.match(answer, { status: 200, id: '<own@harbor.example>', message: 'Queued. Thank you.' })
  const own = mailProviders.mailgun.request({ from, apiKey, domain }, mail)
  t.match(await post(`${apiUrl}${own.path}`, own.headers, own.body), { status: 200 })
  const [first, second] = bodies(id) as Record<string, unknown>[]
  t.same(second?.['h:Message-Id'], ['<call-1@harbor.example>'])
  t.same({ ...second, 'h:Message-Id': ['<own@harbor.example>'] }, first)
})

t.test('The chat webhook accepts the SDK of Slack and our request, which say the same', async (t) => {
  const { account, bodies } = await open(t)
  const { id, webhookUrl } = account('chathook')
  t.same(await new IncomingWebhook(webhookUrl).send({ text: 'A guest asks.' }), { text: 'ok' })
  const own = await post(webhookUrl, { 'content-type': 'application/json' }, JSON.stringify({ text: 'A guest asks.' }))
  t.match(own, { status: 200, text: 'ok' })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams({ payload: '{"text":"A guest asks."}' }).toString()
  t.match(await post(webhookUrl, form, payload), { status: 200 }, 'a form with the JSON in it, too')
  const [ofSdk, ...others] = bodies(id) as Record<string, unknown>[]
  t.match(ofSdk, { text: 'A guest asks.', timeout: 0 }, 'with a setting of its own, which Slack ignores')
  t.same(others, Array(2).fill({ text: 'A guest asks.' }))
})

t.test(
  'A mail provider refuses what it refuses: the key, the content type, and each wrong field by its name',
  async (t) => {
    const { account, bodies } = await open(t)
    const sendgrid = account('sendgrid')
    const { path, headers, body } = mailProviders.sendgrid.request({ from, apiKey: sendgrid.apiKey }, mail)
    const send = (changed: object, more = {}) =>
      post(`${sendgrid.apiUrl}${path}`, { ...headers, ...more }, JSON.stringify({ ...JSON.parse(body), ...changed }))
    t.match(await send({}, { Authorization: 'Bearer SG.wrong' }), { status: 401, text: /authorization grant/ })
    t.match(await send({}, { 'Content-Type': 'text/plain' }), { status: 415 })
    t.match(await send({ personalizations: [] }), { status: 400, text: /personalizations/ })
    t.match(await send({ from: { email: 'nobody' } }), { status: 400, text: /"field":"from\.email"/ })
    t.match(await send({ subject: undefined }), { status: 400, text: /subject is missing/ })
    t.match(await send({ headers: { Subject: 'Other' } }), { status: 400, text: /headers\.Subject/ })
    t.match(await send({ colour: 'red' }), { status: 400, text: /colour is an unknown name/ })
    t.match(await post(`${sendgrid.apiUrl}/v3/mail`, headers, body), { status: 404 })

    const mailgun = account('mailgun')
    const own = mailProviders.mailgun.request({ from, ...mailgun }, mail)
    const sendForm = (change: (form: URLSearchParams) => void, more = {}, at = own.path) => {
      const form = new URLSearchParams(own.body)
      change(form)
      return post(`${mailgun.apiUrl}${at}`, { ...own.headers, ...more }, form.toString())
    }
    const same = () => {}
    t.match(await sendForm(same, { Authorization: 'Basic wrong' }), { status: 401, text: 'Forbidden' })
    t.match(await sendForm(same, {}, '/v3/other.example/messages'), { status: 404, text: /Domain not found/ })
    t.match(await sendForm((form) => form.delete('to')), { status: 400, text: /to parameter is missing/ })
    t.match(await sendForm((form) => form.set('to', 'nobody')), { status: 400, text: /not a valid address/ })
    t.match(await sendForm((form) => form.delete('text')), { status: 400, text: /Need at least one/ })
    t.match(await sendForm((form) => form.set('colour', 'red')), { status: 400, text: /colour/ })
    t.match(await sendForm(same, { 'Content-Type': 'multipart/form-data; boundary=x' }), { status: 400 })
    t.same([...bodies(sendgrid.id), ...bodies(mailgun.id)], [], 'and none of it was accepted')
  },
)

t.test('The chat webhook refuses an address that is not its own, and a message that says nothing', async (t) => {
  const { account, bodies } = await open(t)
  const { id, webhookUrl } = account('chathook')
  const send = (url: string, body: string) => post(url, { 'content-type': 'application/json' }, body)
  t.match(await send(`${webhookUrl}x`, '{"text":"a"}'), { status: 403, text: 'invalid_token' })
  t.match(await send(webhookUrl.replace(/T[A-Z0-9]+/, 'TOTHER'), '{"text":"a"}'), { status: 404, text: 'no_service' })
  t.match(await send(webhookUrl, '{"text":""}'), { status: 400, text: 'no_text' })
  t.match(await send(webhookUrl, 'text'), { status: 400, text: 'invalid_payload' })
  t.match(await send(webhookUrl, '{"text":7}'), { status: 400, text: 'invalid_payload' })
  t.equal((await fetch(webhookUrl)).status, 405)
  t.same(bodies(id), [])
})

t.test('Faults of a call hold for mail and chat as for every provider', async (t) => {
  const { account, emulator } = await open(t)
  const { id, webhookUrl } = account('chathook')
  const send = () => post(webhookUrl, {}, '{"text":"a"}')
  emulator.faults.add({ account: id, kind: 'rateLimited', retryAfterSeconds: 2, times: 1 })
  const limited = await send()
  t.match(limited, { status: 429, text: 'rate_limited' })
  t.equal(limited.headers.get('retry-after'), '2')
  emulator.faults.add({ account: id, kind: 'serverError', status: 503, times: 1 })
  t.match(await send(), { status: 503 })
  emulator.faults.add({ account: id, kind: 'reset', times: 1 })
  await t.rejects(send())
  t.match(await send(), { status: 200 })
  t.match(await emulator.act(id, 'team', { kind: 'text', text: 'Hello' }), { kind: 'impossible' })
})
