/** Calls beyond the route tables: bodies that are accepted, and calls that depend on their order. */
import { createPrivateKey } from 'node:crypto'
import type { CallerSetup } from './fixtures.js'

type Send = (plane: 'mgmt' | 'gateway', method: string, path: string, type: string, body: Buffer) => Promise<number>

export interface ExtraCall {
  readonly name: string
  readonly run: () => Promise<unknown>
}

/** The numbers do not form a real key; only their length matters. */
function longKeyBinding(): unknown {
  const long = (bytes: number) => Buffer.alloc(bytes, 0xff).toString('base64url')
  const [n, half] = [long(2_048), long(1_024)]
  const jwk = { kty: 'RSA', e: 'AQAB', n, d: n, p: half, q: half, dp: half, dq: half, qi: half }
  const private_key = createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' })
  const serviceAccount = { client_email: 'a@b.example', private_key, token_uri: 'https://oauth2.googleapis.com/token' }
  return {
    channel: 'rcs',
    mode: 'unmanaged',
    provider: 'rbm',
    auth: { agentId: 'a', clientToken: 'b', serviceAccount },
  }
}

const times = <T>(count: number, make: (nth: number) => T) => Array.from({ length: count }, (_, nth) => make(nth))
const agent = '/v1/orgs/{org}/agents/{agent}'

/** Twenty patterns of each kind, none of which matches: no text contains the last letter. */
const costlyPatterns = [
  ...times(7, () => '/((a|aa){1,3}){1,3}c/'),
  ...times(7, () => '/(.*a){3}c/'),
  ...times(6, () => '/(a?){5}c/'),
]

/** Nearly the largest size that an agent's enabled rules may have together. */
export const costlyRules = times(18, (nth) => ({
  id: `r${nth}`,
  text: 'Never say it',
  action: 'flag',
  check: { kind: 'pattern', patterns: costlyPatterns },
}))

/** Texts on which other renderers take quadratic time, each as long as a call may be. */
const longTexts: readonly (readonly [name: string, unit: string])[] = [
  ['one word', 'a'],
  ['one word beyond ASCII', 'é'],
  ['marks', '*a '],
  ['links', '[a](https://a.b) '],
  ['a list', '- a\n'],
  ['right to left', 'ש'],
]

export function extraCalls({ urls, key, talker, params }: CallerSetup, send: Send): ExtraCall[] {
  const callGateway = async (path: string, value: unknown) => {
    const headers = { authorization: `Bearer ${talker.token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${urls.gateway}/v4${path}`, { method: 'POST', headers, body: JSON.stringify(value) })
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  const text = { type: 'text', text: 'a'.repeat(3_999) }
  const message = (parts: number) => ({ spec: 'amf/1', parts: times(parts, () => text) })
  const put = (path: string, value: unknown, type = 'application/json') =>
    send('mgmt', 'PUT', agent + path, type, Buffer.from(JSON.stringify(value)))
  const facts = times(5_000, (nth) => ({ id: `f${nth}`, question: `Q ${nth}`.padEnd(300), answer: 'A'.repeat(1_000) }))
  const things = (letter: string) =>
    times(5_000, (nth) => ({
      id: `t${nth}`,
      name: `T ${nth}`,
      description: letter.repeat(1_400),
      metadata: { a: 'b' },
    }))
  const url = (path: string) => `${urls.mgmt}${agent.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)}${path}`
  const read = async (path: string) =>
    (await fetch(url(path), { headers: { authorization: `Bearer ${key}` } })).arrayBuffer()
  let exported = Buffer.alloc(0)
  return [
    ...longTexts.map(([name, unit]) => ({
      name: `POST compile, ${name}`,
      run: () =>
        callGateway('/compile', {
          aml: unit.repeat(Math.floor(64_000 / Buffer.byteLength(JSON.stringify(unit).slice(1, -1)))),
        }),
    })),
    {
      name: 'PUT rules, as large as they may be',
      run: () =>
        send(
          'mgmt',
          'PUT',
          `/v1/orgs/{org}/agents/${talker.agentId}/rules`,
          'application/json',
          Buffer.from(JSON.stringify({ rules: costlyRules })),
        ),
    },
    {
      name: 'POST messages, ten that those rules judge',
      run: () => callGateway('/messages', { userId: talker.userId, messages: times(10, () => message(1)) }),
    },
    {
      name: 'POST messages, a long one that those rules judge',
      run: () => callGateway('/messages', { userId: talker.userId, messages: [message(15)] }),
    },
    { name: 'PUT facts, 5,000 that are taken', run: () => put('/knowledge/facts', { facts }) },
    { name: 'PUT facts, the same again', run: () => put('/knowledge/facts', { facts }) },
    { name: 'PUT things, 5,000 that are taken', run: () => put('/knowledge/things', { things: things('D') }) },
    { name: 'PUT things, all of them changed', run: () => put('/knowledge/things', { things: things('E') }) },
    { name: 'GET things, 5,000 of them', run: () => read('/knowledge/things') },
    { name: 'GET lint of that agent', run: () => read('/lint') },
    { name: 'GET export as JSON', run: () => read('/export?format=json') },
    {
      name: 'GET export as YAML',
      run: async () => {
        exported = Buffer.from(await read('/export'))
      },
    },
    {
      name: 'POST channels, an RSA key of 16,384 bits',
      run: () =>
        send('mgmt', 'POST', `${agent}/channels`, 'application/json', Buffer.from(JSON.stringify(longKeyBinding()))),
    },
    {
      name: 'POST import of that export',
      run: () => send('mgmt', 'POST', `${agent}/import`, 'application/yaml', exported),
    },
  ]
}
