/** notify.team and the team's mail (R47, decisions 19 and 22), at emulated providers. */
import t, { type Test } from 'tap'
import type { FaultInput } from '../../../adapters/emulator/faults.js'
import type { AgentDocument } from '../../../core/agent/index.js'
import { tools as limits } from '../../../core/limits/index.js'
import { openEmulatorHarness } from '../../adapters/emulator/emulatorharness.js'
import { answer, openReceiver } from '../../harness/receiver.js'
import { createToolsFixture, type ToolsFixtureOptions } from './fixture.js'

type Notifications = NonNullable<AgentDocument['notifications']>

const words = { text: 'A guest <asks> for a *room* & breakfast.' }
const link = 'https://manage.example/v1/orgs/demo/agents/ada/messages?userId=as_1'

async function open(
  t: Test,
  provider: 'sendgrid' | 'mailgun' | 'chathook',
  more: Partial<Notifications> = {},
  options: ToolsFixtureOptions = {},
) {
  const { emulator } = await openEmulatorHarness(t)
  const account = emulator.accounts.register({ wire: provider })!
  const auth = account.auth as Record<string, string>
  const email = {
    ...{ fromAddress: 'desk@harbor.example', fromName: 'Harbor' },
    ...(provider === 'mailgun' ? { provider, mailgunDomain: auth.domain ?? '' } : { provider: 'sendgrid' as const }),
  }
  const operator = { provider: 'email' as const, toAddress: 'team@harbor.example' }
  const notifications = provider === 'chathook' ? { operator: { provider: 'slack' as const } } : { operator, email }
  const fixture = createToolsFixture(t, {
    document: { notifications: { ...notifications, ...more } },
    egress: { mailApiUrl: (_provider, key) => (key === auth.apiKey ? auth.apiUrl : undefined) },
    ...options,
  })
  const secrets: Record<string, string> =
    provider === 'chathook' ? { slackWebhookUrl: auth.webhookUrl ?? '' } : { emailApiKey: auth.apiKey ?? '' }
  await fixture.setSecrets('notifications', '', secrets)
  return {
    ...fixture,
    secret: Object.values(secrets)[0]!,
    sent: () => emulator.sent(0, { account: account.id }).map(({ body }) => body as Record<string, unknown>),
    fault: (fault: Omit<FaultInput, 'account'>) => void emulator.faults.add({ account: account.id, ...fault }),
  }
}

t.test('R47, decision 19: the chat gets the text, the person’s name, and a link to the conversation', async (t) => {
  const { run, sent, people } = await open(t, 'chathook')
  t.same(await run('notify.team', words), { outcome: { state: 'ok', result: { sent: true } } })
  const { people: area } = people
  const seen = {
    orgId: 'demo',
    agentId: 'ada',
    asid: 'as_1',
    channel: 'sms',
    address: '+12025550123',
    at: 1,
    kind: 'seen',
  } as const
  people.decide(area.commands.identityEvent, seen)
  const [person] = [area.byAsid(people.tx, { orgId: 'demo', agentId: 'ada' }, 'as_1')]
  people.decide(area.commands.change, { ...seen, personId: person!.id, change: { firstName: 'Ann', lastName: 'Lee' } })
  await run('notify.team', words)
  t.same(sent(), [
    { text: `A guest &lt;asks&gt; for a *room* &amp; breakfast.\n\nSomebody whose name is not known, on sms\n${link}` },
    { text: `A guest &lt;asks&gt; for a *room* &amp; breakfast.\n\nAnn Lee, on sms\n${link}` },
  ])
})

for (const provider of ['sendgrid', 'mailgun'] as const) {
  t.test(
    `R47, decision 19: a mail over ${provider} goes to the team, with a Message-ID made from the call's id`,
    async (t) => {
      const { run, sent, fault } = await open(t, provider, {}, { limits: { callMs: 1_500 } })
      t.same(await run('notify.team', words), { outcome: { state: 'ok', result: { sent: true } } })
      fault({ kind: 'noAnswer', times: 1 })
      t.match(await run('notify.team', words, { isRepeat: true }), { outcome: { state: 'ok' } }, 'a repeat is harmless')
      await run('notify.team', words, { id: 'call-2' })
      const idOf = (mail: Record<string, unknown>) =>
        provider === 'sendgrid' ? (mail.headers as Record<string, string>)['Message-ID'] : String(mail['h:Message-Id'])
      const ids = sent().map(idOf)
      t.match(ids[0], /^<[0-9a-f]{32}@harbor\.example>$/)
      t.equal(new Set(ids.slice(0, -1)).size, 1, 'mailboxes show the same mail once')
      t.not(ids.at(-1), ids[0], 'and another call is another mail')
      const [first] = sent()
      t.match(JSON.stringify(first), /team@harbor\.example/)
      t.match(JSON.stringify(first), /Desk: A guest/)
      t.match(JSON.stringify(first), new RegExp(link.replace('?', '\\?')))
    },
  )
}

t.test('decision 19: a message to the chat is sent at most once, a mail in doubt is sent again', async (t) => {
  const chat = await open(t, 'chathook', {}, { limits: { callMs: 1_500 } })
  chat.fault({ kind: 'noAnswer', times: 1 })
  t.match(await chat.run('notify.team', words), { outcome: { state: 'unknown' } })
  t.match(await chat.run('notify.team', words, { isRepeat: true }), { outcome: { state: 'unknown' } })
  t.equal(chat.sent().length, 1)

  const mail = await open(t, 'sendgrid', {}, { limits: { callMs: 1_500 } })
  mail.fault({ kind: 'noAnswer', times: 1 })
  t.match(await mail.run('notify.team', words), { outcome: { state: 'ok' } })
  t.equal(mail.sent().length, 2)
  mail.fault({ kind: 'noAnswer' })
  t.match(await mail.run('notify.team', words), { outcome: { state: 'unknown' } })
  t.equal(mail.sent().length, 2 + limits.idempotentAttempts)
})

t.test('decision 19: a provider that slows down is asked again; one that refuses is not', async (t) => {
  const { run, sent, fault } = await open(t, 'mailgun')
  fault({ kind: 'rateLimited', retryAfterSeconds: 0, times: 2 })
  t.match(await run('notify.team', words), { outcome: { state: 'ok' } })
  fault({ kind: 'unauthorized', times: 1 })
  t.match(await run('notify.team', words), {
    outcome: { state: 'failed', reason: 'The mail provider answered with status 401.' },
  })
  t.equal(sent().length, 1)
})

t.test('R47: a key of another region is tried there', async (t) => {
  const asked: string[] = []
  const call = async ({ url }: { readonly url: string }) => {
    asked.push(url)
    const status = url.includes('.eu.') ? 202 : 401
    return { ok: true, status, body: new Uint8Array(), isCut: false } as const
  }
  const { run } = await open(t, 'mailgun', {}, { egress: { call } })
  t.match(await run('notify.team', words), { outcome: { state: 'ok' } })
  t.match(asked, [/^https:\/\/api\.mailgun\.net\/v3\/sandbox/, /^https:\/\/api\.eu\.mailgun\.net\/v3\/sandbox/])
})

t.test('R47: without an operator, an account or a key the team cannot be notified', async (t) => {
  const sentence = { outcome: { state: 'failed', reason: 'Notifications to the team are not set up for the agent.' } }
  const { run, setDocument, tx: _tx } = await open(t, 'sendgrid')
  for (const notifications of [
    undefined,
    { operator: { provider: 'slack' as const } },
    { operator: { provider: 'email' as const, toAddress: 'team@harbor.example' } },
  ]) {
    setDocument({ ...(notifications && { notifications }) })
    t.match(await run('notify.team', words), sentence)
  }
})

t.test('R57: in the sandbox the team is not alerted, and what it would have read is captured', async (t) => {
  const chat = await open(t, 'chathook')
  t.match(await chat.run('notify.team', words, {}, { sandbox: true }), {
    outcome: { state: 'captured', result: { captured: true } },
    effects: [
      {
        kind: 'notify',
        summary: 'Alerts the team.',
        payload: { provider: 'slack', text: /breakfast(.|\n)*userId=as_1/ },
      },
    ],
  })
  const mail = await open(t, 'mailgun')
  const captured = await mail.run('notify.team', words, {}, { sandbox: true })
  t.match(captured, { effects: [{ kind: 'notify', payload: { provider: 'email', to: 'team@harbor.example' } }] })
  t.notOk(JSON.stringify(captured).includes(mail.secret))
  t.same([...chat.sent(), ...mail.sent()], [])
})

t.test('R47: no secret of the team is in an outcome, even of a call that fails', async (t) => {
  const receiver = await openReceiver(t)
  const url = receiver.url('/services/T1/B1/the-secret-part')
  const fixture = createToolsFixture(t, { document: { notifications: { operator: { provider: 'slack' } } } })
  await fixture.setSecrets('notifications', '', { slackWebhookUrl: url })
  for (const status of [200, 302, 404, 500]) {
    receiver.setBehavior('/services/T1/B1/the-secret-part', answer(status))
    t.notMatch(JSON.stringify(await fixture.run('notify.team', words)), /the-secret-part/)
  }
  await fixture.setSecrets('notifications', '', { slackWebhookUrl: 'http://127.0.0.1:1/the-secret-part' })
  t.notMatch(JSON.stringify(await fixture.run('notify.team', words)), /the-secret-part/)
})

t.test('decision 19: of more than 2,000 characters the team reads the first 2,000', async (t) => {
  const { run, sent } = await open(t, 'chathook')
  await run('notify.team', { text: `${'x'.repeat(2_000)}y` })
  t.match(sent()[0]?.text, /^x{2000}\n\n/)
})

t.test('decision 22: mail of other areas is sent, has failed, is for later, or has no provider', async (t) => {
  const agent = { orgId: 'demo', agentId: 'ada' }
  const mail = {
    to: ['a@harbor.example', 'b@harbor.example'],
    subject: 'Booked\r\nBcc: x@y.example',
    text: 'At ten.',
    messageId: 'ap_1/booked',
  }
  const { sendMail, sent, fault, setDocument, setUnavailable } = await open(
    t,
    'sendgrid',
    {},
    { limits: { callMs: 1_500 } },
  )
  t.equal(await sendMail(agent, mail), 'sent')
  t.match(sent()[0], {
    subject: 'Booked Bcc: x@y.example',
    personalizations: [{ to: [{ email: 'a@harbor.example' }, { email: 'b@harbor.example' }] }],
  })
  fault({ kind: 'unauthorized', times: 1 })
  t.equal(await sendMail(agent, mail), 'failed')
  fault({ kind: 'serverError', times: 1 })
  t.equal(await sendMail(agent, mail), 'later')
  fault({ kind: 'rateLimited', retryAfterSeconds: 3_600, times: 1 })
  t.equal(await sendMail(agent, mail), 'later')
  fault({ kind: 'noAnswer', times: limits.idempotentAttempts })
  t.equal(await sendMail(agent, mail), 'later')
  t.equal(await sendMail(agent, mail, { signal: AbortSignal.abort() }), 'later')
  setDocument({})
  t.equal(await sendMail(agent, mail), 'notConfigured')
  t.equal(await sendMail({ ...agent, agentId: 'gone' }, mail), 'failed')
  setUnavailable()
  t.equal(await sendMail(agent, mail), 'later')
})
