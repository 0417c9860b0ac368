/** A node whose operator has set up a real provider, with an agent on it. */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { emptyDocument } from '../../../core/agent/index.js'
import { createConnections } from '../../../mgmt/connections/index.js'
import type { AccessTokens } from '../../../mgmt/connections/tokens.js'
import { webhookCommands } from '../../../mgmt/webhooks/commands.js'
import { readConfig } from '../../../runtime/config/config.js'
import { openEgress } from '../../../runtime/node/egress.js'
import { createLog } from '../../../runtime/observe/log.js'
import { loadOrCreateSecretKey } from '../../../runtime/secrets/rootkey.js'
import { newRootSecrets } from '../../../runtime/secrets/rootsecrets.js'
import { createSealer } from '../../../runtime/secrets/sealer.js'
import { createSemaphore } from '../../../runtime/semaphore.js'
import { waitUntil } from '../../harness/clock.js'
import { openTestNode, type Response, type TestNode } from '../../harness/node.js'
import { createManualTime } from '../../harness/time.js'
import { clientId, clientSecret, type LocalProvider, openProvider } from '../../runtime/oauth/provider.js'
import { createAgentStub } from '../agentstub.js'

export const calendar = '@svc/tool.calendar'
export const returnTo = 'https://console.example/settings?tab=tools'
const toolPath = `/v1/orgs/demo/agents/nova/tools/${encodeURIComponent(calendar)}/oauth`

export interface OrgEvent {
  readonly type: string
  readonly agentId?: string
  readonly data: Readonly<Record<string, string>>
}

export interface ConnectionFixture {
  readonly node: TestNode
  readonly provider: LocalProvider
  call(method: string, path: string, json?: unknown, token?: string): Promise<Response>
  /** Below the one tool of the one agent. */
  tool(method: string, path: string, json?: unknown): Promise<Response>
  /** A sign-in for the calendar up to where the browser is sent back. */
  signIn(body?: object, account?: string, agrees?: boolean): Promise<URL>
  /** The same for a connection of the org. */
  signInOrg(body?: object, account?: string): Promise<URL>
  /** The browser comes back. */
  returnToCallback(url: URL): Promise<Response>
  /** A connection that works, by its id. */
  connect(body?: object, account?: string): Promise<string>
  /** The events of those sign-ins that the org's webhook got, once there are that many. */
  events(count: number, of: (event: OrgEvent) => boolean): Promise<OrgEvent[]>
  /** The token port of one more process, for code that acts with the sign-ins. */
  createTokenPort(): AccessTokens
  /** Everything that was ever answered or logged. */
  everythingText(): string
}

export async function openConnectionFixture(
  t: Test,
  options: { readonly seconds?: number } = {},
): Promise<ConnectionFixture> {
  const provider = await openProvider(t, options)
  const dir = mkdtempSync(join(tmpdir(), 'parley-oauth-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const account = { issuer: provider.issuer, clientId, clientSecret, scopes: ['openid', 'email', 'offline_access'] }
  const parameters = { authorizationParameters: { prompt: 'consent' } }
  writeFileSync(join(dir, 'providers.json'), JSON.stringify({ calendar: { ...account, ...parameters } }))
  const env = {
    PARLEY_OAUTH_PROVIDERS: join(dir, 'providers.json'),
    PARLEY_OAUTH_RETURN_HOSTS: 'console.example,localhost:3000',
    PARLEY_ALLOW_PRIVATE_URLS: 'true',
  }
  // Hours pass here in one leap: nothing on the way is of any interest.
  const time = createManualTime()
  const node = await openTestNode({ env, clock: { ...time.process(), advance: time.advance } })
  t.teardown(() => node.close())
  const answers: Response[] = []

  async function call(method: string, path: string, json?: unknown, token = node.key): Promise<Response> {
    const answer = await node.mgmt(method, `/v1${path}`, { token, ...(json !== undefined && { json }) })
    answers.push(answer)
    return answer
  }
  const tool: ConnectionFixture['tool'] = (method, path, json) => call(method, toolPath.slice(3) + path, json)

  await call('POST', '/orgs/demo/agents', { name: 'Nova', id: 'nova' })
  const listener = { url: 'http://127.0.0.1:9/', events: ['connection.status_changed'] }
  const { id: webhookId } = (await call('POST', '/orgs/demo/webhooks', listener)).json

  const fixture: ConnectionFixture = {
    node,
    provider,
    call,
    tool,
    async signIn(body = {}, account, agrees) {
      const started = await tool('POST', '/start', body)
      return provider.signIn(started.json.authorizationUrl, account, agrees)
    },
    async signInOrg(body = {}, account) {
      const started = await call('POST', '/orgs/demo/connections/calendar/_start', body)
      return provider.signIn(started.json.authorizationUrl, account)
    },
    async returnToCallback(url) {
      const answer = await node.mgmt('GET', url.pathname + url.search)
      answers.push(answer)
      return answer
    },
    async connect(body = {}, account) {
      const answer = await fixture.returnToCallback(await fixture.signInOrg({ ...body, returnTo }, account))
      return new URL(String(answer.headers.location)).searchParams.get('connectionId')!
    },
    async events(count, of) {
      let events: OrgEvent[] = []
      await waitUntil(async () => {
        const { data } = (await call('GET', `/orgs/demo/webhooks/${webhookId}/deliveries?limit=200`)).json
        events = data.map(({ event }: { event: OrgEvent }) => event).filter(of)
        return events.length >= count
      }, node.clock)
      return events
    },
    createTokenPort() {
      const read = readConfig(env)
      if ('problems' in read) throw new Error(read.problems.join('\n'))
      const { key } = loadOrCreateSecretKey(node.dir, undefined)
      const { log } = createLog({
        destination: { write: (line) => node.logged.push(JSON.parse(line)) },
        now: node.clock.now,
      })
      const egress = openEgress({
        config: read.config,
        slots: createSemaphore({ max: 100, maxPerKey: 100 }),
        clock: node.clock,
        mgmtUrl: () => 'http://mgmt.test',
        gatewayUrl: () => 'http://gateway.test',
      })
      const connections = createConnections({
        orgEvent: webhookCommands({ timeScale: 1 }).enqueue,
        agents: createAgentStub(() => emptyDocument),
        provider: egress.oauth,
        returnRules: { hosts: [], allowHttp: true },
        secrets: newRootSecrets(),
        randomBytes,
        clock: node.clock,
        log,
      })
      t.teardown(egress.close)
      return connections.tokens({ shards: node.node.engine, sealer: createSealer(key, node.node.engine) })
    },
    everythingText: () => JSON.stringify([answers.map(({ text, headers }) => [text, headers]), node.logged]),
  }
  return fixture
}
