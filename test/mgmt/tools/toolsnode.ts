/** A node with an agent, and the tools of one more process of that node, as the runtime opens them. */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { emptyDocument } from '../../../core/agent/index.js'
import type { ToolOutcome } from '../../../core/tools/contract.js'
import { createDocuments } from '../../../mgmt/agents/documentoperations.js'
import { createConnections } from '../../../mgmt/connections/index.js'
import { createPeople } from '../../../mgmt/people/index.js'
import { createTools } from '../../../mgmt/tools/index.js'
import { webhookCommands } from '../../../mgmt/webhooks/commands.js'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import { type EgressOptions, openEgress } from '../../../runtime/node/egress.js'
import { createLog } from '../../../runtime/observe/log.js'
import { loadOrCreateSecretKey } from '../../../runtime/secrets/rootkey.js'
import { newRootSecrets } from '../../../runtime/secrets/rootsecrets.js'
import { createSealer } from '../../../runtime/secrets/sealer.js'
import { createSemaphore } from '../../../runtime/semaphore.js'
import { openTestNode } from '../../harness/node.js'
import { createAgentStub } from '../agentstub.js'
import { context } from './fixture.js'

export interface ToolsNodeOptions extends Pick<EgressOptions, 'emulator'> {
  readonly env?: Record<string, string>
}

/** `options` may bring the emulator of the node, and its environment. */
export async function openToolsNode(t: Test, { env = {}, ...given }: ToolsNodeOptions = {}) {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const { engine } = node.node
  const read = readConfig({ PARLEY_ALLOW_PRIVATE_URLS: 'true', ...env })
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const urls = { mgmtUrl: () => 'http://mgmt.test', gatewayUrl: () => 'http://gateway.test' }
  const slots = createSemaphore({ max: 100, maxPerKey: 100 })
  const clock = systemClock
  const egress = openEgress({ config: read.config, slots, clock, ...urls, ...given })
  t.teardown(egress.close)
  const orgEvent = webhookCommands({ timeScale: 1 }).enqueue
  const documents = createDocuments({ orgEvent })
  const agents = { ...createAgentStub(() => emptyDocument), documents }
  const { log } = createLog({ destination: { write: () => true }, now: clock.now })
  const connections = createConnections({
    ...{ orgEvent, agents, provider: egress.oauth, returnRules: { hosts: [], allowHttp: true } },
    ...{ secrets: newRootSecrets(), randomBytes, clock, log },
  })
  const conversations = { asidOf: () => 'as_2', consentOf: async () => ({}) as never }
  const people = createPeople({ orgEvent, agents, conversations, randomBytes })
  const tools = createTools({
    ...{ agents, connections, people, conversations, toolEgress: egress, clock, timeScale: 1 },
    ...urls,
  })
  const { key } = loadOrCreateSecretKey(node.dir, undefined)
  const open = tools.open({ shards: engine, sealer: createSealer(key, engine) })

  async function manage(method: string, path: string, json?: unknown) {
    const answer = await node.mgmt(method, `/v1/orgs/demo/agents${path}`, {
      token: node.key,
      ...(json !== undefined && { json }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  await manage('POST', '', { name: 'Ada', id: 'ada' })

  let calls = 0
  return {
    ...open,
    node,
    manage: (method: string, path: string, json?: unknown) => manage(method, `/ada${path}`, json),
    async run(name: string, given: Record<string, unknown>, id = `call ${++calls}`): Promise<ToolOutcome> {
      const attempt = { id, signal: new AbortController().signal, isStillOwner: () => true, isRepeat: false }
      return (await open.call(context, { name, arguments: given }, attempt)).outcome
    },
  }
}
