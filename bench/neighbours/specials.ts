/** Calls that no route table tells of: bodies that are taken, and what hangs on the order of calls. */
import { createPrivateKey } from 'node:crypto'
import type { Setting } from './setting.js'

type Send = (plane: 'mgmt' | 'gateway', method: string, path: string, type: string, body: Buffer) => Promise<number>

interface Special {
  readonly name: string
  readonly run: () => Promise<unknown>
}

/** Its numbers are none that a key is made of; what counts is how long they are. */
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

const some = <T>(count: number, make: (nth: number) => T) => Array.from({ length: count }, (_, nth) => make(nth))
const agent = '/v1/orgs/{org}/agents/{agent}'

export function specials({ urls, key, params }: Setting, send: Send): Special[] {
  const put = (path: string, value: unknown, type = 'application/json') =>
    send('mgmt', 'PUT', agent + path, type, Buffer.from(JSON.stringify(value)))
  const facts = some(5_000, (nth) => ({ id: `f${nth}`, question: `Q ${nth}`.padEnd(300), answer: 'A'.repeat(1_000) }))
  const things = (letter: string) =>
    some(5_000, (nth) => ({ id: `t${nth}`, name: `T ${nth}`, description: letter.repeat(1_400), metadata: { a: 'b' } }))
  const url = (path: string) => `${urls.mgmt}${agent.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)}${path}`
  const read = async (path: string) =>
    (await fetch(url(path), { headers: { authorization: `Bearer ${key}` } })).arrayBuffer()
  let exported = Buffer.alloc(0)
  return [
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
