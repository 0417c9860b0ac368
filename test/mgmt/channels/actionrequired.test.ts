/**
 * What only an operator can put right makes a binding ActionRequired, once, and never because of credentials long gone.
 */
import t from 'tap'
import { formatAgentKey } from '../../../core/agentref.js'
import { isRefusal, refuse } from '../../../core/errors.js'
import { channelBinding as limits } from '../../../core/limits/index.js'
import { createMarkActionRequired } from '../../../mgmt/channels/actionrequired.js'
import { createChannelCommands } from '../../../mgmt/channels/commands.js'
import { agentRouting } from '../../../mgmt/channels/directory.js'
import { webhookCommands } from '../../../mgmt/webhooks/commands.js'
import { waitUntil } from '../../harness/clock.js'
import { openTestNode } from '../../harness/node.js'

const node = await openTestNode()
t.teardown(() => node.close())
const { engine } = node.node
const agents = '/v1/orgs/demo/agents'
const { commands } = createChannelCommands({
  orgEvent: webhookCommands({ timeScale: 1 }).enqueue,
  timeScale: 1,
})
const warnings: string[] = []
const log = { warn: (event: string) => void warnings.push(event) }

async function call(method: string, path: string, json?: unknown) {
  return node.mgmt(method, `${agents}${path}`, { token: node.key, json })
}

let made = 0
async function createBinding() {
  const agent = (await call('POST', '', { name: `agent ${++made}` })).json.id
  const path = `/${agent}/channels`
  const { id } = (await call('POST', path, { channel: 'sms', mode: 'unmanaged', provider: 'emulator', auth: {} })).json
  // Rotating makes them sealed ones, as those of any provider are.
  await call('PATCH', `${path}/${id}`, { auth: {} })
  return { path: `${path}/${id}`, bindingRef: { orgId: 'demo', agentId: agent, bindingId: id } }
}

type BindingRef = Awaited<ReturnType<typeof createBinding>>['bindingRef']

async function sealedOf({ orgId, agentId, bindingId }: BindingRef): Promise<Uint8Array> {
  const agentRef = { orgId, agentId }
  const routing = await engine.query(formatAgentKey(agentRef), agentRouting, agentRef)
  if (isRefusal(routing)) throw new Error(routing.refused)
  return routing.channels.find((each) => each.bindingId === bindingId)!.auth!.sealed
}

t.test('A binding that needs its operator says so, and works again with new credentials', async (t) => {
  const { path, bindingRef } = await createBinding()
  const callOperator = createMarkActionRequired({ shards: engine, commands, log })
  callOperator(bindingRef, 'The provider does not take the credentials.')
  await waitUntil(async () => (await call('GET', path)).json.status === 'ActionRequired')
  const waiting = (await call('GET', path)).json
  t.match(waiting.statusDetail, /does not take the credentials\. Put it right/)
  t.match(waiting.events.at(-1), {
    from: 'Active',
    to: 'ActionRequired',
    actor: 'system',
    note: waiting.statusDetail,
  })
  const repeated = (await call('PATCH', path, { auth: {} })).json
  t.match(repeated, { status: 'Active', statusDetail: undefined })
  t.match(repeated.events.slice(-2), [
    { from: 'ActionRequired', to: 'Provisioning', actor: 'operator' },
    { from: 'Provisioning', to: 'Active', actor: 'operator' },
  ])
})

t.test('Many failed sends at the same time lead to one report', async (t) => {
  const { path, bindingRef } = await createBinding()
  let commandCount = 0
  const counting = {
    execute: ((...args: Parameters<typeof engine.execute>) => {
      commandCount += 1
      return engine.execute(...args)
    }) as typeof engine.execute,
  }
  const callOperator = createMarkActionRequired({ shards: counting, commands, log })
  for (let turn = 0; turn < 50; turn += 1) callOperator(bindingRef, 'x'.repeat(5_000))
  await waitUntil(async () => (await call('GET', path)).json.status === 'ActionRequired')
  t.equal(commandCount, 1)
  const { events, statusDetail } = (await call('GET', path)).json
  t.equal(events.filter(({ to }: { to: string }) => to === 'ActionRequired').length, 1)
  t.ok(statusDetail.length < limits.statusDetailChars + 100, 'however much the provider said')
  callOperator(bindingRef, 'Once more.')
  await waitUntil(() => commandCount === 2)
  t.same(warnings, [], 'an already reported binding causes no error')
})

t.test('A failure of credentials that were rotated since is ignored', async (t) => {
  const { path, bindingRef } = await createBinding()
  const before = await sealedOf(bindingRef)
  await call('PATCH', path, { auth: {} })
  const report = { ...bindingRef, on: 'blocked', statusDetail: 'No.' } as const
  const outcome = await engine.execute(formatAgentKey(bindingRef), commands.report, { ...report, usedAuth: before })
  t.ok(isRefusal(outcome))
  t.equal((await call('GET', path)).json.status, 'Active')
  const now = await engine.execute(formatAgentKey(bindingRef), commands.report, {
    ...report,
    usedAuth: await sealedOf(bindingRef),
  })
  t.match(now, { status: 'ActionRequired' }, 'while that of the present ones is news')
})

t.test('A report that fails is logged, and the next failure repeats it', async (t) => {
  const { path, bindingRef } = await createBinding()
  let isAway = true
  const away = {
    execute: (async (...args: Parameters<typeof engine.execute>) =>
      isAway ? refuse('service.unavailable') : engine.execute(...args)) as typeof engine.execute,
  }
  const callOperator = createMarkActionRequired({ shards: away, commands, log })
  callOperator(bindingRef, 'The account is closed.')
  await waitUntil(() => warnings.includes('channel.report.failed'))
  isAway = false
  await waitUntil(async () => {
    callOperator(bindingRef, 'The account is closed.')
    return (await call('GET', path)).json.status === 'ActionRequired'
  })
  t.match((await call('GET', path)).json.statusDetail, /The account is closed/)
})
