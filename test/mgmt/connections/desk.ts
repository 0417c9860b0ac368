/** A node whose operator has set up a real provider, with an agent on it. */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { emptyDocument } from '../../../core/agent/index.js'
import { createConnections } from '../../../mgmt/connections/index.js'
import type { TokenDoor } from '../../../mgmt/connections/tokens.js'
import { webhookCommands } from '../../../mgmt/webhooks/commands.js'
import { readConfig } from '../../../runtime/config.js'
import { openEgress } from '../../../runtime/node/egress.js'
import { openLog } from '../../../runtime/observe/log.js'
import { createSemaphore } from '../../../runtime/semaphore.js'
import { newRootSecrets } from '../../../runtime/store/rootsecrets.js'
import { openSealer } from '../../../runtime/store/sealer.js'
import { readOrMakeSecretKey } from '../../../runtime/store/secretkey.js'
import { until } from '../../harness/clock.js'
import { openTestNode, type Response, type TestNode } from '../../harness/node.js'
import { standingTime } from '../../harness/time.js'
import { clientId, clientSecret, type LocalProvider, openProvider } from '../../runtime/oauth/provider.js'
import { agentsBefore } from '../areas.js'

export const calendar = '@svc/tool.calendar'
export const returnTo = 'https://console.example/settings?tab=tools'
const toolPath = `/v1/orgs/demo/agents/nova/tools/${encodeURIComponent(calendar)}/oauth`

export interface Told {
  readonly type: string
  readonly agentId?: string
  readonly data: Readonly<Record<string, string>>
}

export interface ConnectionDesk {
  readonly node: TestNode
  readonly provider: LocalProvider
  call(method: string, path: string, json?: unknown, token?: string): Promise<Response>
  /** Below the one tool of the one agent. */
  tool(method: string, path: string, json?: unknown): Promise<Response>
  /** A sign-in for the calendar up to where the browser is sent back. */
  signedIn(body?: object, account?: string, agrees?: boolean): Promise<URL>
  /** The same for a connection of the org. */
  signedInFor(body?: object, account?: string): Promise<URL>
  /** The browser comes back. */
  back(url: URL): Promise<Response>
  /** A connection that works, by its id. */
  connected(body?: object, account?: string): Promise<string>
  /** What the org's webhook was told of those sign-ins, once there are that many. */
  events(count: number, of: (event: Told) => boolean): Promise<Told[]>
  /** The door of one more process, for whoever acts with the sign-ins. */
  door(): TokenDoor
  /** Everything that was ever answered or logged. */
  said(): string
}

export async function openConnectionDesk(
  t: Test,
  options: { readonly seconds?: number } = {},
): Promise<ConnectionDesk> {
  const provider = await openProvider(t, options)
  const dir = mkdtempSync(join(tmpdir(), 'parley-oauth-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const account = { issuer: provider.issuer, clientId, clientSecret, scopes: ['openid', 'email', 'offline_access'] }
  const asked = { authorizationParameters: { prompt: 'consent' } }
  writeFileSync(join(dir, 'providers.json'), JSON.stringify({ calendar: { ...account, ...asked } }))
  const env = {
    PARLEY_OAUTH_PROVIDERS: join(dir, 'providers.json'),
    PARLEY_OAUTH_RETURN_HOSTS: 'console.example,localhost:3000',
    PARLEY_ALLOW_PRIVATE_URLS: 'true',
  }
  // Hours pass here in one leap: nothing on the way is of any interest.
  const time = standingTime()
  const node = await openTestNode({ env, clock: { ...time.process(), advance: time.advance } })
  t.teardown(() => node.close())
  const answers: Response[] = []

  async function call(method: string, path: string, json?: unknown, token = node.key): Promise<Response> {
    const answer = await node.mgmt(method, `/v1${path}`, { token, ...(json !== undefined && { json }) })
    answers.push(answer)
    return answer
  }
  const tool: ConnectionDesk['tool'] = (method, path, json) => call(method, toolPath.slice(3) + path, json)

  await call('POST', '/orgs/demo/agents', { name: 'Nova', id: 'nova' })
  const listener = { url: 'http://127.0.0.1:9/', events: ['connection.status_changed'] }
  const { id: webhookId } = (await call('POST', '/orgs/demo/webhooks', listener)).json

  const desk: ConnectionDesk = {
    node,
    provider,
    call,
    tool,
    async signedIn(body = {}, account, agrees) {
      const begun = await tool('POST', '/start', body)
      return provider.signIn(begun.json.authorizationUrl, account, agrees)
    },
    async signedInFor(body = {}, account) {
      const begun = await call('POST', '/orgs/demo/connections/calendar/_start', body)
      return provider.signIn(begun.json.authorizationUrl, account)
    },
    async back(url) {
      const answer = await node.mgmt('GET', url.pathname + url.search)
      answers.push(answer)
      return answer
    },
    async connected(body = {}, account) {
      const answer = await desk.back(await desk.signedInFor({ ...body, returnTo }, account))
      return new URL(String(answer.headers.location)).searchParams.get('connectionId')!
    },
    async events(count, of) {
      let found: Told[] = []
      await until(async () => {
        const { data } = (await call('GET', `/orgs/demo/webhooks/${webhookId}/deliveries?limit=200`)).json
        found = data.map(({ event }: { event: Told }) => event).filter(of)
        return found.length >= count
      }, node.clock)
      return found
    },
    door() {
      const read = readConfig(env)
      if ('problems' in read) throw new Error(read.problems.join('\n'))
      const { key } = readOrMakeSecretKey(node.dir, undefined)
      const { log } = openLog({ to: { write: (line) => node.logged.push(JSON.parse(line)) }, now: node.clock.now })
      const egress = openEgress({
        config: read.config,
        slots: createSemaphore({ most: 100, mostPerKey: 100 }),
        clock: node.clock,
        mgmtUrl: () => 'http://mgmt.test',
        gatewayUrl: () => 'http://gateway.test',
      })
      const connections = createConnections({
        orgEvent: webhookCommands({ timeScale: 1 }).enqueue,
        agents: agentsBefore(() => emptyDocument),
        provider: egress.oauth,
        returnRules: { hosts: [], allowHttp: true },
        secrets: newRootSecrets(),
        randomBytes,
        clock: node.clock,
        log,
      })
      t.teardown(egress.close)
      return connections.tokens({ shards: node.node.engine, sealer: openSealer(key, node.node.engine) })
    },
    said: () => JSON.stringify([answers.map(({ text, headers }) => [text, headers]), node.logged]),
  }
  return desk
}
