/** Where browsers are sent after a sign-in: to hosts of the list with exactly the outcome, and nowhere else. */
import fc from 'fast-check'
import t from 'tap'
import {
  providerReason,
  type ReturnRules,
  reasons,
  returnAddress,
  type SignInOutcome,
} from '../../../core/connections/outcome.js'

const rules: ReturnRules = { hosts: ['console.example', 'localhost:3000'], allowHttp: false }
const done: SignInOutcome = { oauthStatus: 'success', toolId: '@svc/tool.calendar' }

t.test('A listed return address gets its own query and exactly the outcome', async (t) => {
  const to = (address: string, outcome: SignInOutcome = done) => returnAddress(address, outcome, rules)
  const toolId = encodeURIComponent('@svc/tool.calendar')
  t.equal(to('https://console.example'), `https://console.example/?oauthStatus=success&toolId=${toolId}`)
  t.equal(
    to('https://console.example/a?tab=1#/tools'),
    `https://console.example/a?tab=1&oauthStatus=success&toolId=${toolId}#/tools`,
  )
  t.equal(
    to('https://console.example/a', { oauthStatus: 'success', connectionId: 'conn_1' }),
    'https://console.example/a?oauthStatus=success&connectionId=conn_1',
  )
  t.equal(
    to('https://console.example/?oauthStatus=success&connectionId=conn_9', {
      oauthStatus: 'error',
      reason: 'not_found',
    }),
    'https://console.example/?oauthStatus=error&reason=not_found',
    'an address cannot bring an outcome of its own',
  )
  t.equal(to('HTTPS://Console.Example:443/'), `https://console.example/?oauthStatus=success&toolId=${toolId}`)
})

t.test('Plain http is for development, and the port has to match', async (t) => {
  t.equal(returnAddress('http://localhost:3000/', done, rules), undefined)
  t.ok(returnAddress('http://localhost:3000/', done, { ...rules, allowHttp: true }))
  for (const address of ['http://localhost/', 'http://localhost:3001/', 'https://console.example:8443/']) {
    t.equal(returnAddress(address, done, { ...rules, allowHttp: true }), undefined, address)
  }
})

const tricks = [
  '',
  '/settings',
  '//evil.example',
  '//console.example',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'https:\\\\evil.example',
  'https://evil.example\\@console.example',
  'https://console.example\\.evil.example',
  'https://console.example@evil.example',
  'https://user@console.example',
  'https://user:word@console.example/',
  'https://console.example:pass@evil.example',
  'https://console.example.evil.example',
  'https://evilconsole.example',
  'https://console.example.',
  'https://evil.example/https://console.example',
  'https://evil.example#console.example',
  'https://evil.example?console.example',
  'https://console.example%2eevil.example',
  'https://console.example%00.evil.example',
  'https://console.example\t.evil.example',
  ' https://console.example',
  'https://console.example/\r\nset-cookie: a=b',
  'javascript:alert(1)//console.example',
  'data:text/html,console.example',
  'ftp://console.example/',
  'https://',
]

t.test('An address that only resembles a listed one is refused', async (t) => {
  for (const allowHttp of [false, true]) {
    for (const address of tricks) t.equal(returnAddress(address, done, { ...rules, allowHttp }), undefined, address)
  }
})

t.test('For any return address, URL parsers agree that its host is listed', async () => {
  const piece = fc.constantFrom(
    ...['https:', 'http:', '//', '/', '\\', '@', '#', '?', ':', '.', '%2e', '%40', '\t', ' ', '[', ']', '\u3002', 'ſ'],
    ...['console.example', 'evil.example', 'localhost:3000', 'user', '443', 'console', 'example'],
  )
  const address = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  const likely = fc
    .tuple(fc.constantFrom('https://', 'https:', 'http://'), address)
    .map(([scheme, rest]) => scheme + rest)
  fc.assert(
    fc.property(fc.oneof(address, likely), (text) => {
      const sent = returnAddress(text, done, { ...rules, allowHttp: true })
      if (sent === undefined) return true
      const { host, username, password, searchParams } = new URL(sent)
      const isListed = rules.hosts.includes(host) && username === '' && password === ''
      const isReported =
        searchParams.getAll('oauthStatus').join() === 'success' && searchParams.getAll('toolId').length === 1
      return isListed && isReported && /^https?:\/\/(console\.example|localhost:3000)[/?#]/.test(sent)
    }),
    { numRuns: 3_000 },
  )
})

t.test('Only known error codes of a provider pass, and none can imitate ours', async (t) => {
  t.equal(providerReason('access_denied'), 'access_denied')
  t.equal(providerReason('temporarily_unavailable'), 'temporarily_unavailable')
  for (const odd of ['', 'limit_reached', 'exchange_failed', '__proto__', 'toString', '<script>', 'ACCESS_DENIED']) {
    t.equal(providerReason(odd), 'provider_error', odd)
  }
  fc.assert(fc.property(fc.string(), (text) => Object.hasOwn(reasons, providerReason(text))))
  for (const [reason, sentence] of Object.entries(reasons)) {
    t.match(reason, /^[a-z_]+$/)
    t.match(sentence, /^[A-Z][^<>&"]+\.$/, 'a sentence that is safe in a page')
  }
})
