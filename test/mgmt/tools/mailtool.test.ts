/** The mail tool of the catalog (decision 14): one mail through the mail server of the business. */
import t, { type Test } from 'tap'
import { binding } from '../../core/tools/document.js'
import { account, type MailServerOptions, openMailServer } from '../../runtime/smtp/mailserver.js'
import { createToolsFixture } from './fixture.js'

const toolId = '@svc/tool.mail'
const given = { to: 'ann@example.com', subject: 'Your\nroom', text: 'It is ready.', replyTo: 'front@harbor.example' }

async function open(t: Test, options: MailServerOptions = {}) {
  const server = await openMailServer(t, options)
  const config = {
    ...{ host: 'localhost', port: server.port, username: account.username },
    ...{ fromAddress: 'desk@harbor.example', fromName: 'Harbor', recipients: 'anyone' },
  }
  const fixture = createToolsFixture(t, {
    document: { toolBindings: [binding(toolId, config)] },
    smtp: { ca: server.ca },
  })
  await fixture.setSecrets('toolBindings', toolId, { password: account.password })
  return { ...server, run: (...more: object[]) => fixture.run(`tool:${toolId}`, given, ...(more as [])) }
}

t.test('decision 14: the mail tool sends through the mail server of its config', async (t) => {
  const { run, accepted } = await open(t)
  t.same(await run(), { outcome: { state: 'ok', result: { sent: true } } })
  t.match(accepted, [
    {
      ...{ from: 'desk@harbor.example', to: ['ann@example.com'], text: 'It is ready.' },
      headers: {
        ...{ from: 'Harbor <desk@harbor.example>', subject: 'Your room', 'reply-to': 'front@harbor.example' },
        'message-id': /^<[0-9a-f]{32}@harbor\.example>$/,
      },
    },
  ])
})

t.test('decision 18: a mail in doubt is not sent again; one that was turned away for now is', async (t) => {
  const cut = await open(t, { replies: { '.': 'reset' } })
  t.match(await cut.run(), { outcome: { state: 'unknown', reason: /^It is not known whether Mail did/ } })
  t.match(await cut.run({ isRepeat: true }), { outcome: { state: 'unknown', reason: /not repeated/ } })
  const busy = await open(t, { replies: { RCPT: '450 Busy' } })
  t.match(await busy.run(), {
    outcome: { state: 'failed', reason: 'Mail did not send. The mail server answered 450.' },
  })
  const refused = await open(t, { replies: { AUTH: '535 No' } })
  const seen = await refused.run()
  t.match(seen, { outcome: { state: 'failed', reason: 'Mail did not send. The mail server answered 535.' } })
  t.notMatch(JSON.stringify(seen), account.password)
})

t.test('R57: in the sandbox the mail is captured', async (t) => {
  const { run, accepted } = await open(t)
  const captured = await run({}, { sandbox: true })
  t.match(captured, {
    outcome: { state: 'captured' },
    effects: [{ kind: 'mail', summary: 'Sends a mail.', payload: { from: 'desk@harbor.example', ...given } }],
  })
  t.notMatch(JSON.stringify(captured), account.password)
  t.equal(accepted.length, 0)
})
