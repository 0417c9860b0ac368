/** What only an operator can put right makes a binding ActionRequired, once, and never because of credentials long gone. */
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
async function bound() {
  const agent = (await call('POST', '', { name: `agent ${++made}` })).json.id
  const path = `/${agent}/channels`
  const { id } = (await call('POST', path, { channel: 'sms', mode: 'unmanaged', provider: 'emulator', auth: {} })).json
  // Rotating makes them sealed ones, as those of any provider are.
  await call('PATCH', `${path}/${id}`, { auth: {} })
  return { path: `${path}/${id}`, place: { orgId: 'demo', agentId: agent, bindingId: id } }
}

type Place = Awaited<ReturnType<typeof bound>>['place']

async function sealedOf({ orgId, agentId, bindingId }: Place): Promise<Uint8Array> {
  const place = { orgId, agentId }
  const found = await engine.query(formatAgentKey(place), agentRouting, place)
  if (isRefusal(found)) throw new Error(found.refused)
  return found.channels.find((each) => each.bindingId === bindingId)!.auth!.sealed
}

t.test(
  'A binding whose provider needs the operator says so, and works again with credentials entered again',
  async (t) => {
    const { path, place } = await bound()
    const callOperator = createMarkActionRequired({ shards: engine, commands, log })
    callOperator(place, 'The provider does not take the credentials.')
    await waitUntil(async () => (await call('GET', path)).json.status === 'ActionRequired')
    const waiting = (await call('GET', path)).json
    t.match(waiting.statusDetail, /does not take the credentials\. Put it right/)
    t.match(waiting.events.at(-1), {
      from: 'Active',
      to: 'ActionRequired',
      actor: 'system',
      note: waiting.statusDetail,
    })
    const again = (await call('PATCH', path, { auth: {} })).json
    t.match(again, { status: 'Active', statusDetail: undefined })
    t.match(again.events.slice(-2), [
      { from: 'ActionRequired', to: 'Provisioning', actor: 'operator' },
      { from: 'Provisioning', to: 'Active', actor: 'operator' },
    ])
  },
)

t.test('However many sends fail at once, one report is made', async (t) => {
  const { path, place } = await bound()
  let asked = 0
  const counting = {
    execute: ((...args: Parameters<typeof engine.execute>) => {
      asked += 1
      return engine.execute(...args)
    }) as typeof engine.execute,
  }
  const callOperator = createMarkActionRequired({ shards: counting, commands, log })
  for (let turn = 0; turn < 50; turn += 1) callOperator(place, 'x'.repeat(5_000))
  await waitUntil(async () => (await call('GET', path)).json.status === 'ActionRequired')
  t.equal(asked, 1)
  const { events, statusDetail } = (await call('GET', path)).json
  t.equal(events.filter(({ to }: { to: string }) => to === 'ActionRequired').length, 1)
  t.ok(statusDetail.length < limits.statusDetailChars + 100, 'however much the provider said')
  callOperator(place, 'Once more.')
  await waitUntil(() => asked === 2)
  t.same(warnings, [], 'what was reported already is no trouble')
})

t.test('What credentials met with that were rotated since is old news', async (t) => {
  const { path, place } = await bound()
  const before = await sealedOf(place)
  await call('PATCH', path, { auth: {} })
  const report = { ...place, on: 'blocked', statusDetail: 'No.' } as const
  const outcome = await engine.execute(formatAgentKey(place), commands.report, { ...report, usedAuth: before })
  t.ok(isRefusal(outcome))
  t.equal((await call('GET', path)).json.status, 'Active')
  const now = await engine.execute(formatAgentKey(place), commands.report, {
    ...report,
    usedAuth: await sealedOf(place),
  })
  t.match(now, { status: 'ActionRequired' }, 'while that of the present ones is news')
})

t.test('A report that cannot be made is in the log, and the next failure makes it', async (t) => {
  const { path, place } = await bound()
  let isAway = true
  const away = {
    execute: (async (...args: Parameters<typeof engine.execute>) =>
      isAway ? refuse('service.unavailable') : engine.execute(...args)) as typeof engine.execute,
  }
  const callOperator = createMarkActionRequired({ shards: away, commands, log })
  callOperator(place, 'The account is closed.')
  await waitUntil(() => warnings.includes('channel.report.failed'))
  isAway = false
  await waitUntil(async () => {
    callOperator(place, 'The account is closed.')
    return (await call('GET', path)).json.status === 'ActionRequired'
  })
  t.match((await call('GET', path)).json.statusDetail, /The account is closed/)
})
