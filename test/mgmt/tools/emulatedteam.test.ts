/** The team of an agent at the emulated mail providers and chat of a node, which does not allow private addresses. */
import t, { type Test } from 'tap'
import { createEmulator } from '../../../runtime/emulator/emulator.js'
import { openToolsNode } from './toolsnode.js'

const words = { text: 'A guest asks for a room.' }

async function open(t: Test) {
  const emulator = createEmulator(Buffer.alloc(32, 7))
  await emulator.start()
  t.teardown(() => emulator.stop())
  const tools = await openToolsNode(t, { emulator, env: { PARLEY_ALLOW_PRIVATE_URLS: 'false' } })
  const account = (wire: 'sendgrid' | 'mailgun' | 'chathook') => {
    const { id, auth } = emulator.providers.accounts.register({ wire })!
    return {
      ...(auth as Record<'apiKey' | 'domain' | 'webhookUrl', string>),
      sent: () => emulator.providers.sent(0, { account: id }),
    }
  }
  return { ...tools, account }
}

t.test('R47: mail and chat reach the emulated providers, whose keys and addresses are theirs alone', async (t) => {
  const { manage, run, account, sendMail } = await open(t)
  const chat = account('chathook')
  await manage('PUT', '/notifications', { operator: { provider: 'slack' }, slackWebhookUrl: chat.webhookUrl })
  t.match(await run('notify.team', words), { state: 'ok' })
  t.match(chat.sent(), [{ body: { text: /^A guest asks/ } }])

  const operator = { provider: 'email', toAddress: 'team@harbor.example' }
  const fromAddress = 'desk@harbor.example'
  for (const provider of ['sendgrid', 'mailgun'] as const) {
    const { apiKey, domain, sent } = account(provider)
    const email = { provider, fromAddress, ...(provider === 'mailgun' && { mailgunDomain: domain }) }
    await manage('PUT', '/notifications', { operator, email, emailApiKey: apiKey })
    t.match(await run('notify.team', words), { state: 'ok' }, provider)
    const mail = { to: ['team@harbor.example'], subject: 'Booked', text: 'At ten.', messageId: 'ap_1' }
    t.equal(await sendMail({ orgId: 'demo', agentId: 'ada' }, mail), 'sent')
    t.equal(sent().length, 2)
  }
})

t.test('decision 17: an integration passes the URL guard, and no other address on loopback is called', async (t) => {
  const { manage, run } = await open(t)
  for (const url of ['http://127.0.0.1:9/in', 'https://127.0.0.1/in', 'https://10.0.0.7/in', 'https://localhost/in']) {
    await manage('PUT', '/integrations/crm', { description: 'Keeps guests.', endpoint: { url } })
    t.match(await run('integration:crm', {}), { state: 'failed', reason: /does not lead to a public address/ }, url)
  }
})
