/** The file of providers: what it may hold, and that a node does not start on one that cannot be used. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { oauth as limits } from '../../../core/limits/index.js'
import { readConfig } from '../../../runtime/config/config.js'
import { ProvidersUnusable, readProviders } from '../../../runtime/oauth/providers.js'
import { runToEnd } from '../../harness/process.js'

const dir = mkdtempSync(join(tmpdir(), 'parley-providers-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))
const file = join(dir, 'providers.json')

const secret = 'a-secret-that-no-message-repeats'
const whole = { issuer: 'https://id.example', clientId: 'parley', clientSecret: secret, scopes: ['openid'] }
const endpoints = {
  authorizationEndpoint: 'https://id.example/authorize',
  tokenEndpoint: 'https://id.example/token',
  clientId: 'parley',
  scopes: [],
}

function read(content: unknown, allowPrivate = false) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readProviders(file, { allowPrivate })
}

function problemOf(content: unknown): string {
  try {
    read(content)
  } catch (error) {
    t.ok(error instanceof ProvidersUnusable)
    return (error as Error).message
  }
  return 'none'
}

t.test('Without a file there are no providers, and with a file those that it names', async (t) => {
  t.equal(readProviders(undefined, { allowPrivate: false }).size, 0)
  t.same([...read({ calendar: whole, crm: endpoints }).keys()], ['calendar', 'crm'])
  t.same(read({ calendar: whole }).get('calendar'), whole)
  const more = {
    ...endpoints,
    issuer: 'https://id.example',
    revocationEndpoint: 'https://id.example/revoke',
    clientSecret: secret,
    clientAuthentication: 'client_secret_basic',
    authorizationParameters: { access_type: 'offline' },
    accountLabelClaim: 'team',
    scopes: ['openid'],
  }
  t.same(read({ sheets: more }).get('sheets'), more)
})

t.test('A fault is reported with the path of the field, and no secret is repeated', async (t) => {
  const wrong: readonly (readonly [unknown, string])[] = [
    ['{"calendar": {"clientSecret": "a-secret-that-no-message-repeats", oops', 'the file is not JSON'],
    [[], 'the file '],
    [{ calendar: 7 }, 'calendar '],
    [{ calendar: { ...whole, clientId: undefined } }, 'calendar.clientId is required'],
    [{ calendar: { ...whole, scopes: undefined } }, 'calendar.scopes is required'],
    [{ calendar: { ...whole, scopes: 'openid' } }, 'calendar.scopes '],
    [{ calendar: { ...whole, scopes: ['a b'] } }, 'calendar.scopes[0] '],
    [{ calendar: { ...whole, secret } }, 'calendar.secret is not a known field'],
    [{ calendar: { ...whole, clientSecret: `${secret}\n` } }, 'calendar.clientSecret '],
    [{ calendar: { ...whole, clientAuthentication: 'none' } }, 'calendar.clientAuthentication must be one of'],
    [{ 'My Calendar': whole }, 'My Calendar.is no name'],
    [{ calendar: { ...whole, issuer: undefined } }, 'calendar.issuer is required where there are no endpoints'],
    [{ calendar: { ...whole, issuer: 'http://id.example' } }, 'calendar.issuer must be an https URL'],
    [{ calendar: { ...whole, issuer: 'https://10.0.0.1' } }, 'calendar.issuer must name a public host'],
    [{ calendar: { ...whole, issuer: `https://u:${secret}@id.example` } }, 'calendar.issuer must not carry'],
    [{ calendar: { ...endpoints, tokenEndpoint: undefined } }, 'calendar.tokenEndpoint is required beside the other'],
    [{ calendar: { ...endpoints, scopes: ['openid'] } }, 'calendar.issuer is required for the scope openid'],
    [
      { calendar: { ...whole, revocationEndpoint: 'https://id.example/r' } },
      'calendar.revocationEndpoint needs the other endpoints',
    ],
    [
      { calendar: { ...whole, authorizationParameters: { redirect_uri: 'https://evil.example' } } },
      'calendar.authorizationParameters.redirect_uri is not for the file to say',
    ],
    [`"${'x'.repeat(limits.providersFileBytes)}"`, 'the file is too large'],
  ]
  for (const [content, problem] of wrong) {
    const problemText = problemOf(content)
    t.ok(problemText.startsWith(`PARLEY_OAUTH_PROVIDERS: ${problem}`), problemText)
    t.notOk(problemText.includes(secret))
  }
  t.throws(() => readProviders(join(dir, 'none.json'), { allowPrivate: false }), /cannot be read \(ENOENT\)/)
  t.ok(read({ calendar: { ...whole, issuer: 'http://127.0.0.1:9' } }, true), 'development may use plain http')
})

t.test('A node does not start on an invalid file, and names the field with exit code 2', async (t) => {
  writeFileSync(file, JSON.stringify({ calendar: { ...whole, issuer: undefined } }))
  const { code, stderr, stdout } = await runToEnd({ PARLEY_DATA_DIR: dir, PARLEY_OAUTH_PROVIDERS: file })
  t.equal(code, 2)
  t.match(stderr, /PARLEY_OAUTH_PROVIDERS: calendar\.issuer is required where there are no endpoints\./)
  t.notOk(`${stdout}${stderr}`.includes(secret))
})

t.test('Return hosts are parsed as in addresses', async (t) => {
  const hosts = (text: string) => {
    const config = readConfig({ PARLEY_OAUTH_RETURN_HOSTS: text })
    return 'config' in config ? config.config.oauthReturnHosts : config.problems.join()
  }
  t.same(hosts('Console.Example, localhost:3000,[::1]:8080,a.example:443'), [
    'console.example',
    'localhost:3000',
    '[::1]:8080',
    'a.example',
  ])
  for (const bad of ['https://console.example', 'a/b', 'u@a.example', 'a b', 'a,,b', '\\a', ':80', 'a:99999']) {
    t.match(hosts(bad), /PARLEY_OAUTH_RETURN_HOSTS is .* It wants host names/, bad)
  }
})
