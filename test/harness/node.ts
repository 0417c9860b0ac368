/** A whole node without sockets, on real data in a folder of its own, for tests to inject requests into. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Role, type Scope, scopes } from '../../core/access.js'
import { isRefusal } from '../../core/errors.js'
import { hashKey, makeKey } from '../../mgmt/access/keys.js'
import { createKey } from '../../mgmt/access/store.js'
import { createOrg } from '../../mgmt/orgs/store.js'
import { readConfig } from '../../runtime/config.js'
import { type Incoming, writeHeaders } from '../../runtime/http/exchange.js'
import type { Plane, Route } from '../../runtime/http/route.js'
import { openNode } from '../../runtime/node.js'
import { openLog } from '../../runtime/observe/log.js'
import { type ManualClock, manualClock } from './clock.js'

export interface Request {
  token?: string
  json?: unknown
  body?: string | Uint8Array
  headers?: Record<string, string>
}

export interface Response {
  status: number
  headers: Record<string, string>
  text: string
  /** The body as JSON; throws when it is not. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects and fails if it is not there.
  json: any
}

export type Inject = (method: string, path: string, request?: Request) => Promise<Response>

export interface TestNode {
  readonly key: string
  readonly clock: ManualClock
  readonly dir: string
  readonly node: Awaited<ReturnType<typeof openNode>>
  /** Lines that the node has logged, as objects. */
  readonly logged: Record<string, unknown>[]
  mgmt: Inject
  gateway: Inject
  keyWith(granted: readonly Scope[], orgId?: string): Promise<string>
  sessionAs(role: Role): Promise<string>
  makeOrg(orgId: string): Promise<void>
  close(): Promise<void>
}

export interface TestNodeOptions {
  env?: Record<string, string>
  clock?: ManualClock
  dir?: string
  extraRoutes?: readonly Route[]
}

export async function openTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'parley-')))
  const clock = options.clock ?? manualClock()
  const logged: Record<string, unknown>[] = []
  const { log } = openLog({ to: { write: (line) => logged.push(JSON.parse(line)) }, now: clock.now })
  const env = { PARLEY_DATA_DIR: dir, PARLEY_ALLOW_PRIVATE_URLS: 'true', ...options.env }
  const read = readConfig(env)
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const node = await openNode(read.config, { clock, log, checkReplies: true, extraRoutes: options.extraRoutes })
  node.reachableAt({ mgmt: 'http://mgmt.test', gateway: 'http://gateway.test' })
  const key = node.bootstrapped.key ?? ''
  const mgmt = injectInto(node, 'mgmt')

  async function keyWith(granted: readonly Scope[], orgId = node.bootstrapped.orgId): Promise<string> {
    const made = makeKey((count) => crypto.getRandomValues(new Uint8Array(count)))
    const input = { orgId, name: 'test', scopes: [...granted], prefix: 'sk-svc-test', hash: hashKey(made) }
    const record = await node.engine.ask(orgId, createKey, input)
    if (isRefusal(record)) throw new Error(record.refused)
    return made
  }

  return {
    key,
    clock,
    dir,
    node,
    logged,
    mgmt,
    gateway: injectInto(node, 'gateway'),
    keyWith,
    async sessionAs(role) {
      const token = await keyWith([...scopes])
      const { json } = await mgmt('POST', '/v1/session', { token, json: { role } })
      return json.idToken
    },
    async makeOrg(orgId) {
      await node.engine.ask(orgId, createOrg, { id: orgId, name: orgId })
    },
    async close() {
      await node.close()
      if (!options.dir) await rm(dir, { recursive: true, force: true })
    },
  }
}

function injectInto(node: Awaited<ReturnType<typeof openNode>>, plane: Plane): Inject {
  return async (method, target, request = {}) => {
    const [path = '', query = ''] = target.split('?', 2)
    const body = request.json === undefined ? (request.body ?? '') : JSON.stringify(request.json)
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const sent: Record<string, string> = { 'content-length': String(bytes.length), ...request.headers }
    if (request.json !== undefined) sent['content-type'] ??= 'application/json'
    if (request.token) sent.authorization ??= `Bearer ${request.token}`
    const incoming: Incoming = {
      method,
      path,
      query,
      header: (name) => sent[name] ?? '',
      body: async (limitBytes) => (bytes.length > limitBytes ? undefined : bytes),
      connection: { remoteAddress: () => '127.0.0.1', signal: new AbortController().signal },
    }
    const reply = await node.planes[plane].serve(incoming)
    const headers: Record<string, string> = {}
    writeHeaders(reply, (name, value) => {
      headers[name.toLowerCase()] = value
    })
    const text = await textOf(reply.body)
    return {
      status: reply.status,
      headers,
      text,
      get json() {
        return JSON.parse(text)
      },
    }
  }
}

async function textOf(body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? ''
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const piece of body) text += typeof piece === 'string' ? piece : Buffer.from(piece).toString()
  return text
}
