/** A whole node without sockets, on real data in a folder of its own, for tests to inject requests into. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Role, type Scope, scopes } from '../../core/access.js'
import { isRefusal } from '../../core/errors.js'
import { keyCommands } from '../../mgmt/access/commands.js'
import { issueKey } from '../../mgmt/access/issue.js'
import { createOrg } from '../../mgmt/orgs/store.js'
import { webhookCommands } from '../../mgmt/webhooks/commands.js'
import { readConfig } from '../../runtime/config.js'
import type { Route } from '../../runtime/http/route.js'
import { openNode } from '../../runtime/node.js'
import { openLog } from '../../runtime/observe/log.js'
import type { Repertoire, Shards } from '../../runtime/shard/contract.js'
import { carried } from './carried.js'
import { type ManualClock, manualClock } from './clock.js'
import { type Inject, injectInto } from './inject.js'

export type { Response } from './inject.js'

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
  extraRepertoire?: Repertoire
  /** Stands between the node and its shards; by default everything is carried as it is to another process. */
  between?: <S extends Shards>(shards: S) => S
}

export async function openTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'parley-')))
  const clock = options.clock ?? manualClock()
  const logged: Record<string, unknown>[] = []
  const { log } = openLog({ to: { write: (line) => logged.push(JSON.parse(line)) }, now: clock.now })
  const env = { PARLEY_DATA_DIR: dir, PARLEY_ALLOW_PRIVATE_URLS: 'true', ...options.env }
  const read = readConfig(env)
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const { extraRoutes, extraRepertoire, between = carried } = options
  const node = await openNode(read.config, { clock, log, checkReplies: true, extraRoutes, extraRepertoire, between })
  node.reachableAt({ mgmt: 'http://mgmt.test', gateway: 'http://gateway.test' })
  const key = node.bootstrapped.key ?? ''
  await node.bootstrapped.shown?.()
  const mgmt = injectInto(node.planes.mgmt.serve)

  const commands = keyCommands(webhookCommands({ timeScale: 1 }).enqueue)

  async function keyWith(granted: readonly Scope[], orgId = node.bootstrapped.orgId): Promise<string> {
    const issuer = { shards: node.engine, commands, randomBytes }
    const made = await issueKey(issuer, { orgId, name: 'test', scopes: [...granted] })
    if (isRefusal(made)) throw new Error(made.refused)
    return made.key
  }

  return {
    key,
    clock,
    dir,
    node,
    logged,
    mgmt,
    gateway: injectInto(node.planes.gateway.serve),
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
