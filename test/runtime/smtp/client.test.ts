/** Mail through mail servers that operators name: over TLS only, each mail at most once, and nothing slips into it. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Mail, MailServer } from '../../../core/tools/mail.js'
import { systemClock } from '../../../runtime/clock.js'
import { composeMail, createSmtpClient, type SmtpRequest } from '../../../runtime/smtp/client.js'
import { account, type MailServerOptions, openMailServer } from './mailserver.js'

const mail: Mail = {
  to: ['ann@example.com'],
  subject: 'Your room',
  text: 'It is ready.\nWelcome!',
  messageId: 'abc@harbor.example',
}
const limits = { connectMs: 5_000, callMs: 10_000 }

async function open(
  t: Test,
  options: MailServerOptions = {},
  more: { readonly callMs?: number; readonly ca?: string } = {},
) {
  const server = await openMailServer(t, options)
  const { security = 'starttls' } = options
  const ca = more.ca ?? server.ca
  const send = createSmtpClient({ allowPrivate: true, clock: systemClock, ca, limits: { ...limits, ...more } })
  const request = (changes: Partial<SmtpRequest> = {}, at: Partial<MailServer> = {}): SmtpRequest => ({
    server: { host: 'localhost', port: server.port, security, ...account, ...at },
    from: { address: 'desk@harbor.example', name: 'Harbor Hotel' },
    mail,
    signal: new AbortController().signal,
    isStillOwner: () => true,
    ...changes,
  })
  return { ...server, send, request }
}

for (const security of ['tls', 'starttls'] as const) {
  for (const auth of ['PLAIN', 'LOGIN', 'PLAIN LOGIN'] as const) {
    t.test(`A mail over ${security} with ${auth} arrives as it was written`, async (t) => {
      const { send, request, accepted, clear } = await open(t, { security, auth })
      const replyTo = 'front@harbor.example'
      t.same(await send(request({ mail: { ...mail, replyTo, subject: 'Ihr Zimmer – schön! 😀'.repeat(4) } })), {
        kind: 'sent',
      })
      t.match(accepted, [
        {
          from: 'desk@harbor.example',
          to: ['ann@example.com'],
          headers: {
            from: 'Harbor Hotel <desk@harbor.example>',
            to: 'ann@example.com',
            'reply-to': 'front@harbor.example',
            subject: 'Ihr Zimmer – schön! 😀'.repeat(4),
            'message-id': '<abc@harbor.example>',
            date: /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/,
          },
          text: 'It is ready.\r\nWelcome!',
        },
      ])
      t.notMatch(clear.join(''), /AUTH|MAIL|cGFzcyBv/, 'and nothing of it was said in the clear')
    })
  }
}

t.test('A text with lines that would end a mail arrives whole', async (t) => {
  const { send, request, accepted } = await open(t)
  const text = 'One\r\n.\r\nMAIL FROM:<x@y.example>\r\n..\r\nTwo'
  t.same(await send(request({ mail: { ...mail, text } })), { kind: 'sent' })
  t.match(accepted, [{ from: 'desk@harbor.example', text }])
})

t.test('A mail to several addresses is sent to those that the server takes', async (t) => {
  const { send, request, accepted } = await open(t, { unknown: 'bob@example.com' })
  const to = ['ann@example.com', 'bob@example.com']
  t.same(await send(request({ mail: { ...mail, to } })), { kind: 'sent' })
  t.match(accepted, [{ to: ['ann@example.com'] }])
})

t.test(
  'What a server refuses for good has failed, what it refuses for now is not sent, and neither is accepted',
  async (t) => {
    const cases = [
      ['greeting', '554 No', 'failed'],
      ['greeting', '421 Later', 'unsent'],
      ['STARTTLS', '502 What?', 'failed'],
      ['AUTH', '535 No', 'failed'],
      ['AUTH', '454 Later', 'unsent'],
      ['MAIL', '550 No', 'failed'],
      ['RCPT', '550 Nobody', 'failed'],
      ['RCPT', '450 Busy', 'unsent'],
      ['DATA', '503 No', 'failed'],
      ['.', '552 Too long', 'failed'],
      ['.', '451 Later', 'unsent'],
    ] as const
    for (const [word, reply, kind] of cases) {
      const { send, request, accepted } = await open(t, { replies: { [word]: reply } })
      t.match(
        await send(request()),
        { kind, message: `The mail server answered ${reply.slice(0, 3)}.` },
        `${word} ${reply}`,
      )
      t.equal(accepted.length, 0)
    }
  },
)

t.test('A connection that ends before the mail leaves is not sent; one that ends after it is not known', async (t) => {
  for (const word of ['greeting', 'EHLO', 'AUTH', 'DATA']) {
    const { send, request } = await open(t, { replies: { [word]: 'reset' } })
    t.match(await send(request()), { kind: 'unsent' }, word)
  }
  for (const fault of ['reset', 'silence'] as const) {
    const { send, request } = await open(t, { replies: { '.': fault } }, { callMs: 1_500 })
    t.match(await send(request()), { kind: 'unknown' }, fault)
  }
  const silent = await open(t, { replies: { greeting: 'silence' } }, { callMs: 500 })
  t.match(await silent.send(silent.request()), { kind: 'unsent', message: 'The mail server did not answer in time.' })
})

t.test('A server that cannot prove its identity, or speaks ahead of TLS, never sees the password', async (t) => {
  const other = await openMailServer(t)
  const untrusted = await open(t, {}, { ca: other.ca })
  t.match(await untrusted.send(untrusted.request()), { kind: 'unsent', message: /prove its identity over TLS/ })
  const wrongName = await open(t)
  t.match(await wrongName.send(wrongName.request({}, { host: 'ip6-localhost' })), { kind: 'unsent' })
  const injecting = await open(t, { injected: '250 AUTH PLAIN\r\n' })
  await injecting.send(injecting.request())
  t.equal(untrusted.accepted.length, 0)
  for (const { clear } of [untrusted, injecting]) t.notMatch(clear.join(''), /AUTH/)
})

t.test('A server that says what is not understood, or without an end, is left', async (t) => {
  for (const reply of ['hello', `220-${'x'.repeat(100_000)}`]) {
    const { send, request } = await open(t, { replies: { greeting: reply } })
    t.match(await send(request()), { kind: 'unsent', message: /not understood|more than is read/ })
  }
})

t.test('Without private addresses the guard decides where mail servers may be, and on which ports', async (t) => {
  const resolve = async () => ['127.0.0.1']
  const send = createSmtpClient({ allowPrivate: false, clock: systemClock, resolve, limits })
  const { request } = await open(t)
  t.match(await send(request({}, { host: 'mail.example.com', port: 25_000 })), { kind: 'failed', message: /port/ })
  t.match(await send(request({}, { host: 'mail.example.com', port: 587 })), {
    kind: 'unsent',
    message: /public address/,
  })
  t.match(await send(request({}, { host: 'localhost', port: 587 })), { kind: 'unsent', message: /public address/ })
})

t.test('Nothing leaves once the process does not own the conversation, or stops', async (t) => {
  const { send, request, accepted } = await open(t)
  t.match(await send(request({ isStillOwner: () => false })), { kind: 'failed' })
  t.match(await send(request({ signal: AbortSignal.abort() })), { kind: 'failed' })
  const stopping = new AbortController()
  const silent = await open(t, { replies: { greeting: 'silence' } })
  setTimeout(() => stopping.abort(), 50)
  t.match(await silent.send(silent.request({ signal: stopping.signal })), {
    kind: 'failed',
    message: /stopped on our side/,
  })
  t.equal(accepted.length, 0)
})

t.test('Whatever stands in the fields of a mail, it adds no header and no address', async (t) => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('a\r\nBcc: x@y.example', '.\r\n', '\r\n.\r\n', 'x\ny', '=?UTF-8?B?', '\u0000', '<a>\r\nX: y'),
  )
  const allowed = new Set([
    ...['From', 'To', 'Reply-To', 'Subject', 'Date', 'Message-ID'],
    ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding'],
  ])
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, hostile, async (name, subject, text, address) => {
      const from = { address: 'desk@harbor.example', name }
      const composed = composeMail(from, { ...mail, to: [address], subject, text, replyTo: address }, 0)
      const formatted = String(await composed.build())
      const [head = ''] = formatted.split('\r\n\r\n')
      const names = head.split(/\r\n(?! )/).map((line) => line.slice(0, line.indexOf(':')))
      const isWhole = names.every((each) => allowed.has(each)) && new Set(names).size === names.length
      const { to } = composed.getEnvelope()
      return isWhole && !/[^\r]\n|\r[^\n]/.test(head) && to.length <= 1 && !/\s/.test(to.join())
    }),
  )
  t.pass()
})
