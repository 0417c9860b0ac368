/** A whole node without sockets, on real data in its own folder; tests inject requests. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Role, type Scope, scopes } from '../../core/access.js'
import { isRefusal } from '../../core/errors.js'
import { createKeyCommands } from '../../mgmt/access/commands.js'
import { issueKey } from '../../mgmt/access/issue.js'
import { createOrg } from '../../mgmt/orgs/store.js'
import { webhookCommands } from '../../mgmt/webhooks/commands.js'
import { readConfig } from '../../runtime/config/config.js'
import { type NodeContext, openNode } from '../../runtime/node/compose.js'
import { createLog } from '../../runtime/observe/log.js'
import { type ManualClock, manualClock } from './clock.js'
import { type Inject, injectInto } from './injection.js'
import { withSerialization } from './serialization.js'

export type { Response } from './injection.js'

export interface TestNode {
  readonly key: string
  readonly clock: ManualClock
  readonly dir: string
  readonly node: Awaited<ReturnType<typeof openNode>>
  /** The node's log lines as objects. */
  readonly logged: Record<string, unknown>[]
  mgmt: Inject
  gateway: Inject
  createKey(granted: readonly Scope[], orgId?: string): Promise<string>
  createSession(role: Role): Promise<string>
  makeOrg(orgId: string): Promise<void>
  close(): Promise<void>
}

type Injected = 'randomBytes' | 'extraRoutes' | 'extraModule' | 'wrapShards' | 'wrapAdapter' | 'wrapGateway'

/** By default the node serializes every command, as for another process. */
export interface TestNodeOptions extends Pick<NodeContext, Injected> {
  env?: Record<string, string>
  clock?: ManualClock
  dir?: string
}

export async function openTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const { clock = manualClock(), env = {}, dir: home, wrapShards = withSerialization, ...injected } = options
  const dir = home ?? (await mkdtemp(join(tmpdir(), 'parley-')))
  const logged: Record<string, unknown>[] = []
  const { log } = createLog({ destination: { write: (line) => logged.push(JSON.parse(line)) }, now: clock.now })
  const read = readConfig({ PARLEY_DATA_DIR: dir, PARLEY_ALLOW_PRIVATE_URLS: 'true', ...env })
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const node = await openNode(read.config, { ...injected, clock, log, wrapShards, checkReplies: true })
  node.setPublicUrls({ mgmt: 'http://mgmt.test', gateway: 'http://gateway.test' })
  const key = node.bootstrapResult.key ?? ''
  await node.bootstrapResult.markShown?.()
  const mgmt = injectInto(node.planes.mgmt.serve)

  const commands = createKeyCommands(webhookCommands({ timeScale: 1 }).enqueue)

  async function createKey(granted: readonly Scope[], orgId = node.bootstrapResult.orgId): Promise<string> {
    const issuer = { shards: node.engine, commands, randomBytes }
    const created = await issueKey(issuer, { orgId, name: 'test', scopes: [...granted] })
    if (isRefusal(created)) throw new Error(created.refused)
    return created.key
  }

  return {
    key,
    clock,
    dir,
    node,
    logged,
    mgmt,
    gateway: injectInto(node.planes.gateway.serve),
    createKey,
    async createSession(role) {
      const token = await createKey([...scopes])
      const { json } = await mgmt('POST', '/v1/session', { token, json: { role } })
      return json.idToken
    },
    async makeOrg(orgId) {
      await node.engine.execute(orgId, createOrg, { id: orgId, name: orgId })
    },
    async close() {
      await node.close()
      if (!home) await rm(dir, { recursive: true, force: true })
    },
  }
}
