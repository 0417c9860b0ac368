/** Outreach links: their routes, what becomes of them with their binding, and the page where a number is entered. */
import { mkdir } from 'node:fs/promises'
import axe from 'axe-core'
import fc from 'fast-check'
import t from 'tap'
import { isRefusal } from '../../core/errors.js'
import { budgets, outreachLink as limits, sandbox } from '../../core/limits/index.js'
import { agentTable } from '../../mgmt/agents/store.js'
import { bindingTable } from '../../mgmt/channels/store.js'
import { createLinkCommands } from '../../mgmt/links/commands.js'
import { linkAt, linkCodes, ownerOfCode } from '../../mgmt/links/store.js'
import { listen } from '../../runtime/http/server.js'
import type { Shards, Tx } from '../../runtime/shard/contract.js'
import { outcomeUnknown } from '../../runtime/shard/refusals.js'
import type { Key, Table } from '../../runtime/store/contract.js'
import { findChromium, openBrowser } from '../harness/browser.js'
import { flushPending, manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode, type Response, type TestNode } from '../harness/node.js'
import { withSerialization } from '../harness/serialization.js'

const clock = manualClock()

/** A node whose gateway listens, since phones and browsers call it. */
async function openListening(): Promise<TestNode & { origin: string }> {
  const node = await openTestNode({ clock })
  const log = { error: (...what: unknown[]) => console.error(...what) } as never
  const listening = await listen({ host: '127.0.0.1', port: 0, serve: node.node.planes.gateway.serve, log })
  const origin = `http://127.0.0.1:${listening.port}`
  node.node.setPublicUrls({ mgmt: 'http://mgmt.test', gateway: origin })
  t.teardown(async () => {
    await listening.close(0)
    await node.close()
  })
  return { ...node, origin }
}

const node = await openListening()
const agents = '/v1/orgs/demo/agents'

function call(method: string, path: string, json?: unknown, on: TestNode = node): Promise<Response> {
  return on.mgmt(method, `${agents}${path}`, { token: on.key, json })
}

interface Linked {
  readonly agent: string
  readonly bindingId: string
  readonly links: string
}

let made = 0
/** An agent that is bound to rcs on the emulator. */
async function newAgent(name = `Harbor ${++made}`, on: TestNode = node): Promise<Linked> {
  const { json: agent } = await call('POST', '', { name }, on)
  const bound = { channel: 'rcs', mode: 'unmanaged', provider: 'emulator', auth: {} }
  const { json: binding } = await call('POST', `/${agent.id}/channels`, bound, on)
  return { agent: agent.id, bindingId: binding.id, links: `/${agent.id}/outreach-links` }
}

async function newLink({ links, bindingId }: Linked, fields: object = {}, on: TestNode = node) {
  return (await call('POST', links, { bindingId, ...fields }, on)).json
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

function enter(code: string, phone: string, headers: object = {}, on: TestNode = node): Promise<Response> {
  return on.gateway('POST', `/v4/start/${code}`, {
    body: new URLSearchParams({ phone }).toString(),
    headers: { ...form, ...headers },
  })
}

interface ShownMessage {
  readonly address: string
  readonly bindingId: string
  readonly wire: { block: { text?: string } }
}

async function readShownTo(linked: Linked): Promise<string[]> {
  const { json } = await node.mgmt('GET', '/v1/system/emulator/shown', { token: node.key })
  return json.data
    .filter(({ bindingId }: ShownMessage) => bindingId === linked.bindingId)
    .map(({ address, wire }: ShownMessage) => `${address} ${wire.block.text}`)
}

async function usesOf({ links }: Linked): Promise<[left: number, redeemed: number]> {
  const { usesRemaining, redemptionCount } = (await call('GET', links)).json.data[0]
  return [usesRemaining, redemptionCount]
}

t.test('A link is created, listed, paused and resumed, and deleted', async (t) => {
  const linked = await newAgent()
  const { bindingId, links } = linked
  const created = await call('POST', links, { bindingId, label: ' For the fair ', maxUses: 3 })
  t.equal(created.status, 201)
  const { id, code, url, ...rest } = created.json
  t.match(id, /^lnk_/)
  t.match(code, /^[A-Za-z0-9]{22}$/, 'URL-safe, and not to be guessed')
  t.equal(url, `${node.origin}/v4/start/${code}`)
  t.same(rest, {
    bindingId,
    label: 'For the fair',
    maxUses: 3,
    usesRemaining: 3,
    redemptionCount: 0,
    expiresAt: new Date(clock.now() + limits.lifetimeDefaultMs).toISOString(),
    disabled: false,
    createdAt: new Date(clock.now()).toISOString(),
  })
  t.same((await call('GET', links)).json, { data: [created.json] })
  t.equal((await call('PATCH', `${links}/${id}`, { disabled: true })).json.disabled, true)
  t.equal((await call('PATCH', `${links}/${id}`, { disabled: false })).json.disabled, false)
  t.equal((await call('DELETE', `${links}/${id}`)).status, 204)
  t.equal((await node.gateway('GET', `/v4/start/${code}`)).status, 404)
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { disabled: true }],
  ] as const) {
    t.equal((await call(method, `${links}/${id}`, body)).json.code, 'resource.not_found')
  }
  t.equal((await call('GET', '/nobody/outreach-links')).status, 404)
  t.equal((await call('POST', '/nobody/outreach-links', { bindingId })).status, 404)
})

t.test('An invalid link is refused with 400, in the classic style', async (t) => {
  const linked = await newAgent()
  const other = await newAgent()
  const sms = { channel: 'sms', mode: 'unmanaged', provider: 'emulator', auth: {} }
  const { json: binding } = await call('POST', `/${linked.agent}/channels`, sms)
  const { bindingId, links } = linked
  const { id } = await newLink(linked)
  const late = new Date(clock.now() + limits.lifetimeMaxMs + 1).toISOString()
  const wrong: [string, string, object, RegExp][] = [
    ['POST', links, {}, /^bindingId: is required/],
    ['POST', links, { bindingId: 'cb_none' }, /^bindingId: must be an rcs binding/],
    ['POST', links, { bindingId: binding.id }, /^bindingId: must be an rcs binding/],
    ['POST', links, { bindingId: other.bindingId }, /^bindingId: must be an rcs binding/],
    ['POST', links, { bindingId, maxUses: 0 }, /^maxUses/],
    ['POST', links, { bindingId, maxUses: limits.usesMax + 1 }, /^maxUses/],
    ['POST', links, { bindingId, expiresAt: late }, /^expiresAt: must be at most 30 days/],
    ['POST', links, { bindingId, expiresAt: 'soon' }, /^expiresAt/],
    ['POST', links, { bindingId, more: 1 }, /^more: is not a known field/],
    ['PATCH', `${links}/${id}`, {}, /^disabled: is required/],
    ['PATCH', `${links}/${id}`, { disabled: 'yes' }, /^disabled/],
    ['PATCH', `${links}/${id}`, { disabled: true, label: 'x' }, /^label: is not a known field/],
  ]
  for (const [method, path, body, message] of wrong) {
    const { status, json } = await call(method, path, body)
    t.equal(status, 400, JSON.stringify(body))
    t.match(json, { statusCode: 400, message })
  }
  t.equal((await call('GET', links)).json.data.length, 1)
})

t.test('A person who enters a number gets a message, and spends one use however often they enter it', async (t) => {
  const linked = await newAgent('Harbor *Desk*')
  const { code } = await newLink(linked, { maxUses: 3 })
  const first = await enter(code, '+1 (415) 555-0100')
  t.equal(first.status, 303)
  t.equal(first.headers.location, `${code}?sent=1`)
  const sent = await node.gateway('GET', `/v4/start/${code}?sent=1`)
  t.match(sent.text, 'If this number can receive it, a message is on its way.')
  await waitUntil(async () => (await readShownTo(linked)).length === 1, clock)
  t.same(await readShownTo(linked), ['+14155550100 Hello, this is Harbor *Desk*. How can I help you?'])
  t.same(await usesOf(linked), [2, 1])
  await enter(code, '0014155550100')
  await waitUntil(async () => (await readShownTo(linked)).length === 2, clock)
  t.same(await usesOf(linked), [2, 1], 'the same number spends no other use')
  await enter(code, '+14155550101')
  t.same(await usesOf(linked), [1, 2])
})

t.test('The greeting of the default playbook is the opener of the link', async (t) => {
  const linked = await newAgent('Greeter')
  const template = { id: 'greeting', name: 'Greeting', body: 'Ahoy {person.firstName|sailor}, {agent.name} here.' }
  t.equal((await call('POST', `/${linked.agent}/message-templates`, template)).status, 201)
  const playbook = { name: 'Front', isDefault: true, messageTemplateRefs: ['greeting'] }
  t.equal((await call('POST', `/${linked.agent}/playbooks`, playbook)).status, 201)
  const { code } = await newLink(linked)
  await enter(code, '+14155550110')
  await waitUntil(async () => (await readShownTo(linked)).length === 1, clock)
  t.same(await readShownTo(linked), ['+14155550110 Ahoy sailor, Greeter here.'])
})

t.test('An opted-out person gets no message, and the page does not reveal the opt-out', async (t) => {
  const linked = await newAgent()
  const { code } = await newLink(linked)
  const answers = [await enter(code, '+14155550120')]
  await waitUntil(async () => (await readShownTo(linked)).length === 1, clock)
  const stop = { items: [{ id: 'stop-1', from: '+14155550120', text: 'STOP' }] }
  const path = `/v1/system/emulator/bindings/${linked.bindingId}/_act`
  t.equal((await node.mgmt('POST', path, { token: node.key, json: stop })).status, 202)
  answers.push(await enter(code, '+14155550120'))
  answers.push(await enter(code, '+14155550122'))
  await waitUntil(async () => (await readShownTo(linked)).length === 2, clock)
  t.same(
    (await readShownTo(linked)).map((each) => each.split(' ')[0]),
    ['+14155550120', '+14155550122'],
    'the second opening to the first number did not go out',
  )
  const answered = answers.map(({ status, text, headers }) => {
    const { 'x-request-id': _own, ...rest } = headers
    return { status, text, rest }
  })
  t.same(answered[1], answered[0])
  t.same(answered[2], answered[0])
})

t.test('An invalid number is shown again with the reason, and never as markup', async (t) => {
  const linked = await newAgent('<b>Harbor</b> & "Sons"')
  const { code } = await newLink(linked)
  const page = await node.gateway('GET', `/v4/start/${code}`)
  t.equal(page.status, 200)
  t.match(page.text, '<h1>Chat with &lt;b&gt;Harbor&lt;/b&gt; &amp; &quot;Sons&quot;</h1>')
  t.match(
    page.headers['content-security-policy'],
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'/,
  )
  t.notMatch(page.headers['content-security-policy'], 'unsafe')
  t.match(page.headers, { 'cache-control': 'no-store', 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin' })
  t.notMatch(page.text, /<script| on\w+=| style=/)
  const wrong = await enter(code, '"><script>alert(1)</script>')
  t.equal(wrong.status, 200)
  t.match(wrong.text, 'value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
  t.match(wrong.text, 'role="alert"')
  for (const number of ['555 0100', '(415) 555-0178', '0171 2345678']) {
    t.match((await enter(code, number)).text, 'Start with + and your country code.</p>', 'it may be a number anywhere')
  }
  t.match((await enter(code, '+1 415 555')).text, 'That is not', 'no number of that country has so few digits')
  t.same(await usesOf(linked), [25, 0])
})

t.test('The page has the colour and the picture of the agent, even after an invalid number', async (t) => {
  const linked = await newAgent()
  const { code } = await newLink(linked)
  const identity = { brandColor: '#0f6b5c', smallLogoUrl: 'https://cdn.example/harbor.png' }
  t.equal((await call('PATCH', `/${linked.agent}/identity`, identity)).status, 200)
  for (const page of [await node.gateway('GET', `/v4/start/${code}`), await enter(code, 'no number')]) {
    t.match(page.text, '<img src="https://cdn.example/harbor.png" alt=""')
    t.match(page.text, '--act: #0f6b5c')
    t.match(page.headers['content-security-policy'], '; img-src https://cdn.example;')
    t.notMatch(page.headers['content-security-policy'], 'unsafe')
  }
})

t.test('A form of another site is refused', async (t) => {
  const linked = await newAgent()
  const { code } = await newLink(linked)
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: node.origin },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    t.equal((await enter(code, '+14155550130', headers)).status, 403, JSON.stringify(headers))
  }
  t.same(await usesOf(linked), [25, 0])
  t.equal((await enter(code, '+14155550130', { origin: node.origin })).status, 303)
  t.equal((await enter(code, '+14155550130', { 'sec-fetch-site': 'same-origin' })).status, 303)
})

t.test('A closed link looks like one that never existed', async (t) => {
  const linked = await newAgent()
  const unknown = await node.gateway('GET', '/v4/start/0123456789012345678901')
  t.equal(unknown.status, 404)
  const looks = async (code: string) => (await node.gateway('GET', `/v4/start/${code}`)).text
  const { id, code } = await newLink(linked, { maxUses: 1 })
  await call('PATCH', `${linked.links}/${id}`, { disabled: true })
  t.equal(await looks(code), unknown.text, 'disabled')
  await call('PATCH', `${linked.links}/${id}`, { disabled: false })
  await call('POST', `/${linked.agent}/channels/${linked.bindingId}/_disable`)
  t.equal(await looks(code), unknown.text, 'its binding is switched off')
  await call('POST', `/${linked.agent}/channels/${linked.bindingId}/_enable`)
  t.not(await looks(code), unknown.text, 'open again')
  t.equal((await enter(code, '+14155550140')).status, 303)
  t.equal(await looks(code), unknown.text, 'used up')
  t.equal((await enter(code, '+14155550140')).status, 404, 'even for a person who used it')
  const expiring = await newLink(linked, { expiresAt: new Date(clock.now() + 60_000).toISOString() })
  t.not(await looks(expiring.code), unknown.text)
  await clock.advance(60_000)
  t.equal(await looks(expiring.code), unknown.text, 'expired')
})

t.test(
  'Deleting a binding disables its links with the reason, and resuming does not restore the channel',
  async (t) => {
    const linked = await newAgent()
    const { id, code } = await newLink(linked)
    const paused = await newLink(linked)
    await call('PATCH', `${linked.links}/${paused.id}`, { disabled: true })
    t.equal((await call('DELETE', `/${linked.agent}/channels/${linked.bindingId}`)).status, 204)
    const listed = (await call('GET', linked.links)).json.data
    t.equal(listed.length, 2)
    for (const each of listed) t.match(each, { disabled: true, disabledReason: 'binding_deleted' })
    const resumed = (await call('PATCH', `${linked.links}/${id}`, { disabled: false })).json
    t.equal(resumed.disabled, false)
    t.notOk('disabledReason' in resumed)
    t.equal((await node.gateway('GET', `/v4/start/${code}`)).status, 404)
    t.equal((await enter(code, '+14155550150')).status, 404)
  },
)

async function redeem(linked: Linked, id: string, personaId: string): Promise<Response> {
  return call('POST', `${linked.links}/${id}/redeem`, { personaId })
}

t.test('A persona uses a link without spending a use, and finds the opener among its turns', async (t) => {
  const linked = await newAgent('Rehearsed')
  const { id } = await newLink(linked)
  const { json: persona } = await call('POST', `/${linked.agent}/personas`, { name: 'Ada' })
  const at = `/${linked.agent}/personas/${persona.id}/turns`
  const redeemed = await redeem(linked, id, persona.id)
  t.equal(redeemed.status, 202)
  t.same(redeemed.json, { status: 'queued', personaId: persona.id, userId: persona.userId })
  t.match((await call('GET', at)).json.data, [{ role: 'agent', text: 'Hello, this is Rehearsed. How can I help you?' }])
  t.same(await usesOf(linked), [25, 0])
  t.same(await readShownTo(linked), [], 'no message reaches a phone')

  t.equal((await redeem(linked, id, 'psn_none')).json.code, 'agent.persona.not_found')
  t.equal((await redeem(linked, 'lnk_none', persona.id)).json.code, 'resource.not_found')
  t.equal((await call('POST', `${linked.links}/${id}/redeem`, {})).status, 422)
  let isDone = false
  const stopped = call('POST', at, { text: 'STOP' }).finally(() => {
    isDone = true
  })
  while (!isDone) await clock.advance(sandbox.pollFirstMs)
  await stopped
  t.match((await redeem(linked, id, persona.id)).json, {
    code: 'agent.outreach_link.unavailable',
    detail: 'The persona has opted out.',
  })
  await call('PATCH', `${linked.links}/${id}`, { disabled: true })
  const closed = await redeem(linked, id, persona.id)
  t.equal(closed.status, 409)
  t.match(closed.json, { code: 'agent.outreach_link.unavailable', detail: 'The link is disabled.' })
})

t.test('The number of links of an agent is bounded', async (t) => {
  const linked = await newAgent()
  for (let count = 0; count < limits.perAgent; count++) await newLink(linked)
  const { status, json } = await call('POST', linked.links, { bindingId: linked.bindingId })
  t.equal(status, 400)
  t.match(json.message, /delete some first/)
})

/** As much of a shard as links see: rows in memory, and what was left to be done. */
function fakeShard() {
  const rows = new Map<string, { key: Key; value: unknown }>()
  const nameOf = (table: Table<Key, unknown>, key: Key) => JSON.stringify([table.name, ...key])
  let effects = 0
  const tx = {
    get: (table: Table<Key, unknown>, key: Key) => rows.get(nameOf(table, key))?.value,
    put: (table: Table<Key, unknown>, key: Key, value: unknown) => void rows.set(nameOf(table, key), { key, value }),
    range: (table: Table<Key, unknown>, { prefix = [] }: { prefix?: Key }) =>
      [...rows].filter(([name]) => name.startsWith(nameOf(table, prefix).slice(0, -1))).map(([, row]) => row),
    emit: () => void effects++,
  } as unknown as Tx
  return { tx, effects: () => effects }
}

type Move = { enter: number } | { disable: boolean } | { wait: number } | { release: true }

t.test('For any events the uses of a link are its accepted numbers, each once, within the limit', async () => {
  const agentRef = { orgId: 'demo', agentId: 'ada' }
  const move: fc.Arbitrary<Move> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ enter: fc.nat({ max: 5 }) }) },
    { weight: 1, arbitrary: fc.record({ disable: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ wait: fc.nat({ max: limits.lifetimeDefaultMs / 2 }) }) },
    { weight: 1, arbitrary: fc.record({ release: fc.constant(true as const) }) },
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(move, { maxLength: 30 }), (maxUses, moves) => {
      const { tx, effects } = fakeShard()
      let isBound = true
      const { commands, onBindingRemoved } = createLinkCommands({ documents: {} as never, personas: {} as never })
      const bindingKey: [string, string, string] = [agentRef.orgId, agentRef.agentId, 'cb_1']
      tx.put(agentTable, [agentRef.orgId, agentRef.agentId], {} as never)
      tx.put(bindingTable, bindingKey, { channel: 'rcs', status: 'Active' } as never)
      const one = { ...agentRef, linkId: 'lnk_1' }
      let at = 0
      const meta = () => ({ at, commandId: '', mint: (prefix: string) => prefix })
      commands.create.decide(tx, { ...one, code: 'code', request: { bindingId: 'cb_1', maxUses } }, meta())
      const model = { taken: new Set<number>(), disabled: false, starts: 0 }
      for (const step of moves) {
        if ('wait' in step) at += step.wait
        else if ('disable' in step) {
          model.disabled = step.disable
          commands.change.decide(tx, { ...one, disabled: step.disable }, meta())
        } else if ('release' in step) {
          isBound = false
          model.disabled = true
          tx.put(bindingTable, bindingKey, undefined as never)
          onBindingRemoved(tx, agentRef, 'cb_1')
        } else {
          const isOpen = isBound && !model.disabled && at < limits.lifetimeDefaultMs && model.taken.size < maxUses
          const answer = commands.redeem.decide(tx, { ...one, asid: `usr_${step.enter}`, address: '+1' }, meta())
          if (isRefusal(answer) === isOpen) return false
          if (isOpen) model.taken.add(step.enter)
          if (isOpen) model.starts++
        }
        const link = linkAt(tx, one)!
        if (link.uses !== model.taken.size || link.disabled !== model.disabled) return false
        if (effects() !== model.starts) return false
      }
      return true
    }),
    { numRuns: 500 },
  )
})

t.test('Deleting an agent deletes its links', async (t) => {
  const linked = await newAgent()
  const { code } = await newLink(linked)
  await call('DELETE', `/${linked.agent}`)
  t.equal((await node.gateway('GET', `/v4/start/${code}`)).status, 404)
  await call('POST', '', { id: linked.agent, name: 'Again' })
  t.same((await call('GET', linked.links)).json.data, [])
})

t.test('A number gets few messages and an address few more attempts, each with its own limit', async (t) => {
  const own = await openListening()
  const linked = await newAgent('Limited', own)
  const { code } = await newLink(linked, {}, own)
  const { burstCalls } = budgets.linkAttempts
  const answers: Response[] = []
  for (let count = 0; count < burstCalls; count++) answers.push(await enter(code, '+14155550160', {}, own))
  t.same([...new Set(answers.map(({ status }) => status))], [303], 'beyond its limit a number gets the same response')
  const readShown = async () => (await own.mgmt('GET', '/v1/system/emulator/shown', { token: own.key })).json.data
  await waitUntil(async () => (await readShown()).length >= budgets.linkNumbers.burstCalls, clock)
  t.equal((await readShown()).length, budgets.linkNumbers.burstCalls)
  const beyond = await enter(code, '+14155550161', {}, own)
  t.equal(beyond.status, 429)
  t.match(beyond.headers['retry-after'], /^[1-9]\d*$/)
  const looks = await Promise.all(
    Array.from({ length: budgets.linkViews.burstCalls + 5 }, () => own.gateway('GET', `/v4/start/${code}`)),
  )
  t.ok(looks.some(({ status }) => status === 429))
})

t.test('The pages work in a browser', { skip: findChromium() ? false : 'Chromium is not installed' }, async (t) => {
  const own = await openListening()
  const linked = await newAgent('Harbor Desk', own)
  const { url } = await newLink(linked, {}, own)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  await mkdir('test/output', { recursive: true })

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`A number is entered on a small phone, ${colorScheme}, without a script`, async (t) => {
      const { page, problems: troubles, close } = await browser.visit({ origin: own.origin, colorScheme })
      await page.setViewportSize({ width: 320, height: 640 })
      const checkPage = async (name: string) => {
        await page.evaluate(axe.source)
        const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
        t.same(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
          [],
          `${name} is accessible`,
        )
        t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, `${name} fits`)
        await page.screenshot({ path: `test/output/link-${name}-${colorScheme}.png` })
      }
      await page.goto(url)
      await checkPage('entry')
      await page.getByLabel('Mobile number').fill('12345')
      await page.getByRole('button', { name: 'Send me a message' }).click()
      await page.getByRole('alert').waitFor()
      t.equal(await page.getByLabel('Mobile number').inputValue(), '12345')
      await checkPage('wrong')
      await page.getByLabel('Mobile number').fill('+44 7700 900123')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Look at your phone' }).waitFor()
      await checkPage('sent')
      await page.reload()
      await page.getByText('If this number can receive it, a message is on its way.').waitFor()
      t.same(troubles, [])
      await close()
    })
  }

  t.test('A closed link says so', async (t) => {
    const { page, close } = await browser.visit({ origin: own.origin })
    await page.goto(`${own.origin}/v4/start/nothing`)
    await page.getByRole('heading', { name: 'This link is not open' }).waitFor()
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
    t.same(violations, [])
    await close()
  })
})

t.test('A link created without its index row is found by its code', async (t) => {
  const between = <S extends Shards>(shards: S): S => {
    const through = withSerialization(shards)
    const ask: Shards['execute'] = async (owner, command, input, options) => {
      const answer = await through.execute(owner, command, input, options)
      return command.name === 'links.create' ? outcomeUnknown : answer
    }
    return { ...through, execute: ask }
  }
  const own = await openTestNode({ wrapShards: between })
  t.teardown(() => own.close())
  const { agent, bindingId, links } = await newAgent('Ada', own)
  t.equal((await call('POST', links, { bindingId }, own)).status, 503)
  const [{ code, id }] = (await call('GET', links, undefined, own)).json.data
  await flushPending()
  const led = await own.node.engine.query(ownerOfCode(code), linkCodes.find, { code })
  t.same(led, { orgId: 'demo', agentId: agent, linkId: id })
})
