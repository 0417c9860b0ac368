/**
 * Org webhooks: their routes, the queue of deliveries, and deliveries themselves, over the real store, engine and wire.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { isRefusal, refuse } from '../../core/errors.js'
import { egress, orgWebhook } from '../../core/limits/index.js'
import { type OrgEventPayload, orgEventNames } from '../../core/orgevents.js'
import { webhookCommands } from '../../mgmt/webhooks/commands.js'
import type { WebhookTry } from '../../mgmt/webhooks/queue.js'
import { type DeliveryView, deliveryStates } from '../../mgmt/webhooks/schema.js'
import { newSecret, type Sealer } from '../../mgmt/webhooks/secret.js'
import { applyOutcome, nextState, type Outcome, replay, startTry, waitMs } from '../../mgmt/webhooks/statemachine.js'
import { type Delivery, deliveryTable, indexTable, webhookTable } from '../../mgmt/webhooks/store.js'
import type { Command } from '../../runtime/shard/contract.js'
import { type CommitContext, decide } from '../../runtime/shard/decision.js'
import { createOverlay } from '../../runtime/shard/overlay.js'
import { outboxTable, timerNameTable, timerTable } from '../../runtime/shard/tables.js'
import { encodeWrites } from '../../runtime/store/space.js'
import { began, createLeapingClock, waitUntil } from '../harness/clock.js'
import { answer, type Behavior, hang, isSignedWith, openReceiver, type Received } from '../harness/receiver.js'
import { tempDir } from '../harness/tempdir.js'
import { afterTries, openWebhookNode, sealer } from '../harness/webhooknode.js'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Long enough for anything that was going to happen, over loopback and in this process, to have happened. */
const quiet = () => new Promise((done) => setTimeout(done, 60))

t.test('A delivery has eight attempts, each after its scheduled wait and at most a fifth late', async (t) => {
  const minutes = [0, 5 / 60, 5, 30, 120, 300, 600, 600]
  t.strictSame(
    orgWebhook.retryAfterMs,
    minutes.map((each) => each * minute),
  )
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 100_000 }), (id, timeScale) =>
      minutes.every((each, tried) => {
        const [wait, shortest] = [waitMs(tried, id, timeScale), (each * minute) / timeScale]
        const inBounds = wait >= Math.floor(shortest) && wait <= Math.ceil(shortest * 1.2)
        return inBounds && wait === waitMs(tried, id, timeScale)
      }),
    ),
  )
  const waits = Array.from({ length: 200 }, (_, index) => waitMs(2, `dl_${index}`, 1))
  t.ok(new Set(waits).size > 150, 'deliveries that failed together do not all come back together')
  t.ok(Math.max(...waits) - Math.min(...waits) > 0.15 * 5 * minute)
})

t.test('A delivery changes its state only as the table says', async (t) => {
  const last = orgWebhook.retryAfterMs.length
  for (let tried = 1; tried < last; tried++) t.equal(nextState('pending', 'failed', tried), 'pending')
  t.equal(nextState('pending', 'failed', last), 'failed')
  t.equal(nextState('pending', 'succeeded', last), 'delivered')
  for (const state of deliveryStates) t.equal(nextState(state, 'replayed', last), 'pending')
  for (const state of ['delivered', 'failed'] as const) {
    t.throws(() => nextState(state, 'succeeded', 1))
    t.throws(() => nextState(state, 'failed', 1))
  }
})

t.test('A stopped attempt does not count, and one in flight is the first of a replay', async (t) => {
  const fresh: Delivery = {
    id: 'dl_1',
    orgId: 'acme',
    webhookId: 'wh_1',
    state: 'pending',
    eventId: 'ev_1',
    eventType: 'agent.created',
    body: '{}',
    triesInSchedule: 0,
    triesStarted: 0,
    dueAt: began,
    attemptCount: 0,
    attempts: [],
    createdAt: began,
    updatedAt: began,
  }
  const failed: Outcome = { kind: 'failed', at: began, durationMs: 1, status: 500 }
  const once = applyOutcome(startTry(fresh, began), failed, began, 1)
  t.match(once, { triesInSchedule: 1, attemptCount: 1, inFlight: undefined })
  const trying = startTry(once, began)
  t.match(trying, { triesInSchedule: 2, inFlight: 2, dueAt: undefined })
  const stopped = applyOutcome(trying, { kind: 'stopped' }, began + 7, 1)
  t.match(stopped, { state: 'pending', triesInSchedule: 1, attemptCount: 1, dueAt: began + 7, inFlight: undefined })
  t.equal(startTry(stopped, began).inFlight, 3, 'a try is never named like one before it')
  t.match(replay(trying, began), { state: 'pending', triesInSchedule: 1, inFlight: 2, dueAt: undefined })
  t.match(replay(once, began + 7), { state: 'pending', triesInSchedule: 0, dueAt: began + 7 })
})

t.test('A signing secret is long, random and unlike any other', async (t) => {
  const made = Array.from({ length: 200 }, () => newSecret(randomBytes))
  for (const secret of made) t.match(secret, /^ws-svc-[0-9A-Za-z]{43}$/)
  t.equal(new Set(made).size, made.length)
  t.equal(
    newSecret(() => new Uint8Array(32)),
    `ws-svc-${'0'.repeat(43)}`,
  )
  t.ok(orgWebhook.secretBytes >= 24)
})

const org = 'acme'
type Step =
  | { do: 'create'; active: boolean }
  | { do: 'enqueue' }
  | { do: 'activate' | 'pause' | 'rotate' | 'remove'; pick: number }
  | { do: 'report'; pick: number; kind: Outcome['kind'] }
  | { do: 'replay'; pick: number }
  | { do: 'wait'; ms: number }

const pick = fc.nat(1000)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), active: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('enqueue' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('activate' as const, 'pause' as const, 'rotate' as const), pick }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), pick }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      pick,
      kind: fc.constantFrom('succeeded' as const, 'failed' as const, 'failed' as const, 'stopped' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replay' as const), pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 6 * second, hour, 12 * hour, 31 * day),
    }),
  },
)

/** The queue as the engine runs it, without the disk: commands over one layer, timers fired as they fall due. */
function openQueue() {
  const commands = webhookCommands({ timeScale: 1 })
  const byName = new Map<string, Command<never, unknown>>(Object.values(commands).map((each) => [each.name, each]))
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  /** Tries begun and not yet reported: at most one owed report each. */
  const pendingTries: WebhookTry[] = []
  let now = began
  let commandCount = 0
  function ask<I, R>(command: Command<I, R>, input: I): R {
    const about = { owner: org, command: command as Command<unknown, unknown>, input, commandId: `c${commandCount++}` }
    const moment: CommitContext = { at: now, monotonicAt: now, commit: commandCount, pending: [], outboundCommands: [] }
    const answer = decide(root, about, moment)
    if (isRefusal(answer)) throw new Error(answer.refused)
    for (const { effect } of moment.pending) pendingTries.push(effect.payload as WebhookTry)
    return answer as R
  }
  return {
    commands,
    ask,
    pendingTries,
    now: () => now,
    webhooks: () => Array.from(root.range(webhookTable), (row) => row.value),
    deliveries: () => Array.from(root.range(deliveryTable), (row) => row.value),
    indexKeys: () => Array.from(root.range(indexTable), (row) => JSON.stringify(row.key)),
    timers: () => new Map(Array.from(root.range(timerNameTable), (row) => [row.key[1], row.value])),
    wait(ms: number) {
      const end = now + ms
      for (;;) {
        const [due] = root.range(timerTable, { before: [end + 1], limit: 1 })
        if (!due) break
        now = Math.max(now, due.key[0])
        root.remove(timerTable, due.key)
        root.remove(timerNameTable, [due.key[1], due.key[2]])
        root.commit()
        ask(byName.get(due.value.command)!, due.value.input as never)
      }
      now = end
    },
  }
}
type Queue = ReturnType<typeof openQueue>

function applyStep(queue: Queue, action: Step, made: number): void {
  const { commands, ask, pendingTries } = queue
  const secret = { sealed: new Uint8Array([1]), prefix: 'ws-svc-x' }
  const webhooks = queue.webhooks()
  const one = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)]
  switch (action.do) {
    case 'create': {
      if (webhooks.length < 3) {
        const about = { url: 'https://example.com/', events: ['agent.created' as const], secret }
        ask(commands.create, { orgId: org, id: `wh_${made}`, active: action.active, ...about })
      }
      return
    }
    case 'enqueue':
      return void ask(commands.enqueue, { orgId: org, type: 'agent.created', data: {} })
    case 'wait':
      queue.wait(action.ms)
      return
    case 'report': {
      if (pendingTries.length === 0) return
      const [which] = pendingTries.splice(action.pick % pendingTries.length, 1)
      const attempt = { at: queue.now(), durationMs: 1 }
      const outcome: Outcome = action.kind === 'stopped' ? { kind: 'stopped' } : { kind: action.kind, ...attempt }
      return void ask(commands.attemptOutcome, { ...which!, outcome })
    }
    case 'replay': {
      const delivery = one(queue.deliveries(), action.pick)
      const webhook = webhooks.find(({ id }) => id === delivery?.webhookId)
      if (delivery && webhook) ask(commands.replay, { orgId: org, webhookId: webhook.id, deliveryId: delivery.id })
      return
    }
  }
  const webhook = one(webhooks, action.pick)
  if (!webhook) return
  const { id } = webhook
  if (action.do === 'remove') ask(commands.remove, { orgId: org, id })
  else if (action.do === 'rotate') ask(commands.rotate, { orgId: org, id, change: secret })
  else ask(commands.update, { orgId: org, id, change: { active: action.do === 'activate' } })
}

/** What must be true of the queue after every command, whatever came before it. */
function findFault(queue: Queue): string | undefined {
  const [now, timers, deliveries] = [queue.now(), queue.timers(), queue.deliveries()]
  const expectedKeys = new Set<string>()
  for (const delivery of deliveries) {
    const fault = faultOf(delivery, queue)
    if (fault) return `${fault}: ${JSON.stringify(delivery)}`
    const { webhookId, id, state, createdAt, dueAt } = delivery
    expectedKeys
      .add(JSON.stringify([org, webhookId, 'all', createdAt, id]))
      .add(JSON.stringify([org, webhookId, state, createdAt, id]))
    if (dueAt !== undefined) expectedKeys.add(JSON.stringify([org, webhookId, 'due', dueAt, id]))
  }
  const indexKeys = queue.indexKeys()
  if (indexKeys.length !== expectedKeys.size || !indexKeys.every((key) => expectedKeys.has(key)))
    return 'the shelves do not match'
  const webhookIds = new Set(queue.webhooks().map(({ id }) => id))
  if (deliveries.some(({ webhookId }) => !webhookIds.has(webhookId))) return 'a delivery outlived its webhook'
  for (const webhook of queue.webhooks()) {
    const own = deliveries.filter(({ webhookId }) => webhookId === webhook.id)
    const trying = own.filter((delivery) => delivery.inFlight !== undefined).map(({ id }) => id)
    if (trying.sort().join() !== [...webhook.inFlight].sort().join()) return 'a webhook is wrong about what it tries'
    if (trying.length > orgWebhook.triesInFlightPerWebhook) return 'too many tries at once'
    const dueAt = own.flatMap((delivery) => delivery.dueAt ?? [])
    const most = webhook.lastDeliveryStatus === 'failure' ? 1 : orgWebhook.triesInFlightPerWebhook
    const wakeAt = timers.get(`webhooks.due:${webhook.id}`)
    if (webhook.active && trying.length < most) {
      if (dueAt.some((at) => at <= now)) return 'something is due, there is room, and it does not start'
      if (dueAt.length > 0 && wakeAt !== Math.min(...dueAt)) return 'nobody will wake up for what is due next'
    }
    if (own.length > 0 && !timers.has(`webhooks.sweep:${webhook.id}`)) return 'nobody will sweep'
    if (own.some(({ createdAt }) => createdAt + orgWebhook.retentionMs < now)) return 'an old delivery is still there'
  }
  return undefined
}

function faultOf(delivery: Delivery, { pendingTries }: Queue): string | undefined {
  const { state, inFlight: trying, dueAt, triesInSchedule: tried, attempts, attemptCount } = delivery
  if ((state === 'pending') !== ((trying === undefined) !== (dueAt === undefined))) return 'neither waiting nor trying'
  if (tried < 0 || tried > orgWebhook.retryAfterMs.length) return 'tried too often'
  if (attempts.length > orgWebhook.retainedAttempts || attempts.length > attemptCount) return 'too long a history'
  const reports = pendingTries.filter((each) => each.deliveryId === delivery.id && each.tryNumber === trying)
  if (trying !== undefined && reports.length !== 1) return 'a try that nobody makes'
  return undefined
}

t.test('For any order of events, every delivery waits, is being tried, or has ended', async () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), (steps) => {
      const queue = openQueue()
      applyStep(queue, { do: 'create', active: true }, -1)
      for (const [made, action] of steps.entries()) {
        applyStep(queue, action, made)
        const fault = findFault(queue)
        if (fault) throw new Error(`after ${JSON.stringify(action)}: ${fault}`)
      }
      // Once all webhooks are active and answer well, nothing stays pending.
      for (const [index] of queue.webhooks().entries()) applyStep(queue, { do: 'activate', pick: index }, -1)
      for (let roundsLeft = 5_000; queue.deliveries().some(({ state }) => state === 'pending'); roundsLeft--) {
        if (roundsLeft === 0) throw new Error('a delivery is stuck')
        if (queue.pendingTries.length > 0) applyStep(queue, { do: 'report', pick: 0, kind: 'succeeded' }, -1)
        else applyStep(queue, { do: 'wait', ms: 13 * hour }, -1)
      }
    }),
    { numRuns: 40 },
  )
})

t.test('A webhook is created, read, changed and deleted as the contract says', async (t) => {
  const node = await openWebhookNode(t)
  const list = '/orgs/acme/webhooks'
  t.strictSame(await node.call('GET', list), { status: 200, json: { data: [] } })
  const made = await node.call('POST', list, { url: 'http://127.0.0.1:9/a' })
  t.equal(made.status, 201)
  const { signingSecret, ...webhook } = made.json
  t.match(signingSecret, /^ws-svc-[0-9A-Za-z]{43}$/)
  t.match(webhook.id, /^wh_[0-9a-z]{26}$/)
  const stamp = new Date(began).toISOString()
  t.strictSame(webhook, {
    id: webhook.id,
    url: 'http://127.0.0.1:9/a',
    events: [],
    active: true,
    signingSecretPrefix: signingSecret.slice(0, 13),
    createdAt: stamp,
    updatedAt: stamp,
  })
  const path = `${list}/${webhook.id}`
  t.strictSame(await node.call('GET', path), { status: 200, json: webhook })
  t.strictSame((await node.call('GET', list)).json, { data: [webhook] })
  node.clock.advance(second)
  const events = ['send.state_changed', 'agent.created', 'send.state_changed']
  const patched = await node.call('PATCH', path, {
    events,
    description: 'Ours',
    active: false,
    url: 'http://127.0.0.1:9/b',
  })
  const changed = {
    ...webhook,
    url: 'http://127.0.0.1:9/b',
    events: ['send.state_changed', 'agent.created'],
    active: false,
    description: 'Ours',
    updatedAt: new Date(began + second).toISOString(),
  }
  t.strictSame(patched, { status: 200, json: changed })
  t.strictSame((await node.call('PATCH', path, {})).json, changed, 'an empty PATCH changes nothing')
  const { description: _description, ...cleared } = changed
  t.strictSame((await node.call('PATCH', path, { description: null })).json, cleared)
  const rotated = await node.call('POST', `${path}/_rotate`)
  t.equal(rotated.status, 200)
  t.not(rotated.json.signingSecret, signingSecret)
  t.equal(rotated.json.signingSecretPrefix, rotated.json.signingSecret.slice(0, 13))
  const { signingSecret: _signingSecret, ...after } = rotated.json
  t.strictSame((await node.call('GET', path)).json, after, 'the secret is not shown again')

  await node.webhook('http://127.0.0.1:9/c')
  t.equal((await node.call('GET', list)).json.data.length, 2)
  t.strictSame(await node.call('DELETE', path), { status: 204, json: undefined })
  for (const [method, missingPath, body] of [
    ['GET', path],
    ['PATCH', path, { active: true }],
    ['DELETE', path],
    ['POST', `${path}/_rotate`],
    ['GET', `${path}/deliveries`],
    ['POST', `${path}/deliveries/dl_1/_replay`],
  ] as const) {
    t.match(
      await node.call(method, missingPath, body),
      { status: 404, json: { code: 'resource.not_found' } },
      `${method} ${missingPath}`,
    )
  }
  const data = readdirSync(node.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join()
  t.ok(data.includes('http://127.0.0.1:9/c'), 'these files contain the stored data')
  for (const secret of [signingSecret, rotated.json.signingSecret]) {
    t.notOk(data.includes(secret.slice(13)), 'no secret lies readable on disk')
    t.notOk(node.lines.join('').includes(secret))
  }
})

t.test('An invalid body, a foreign caller and one webhook too many are refused and change nothing', async (t) => {
  const node = await openWebhookNode(t, { allowPrivate: false })
  const list = '/orgs/acme/webhooks'
  const url = 'https://hooks.example.com/in'
  const { id } = await node.webhook(url)
  const before = await node.read(id)
  const bad: [body: unknown, field: string][] = [
    [{ url: 'http://hooks.example.com/' }, 'url'],
    [{ url: 'https://127.1/' }, 'url'],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, 'url'],
    [{ url: 'https://a:b@hooks.example.com/' }, 'url'],
    [{ url: `https://hooks.example.com/${'x'.repeat(orgWebhook.urlChars)}` }, 'url'],
    [{ url: 7 }, 'url'],
    [{ url, events: ['agent.created', 'agent.exploded'] }, 'events[1]'],
    [{ url, events: 'agent.created' }, 'events'],
    [{ url, active: 'yes' }, 'active'],
    [{ url, description: 'x'.repeat(orgWebhook.descriptionChars + 1) }, 'description'],
    [{ url, signingSecret: 'mine' }, 'signingSecret'],
    [{ url, id: 'wh_mine' }, 'id'],
  ]
  for (const [body, field] of bad) {
    for (const [method, path] of [
      ['POST', list],
      ['PATCH', `${list}/${id}`],
    ] as const) {
      const refused = await node.call(method, path, body)
      t.match(refused, { status: 422, json: { code: 'request.invalid', errors: [{ field }] } }, `${method} ${field}`)
    }
  }
  t.match(await node.call('POST', list, {}), { status: 422, json: { errors: [{ field: 'url' }] } })
  t.match(await node.call('POST', list, { url, description: null }), { status: 422 })
  t.strictSame(await node.read(id), before)

  t.match(await node.call('GET', `${list}/${id}`, undefined, 'other admin'), { status: 404 })
  t.match(await node.call('GET', `/orgs/other/webhooks/${id}`, undefined, 'other admin'), { status: 404 })
  t.match(await node.call('GET', list, undefined, 'acme editor'), { status: 403, json: { code: 'auth.forbidden' } })
  await Promise.all(Array.from({ length: orgWebhook.perOrg - 1 }, () => node.webhook(url)))
  t.match(await node.call('POST', list, { url }), { status: 422, json: { code: 'request.invalid' } })
  t.equal((await node.call('GET', list)).json.data.length, orgWebhook.perOrg)
  t.equal(
    (await node.call('POST', '/orgs/other/webhooks', { url }, 'other admin')).status,
    201,
    'the limit is the org’s own',
  )
})

t.test('An event reaches its subscribed webhooks, signed, and is retried until it is accepted', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/flaky', answer(500, 503, 200))
  const flaky = await node.webhook(receiver.url('/flaky'))
  await node.webhook(receiver.url('/elsewhere'), { events: ['agent.deleted'] })
  await node.webhook(receiver.url('/nothing'), { events: [] })
  await node.webhook(receiver.url('/asleep'), { active: false })
  await node.call(
    'POST',
    '/orgs/other/webhooks',
    { url: receiver.url('/foreign'), events: ['agent.created'] },
    'other admin',
  )
  await node.emit({ name: 'Åse ✓ \ud800' })

  const first = await afterTries(node, flaky.id, 1)
  t.match(first, { state: 'pending', attempts: [{ at: new Date(began).toISOString(), status: 500 }] })
  const wait = Date.parse(first.nextAttemptAt!) - began
  t.ok(wait >= 5 * second && wait <= 6 * second)
  t.match(await node.read(flaky.id), { lastDeliveryStatus: 'failure', lastDeliveryAt: new Date(began).toISOString() })
  node.clock.advance(wait - 1)
  await quiet()
  t.equal(receiver.at('/flaky').length, 1, 'not before its time')
  node.clock.advance(1)
  await afterTries(node, flaky.id, 2)
  node.clock.advance(6 * minute)
  const done = await afterTries(node, flaky.id, 3)
  t.match(done, {
    state: 'delivered',
    attemptCount: 3,
    attempts: [{ status: 500 }, { status: 503 }, { status: 200 }],
  })
  t.notOk('nextAttemptAt' in done)
  t.match(await node.read(flaky.id), { lastDeliveryStatus: 'success' })

  const tries = receiver.at('/flaky')
  t.equal(tries.length, 3)
  for (const each of tries) {
    t.ok(isSignedWith(flaky.signingSecret, each))
    t.strictSame(each.body, tries[0]!.body, 'the same bytes every time')
    t.match(each.headers, {
      'content-type': 'application/json',
      'user-agent': 'Parley-Webhooks/1',
      'x-svc-event-type': 'agent.created',
      'x-svc-event-id': done.event.id,
    })
  }
  t.strictSame(
    tries.map((each) => Number(each.headers['x-svc-request-timestamp']) * 1000 - began),
    [0, wait, wait + 6 * minute].map((ms) => Math.floor(ms / 1000) * 1000),
    'a fresh timestamp every time',
  )
  const event = JSON.parse(tries[0]!.body.toString())
  t.strictSame(Object.keys(event), ['id', 'type', 'orgId', 'agentId', 'createdAt', 'data'])
  t.match(event, { type: 'agent.created', orgId: 'acme', agentId: 'nova', createdAt: new Date(began).toISOString() })
  t.match(event.id, /^ev_[0-9a-z]{26}$/)
  t.equal(event.data.name, 'Åse ✓ \ud800')
  t.strictSame(event, done.event)
  for (const path of ['/elsewhere', '/nothing', '/asleep', '/foreign']) t.equal(receiver.at(path).length, 0, path)
})

t.test('Only a 2xx response is success; failures are in the log', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  const cases: Record<string, { how: Behavior; log: object; state: string }> = {
    '/taken': { how: answer(299), log: { status: 299 }, state: 'delivered' },
    '/gone': { how: answer(410), log: { status: 410 }, state: 'pending' },
    '/busy': { how: answer(429), log: { status: 429 }, state: 'pending' },
    '/moved': {
      how: (response) => void response.writeHead(307, { location: receiver.url('/target') }).end(),
      log: { status: 307, error: 'Redirects are not followed.' },
      state: 'pending',
    },
    '/reset': {
      how: (response) => void response.socket?.resetAndDestroy(),
      log: { error: /closed/ },
      state: 'pending',
    },
    '/slow': { how: (response) => void response.flushHeaders(), log: { status: 200 }, state: 'delivered' },
  }
  const made: Record<string, string> = {}
  for (const [path, { how }] of Object.entries(cases)) {
    receiver.setBehavior(path, how)
    made[path] = (await node.webhook(receiver.url(path))).id
  }
  await node.emit()
  for (const [path, { log, state }] of Object.entries(cases)) {
    const delivery = await afterTries(node, made[path]!, 1)
    t.match(delivery, { state, attempts: [log] }, path)
    t.equal('error' in delivery.attempts[0]!, 'error' in log, path)
  }
  t.equal(receiver.at('/target').length, 0)

  const limits = { connectMs: 20_000, headersMs: 200, totalMs: 20_000, answerBytes: egress.answerBytes }
  const impatient = await openWebhookNode(t, { limits })
  receiver.setBehavior('/hang', hang)
  const { id } = await impatient.webhook(receiver.url('/hang'))
  await impatient.emit()
  const hung = await afterTries(impatient, id, 1)
  t.match(hung, { state: 'pending', attempts: [{ error: /in time/ }] })
  t.notOk('status' in hung.attempts[0]!)
})

t.test('After its last attempt a delivery has failed; a replay gives it a new schedule', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/down', answer(500))
  const { id } = await node.webhook(receiver.url('/down'))
  await node.emit()
  const all = orgWebhook.retryAfterMs.length
  let delivery: DeliveryView | undefined
  for (let round = 1; round <= 3; round++) {
    for (let tried = 1; tried <= all; tried++) {
      delivery = await afterTries(node, id, (round - 1) * all + tried)
      t.equal(delivery.state, tried === all ? 'failed' : 'pending')
      t.equal('nextAttemptAt' in delivery, tried < all)
      if (tried < all) node.clock.advance(Date.parse(delivery.nextAttemptAt!) - node.clock.now())
    }
    node.clock.advance(2 * day)
    await quiet()
    t.equal(receiver.at('/down').length, round * all, 'and no more')
    if (round === 3) receiver.setBehavior('/down', answer(200))
    const replayed = await node.call('POST', `/orgs/acme/webhooks/${id}/deliveries/${delivery!.id}/_replay`)
    t.match(replayed, { status: 202, json: { id: delivery!.id, state: 'pending', attemptCount: round * all } })
  }
  delivery = await afterTries(node, id, 3 * all + 1)
  t.match(delivery, { state: 'delivered', attemptCount: 3 * all + 1 })
  t.equal(delivery.attempts.length, orgWebhook.retainedAttempts)
  t.equal(new Set(receiver.at('/down').map((each) => String(each.body))).size, 1, 'one event all along')
  t.match(await node.call('POST', `/orgs/acme/webhooks/${id}/deliveries/dl_unknown/_replay`), { status: 404 })
  const repeated = await node.call('POST', `/orgs/acme/webhooks/${id}/deliveries/${delivery.id}/_replay`)
  t.match(repeated, { status: 202, json: { state: 'pending' } }, 'one that was delivered can be replayed too')
  await afterTries(node, id, 3 * all + 2)
})

t.test('For any change of the clock, deliveries wait no longer than the schedule says', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  for (const [nth, backMs] of [hour, -hour, 2 * day].entries()) {
    const path = `/hook${nth}`
    receiver.setBehavior(path, (response, call) => response.writeHead(call <= 2 ? 500 : 200).end())
    const { id } = await node.webhook(receiver.url(path))
    await node.emit({ nth: 1 })
    await node.emit({ nth: 2 })
    await waitUntil(
      async () => (await node.deliveries(id)).filter(({ attemptCount }) => attemptCount === 1).length === 2,
    )
    node.clock.setBack(backMs)
    let passed = 0
    while ((await node.deliveries(id, '?state=delivered')).length < 2 && passed < hour) {
      node.clock.advance(30 * second)
      passed += 30 * second
      await quiet()
    }
    t.ok(passed <= 2 * minute, `both came after ${passed / second} seconds`)
    t.equal(receiver.at(path).length, 4)
  }
})

t.test('A webhook that was busy or paused while the clock was set back is tried in time', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/hook', answer(500, 200))
  const { id } = await node.webhook(receiver.url('/hook'))
  await node.emit()
  await afterTries(node, id, 1)
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: false })
  node.clock.setBack(day)
  node.clock.advance(minute)
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: true })
  for (let passed = 0; passed < minute; passed += 10 * second) {
    node.clock.advance(10 * second)
    await quiet()
  }
  t.match(await node.deliveries(id), [{ state: 'delivered', attemptCount: 2 }])
})

t.test('From the answer to a rotation on, no call is signed with the old secret', async (t) => {
  let release = (_addresses: string[]) => {}
  const held = new Promise<string[]>((resolve) => {
    release = resolve
  })
  let isConnecting = false
  const resolve = () => {
    isConnecting = true
    return held
  }
  const [node, receiver] = [await openWebhookNode(t, { resolve }), await openReceiver(t)]
  const rotate = async (id: string): Promise<string> =>
    (await node.call('POST', `/orgs/acme/webhooks/${id}/_rotate`)).json.signingSecret

  // Between two tries.
  receiver.setBehavior('/between', answer(500, 200))
  const between = await node.webhook(receiver.url('/between'))
  // While four tries wait for an answer, and more wait behind them.
  receiver.setBehavior('/answering', (response, nth) => nth > 4 && response.end())
  const answering = await node.webhook(receiver.url('/answering'), { events: ['agent.updated'] })
  // While a try is still connecting.
  const slow = await node.webhook(`http://slow.example:${receiver.port}/connecting`, { events: ['agent.deleted'] })

  await node.emit()
  await afterTries(node, between.id, 1)
  const newBetween = await rotate(between.id)
  node.clock.advance(6 * second)
  await afterTries(node, between.id, 2)
  const [first, second_] = receiver.at('/between') as [Received, Received]
  t.ok(isSignedWith(between.signingSecret, first))
  t.ok(isSignedWith(newBetween, second_))
  t.notOk(isSignedWith(between.signingSecret, second_))

  await Promise.all(Array.from({ length: 10 }, (_, count) => node.emit({ count }, 'agent.updated')))
  await waitUntil(() => receiver.at('/answering').length === orgWebhook.triesInFlightPerWebhook)
  const newAnswering = await rotate(answering.id)
  await waitUntil(async () => (await node.deliveries(answering.id, '?state=delivered')).length === 10)
  for (const [index, each] of receiver.at('/answering').entries()) {
    t.ok(isSignedWith(index < 4 ? answering.signingSecret : newAnswering, each))
  }
  const counts = (await node.deliveries(answering.id)).map((delivery) => delivery.attemptCount)
  t.strictSame(counts, Array(10).fill(1), 'a try that was cut by us does not count')

  await node.emit({}, 'agent.deleted')
  await waitUntil(() => isConnecting)
  const newSlow = await rotate(slow.id)
  release(['127.0.0.1'])
  await afterTries(node, slow.id, 1)
  t.strictSame(
    receiver.at('/connecting').map((each) => isSignedWith(newSlow, each)),
    [true],
  )
})

t.test('A paused webhook gets no calls: pending and new deliveries wait', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/hook', (response, nth) => {
    if (nth === 1) response.writeHead(500).end()
    else if (nth > 2) response.end()
  })
  const { id } = await node.webhook(receiver.url('/hook'))
  await node.emit({ nth: 1 })
  await afterTries(node, id, 1)
  await node.emit({ nth: 2 })
  await waitUntil(() => receiver.at('/hook').length === 2)
  t.match(await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: false }), { status: 200 })
  await node.emit({ nth: 3 })
  await waitUntil(async () => (await node.deliveries(id)).length === 3)
  node.clock.advance(3 * day)
  await quiet()
  t.equal(receiver.at('/hook').length, 2)
  const held = await node.deliveries(id)
  t.strictSame(held.map(({ state, event }) => [state, event.data.nth]).sort(), [
    ['pending', 1],
    ['pending', 2],
    ['pending', 3],
  ])
  t.notOk(held.some((delivery) => 'nextAttemptAt' in delivery))
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: true })
  await waitUntil(async () => (await node.deliveries(id, '?state=delivered')).length === 3)
  t.equal(receiver.at('/hook').length, 5)
})

t.test('Events during a pause wait for the webhook, oldest first, for as long as the log is kept', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/hook', (response) => void response.end())
  const { id } = await node.webhook(receiver.url('/hook'), { active: false })
  const elsewhere = await node.webhook(receiver.url('/elsewhere'), { active: false, events: ['agent.deleted'] })
  await node.emit({ nth: 0 })
  await waitUntil(async () => (await node.deliveries(id)).length === 1)
  node.clock.advance(20 * day)
  for (const nth of [1, 2, 3]) {
    await node.emit({ nth })
    await waitUntil(async () => (await node.deliveries(id)).length === nth + 1)
    node.clock.advance(second)
  }
  node.clock.advance(11 * day)
  await waitUntil(async () => (await node.deliveries(id)).length === 3)
  t.equal(receiver.at('/hook').length, 0, 'no call is made during the pause')
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: true })
  await waitUntil(async () => (await node.deliveries(id, '?state=delivered')).length === 3)
  t.same(
    receiver
      .at('/hook')
      .map(({ body }) => JSON.parse(String(body)).data.nth)
      .sort(),
    [1, 2, 3],
    'deliveries older than the log are dropped',
  )
  t.same(await node.deliveries(elsewhere.id), [], 'events without a subscription never wait')
})

t.test('A webhook with a new URL keeps its pending deliveries', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/old', hang)
  const { id } = await node.webhook(receiver.url('/old'))
  await node.emit()
  await waitUntil(() => receiver.at('/old').length === 1)
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { url: receiver.url('/new') })
  t.match(await afterTries(node, id, 1), { state: 'delivered', attempts: [{ status: 200 }] })
  t.equal(receiver.at('/old').length, 1)
  t.equal(receiver.at('/new').length, 1)
})

t.test('A deleted webhook leaves no attempt, no delivery and no timer', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/hook', (response, nth) => nth === 1 && response.writeHead(500).end())
  const { id } = await node.webhook(receiver.url('/hook'))
  await node.emit()
  await afterTries(node, id, 1)
  for (let count = 0; count < orgWebhook.rowsPerSweep + 20; count++) void node.emit({ count })
  const logged = () => [...node.space('acme').range(indexTable, { prefix: ['acme', id, 'all'] })].length
  await waitUntil(() => logged() > orgWebhook.rowsPerSweep)
  await waitUntil(() => receiver.at('/hook').length === 2)
  await node.call('DELETE', `/orgs/acme/webhooks/${id}`)
  node.clock.advance(10)
  await waitUntil(() => node.rows(outboxTable).length === 0 && node.rows(timerTable).length === 0)
  for (const table of [webhookTable, deliveryTable, indexTable, timerNameTable]) {
    t.strictSame(node.rows(table as typeof webhookTable), [], table.name)
  }
  node.clock.advance(3 * day)
  await quiet()
  t.equal(receiver.at('/hook').length, 2)
})

t.test('A dead endpoint delays no other, and gets one call at a time', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  let waiting = 0
  let most = 0
  receiver.setBehavior('/dead', (response) => {
    most = Math.max(most, ++waiting)
    response.on('close', () => waiting--)
  })
  receiver.setBehavior('/failing', (response) => {
    const others = receiver.at('/failing').length
    if (others <= orgWebhook.triesInFlightPerWebhook) response.writeHead(500).end()
  })
  const dead = await node.webhook(receiver.url('/dead'))
  const failing = await node.webhook(receiver.url('/failing'))
  const well = await node.webhook(receiver.url('/well'))
  await Promise.all(Array.from({ length: 30 }, (_, count) => node.emit({ count })))
  await waitUntil(async () => (await node.deliveries(well.id, '?state=delivered')).length === 30)
  await waitUntil(() => receiver.at('/dead').length >= orgWebhook.triesInFlightPerWebhook)
  await quiet()
  t.equal(receiver.at('/dead').length, orgWebhook.triesInFlightPerWebhook)
  t.equal(most, orgWebhook.triesInFlightPerWebhook)
  t.equal((await node.deliveries(dead.id, '?state=pending')).length, 30)
  await waitUntil(() => receiver.at('/failing').length > orgWebhook.triesInFlightPerWebhook)
  const { inFlight: trying } = node.space('acme').get(webhookTable, ['acme', failing.id])!
  t.equal(trying.length, orgWebhook.triesInFlightWhileFailing)
})

t.test('The log of deliveries is listed newest first, page by page, by state', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/hook', answer(200, 200, 500, 200))
  const { id } = await node.webhook(receiver.url('/hook'))
  const path = `/orgs/acme/webhooks/${id}/deliveries`
  t.strictSame((await node.call('GET', path)).json, { data: [] })
  for (let count = 0; count < 5; count++) {
    node.clock.advance(1)
    await node.emit({ count })
    await afterTries(node, id, 1)
    await waitUntil(() => receiver.at('/hook').length === count + 1)
  }
  await waitUntil(async () => (await node.deliveries(id, '?state=delivered')).length === 4)
  const seen: unknown[] = []
  let token: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await node.call('GET', `${path}?limit=2${token ? `&pageToken=${token}` : ''}`)
    seen.push(...page.json.data.map((each: DeliveryView) => each.event.data.count))
    token = page.json.nextPageToken
    t.equal(token === undefined, pages === 3)
    if (!token) break
  }
  t.strictSame(seen, [4, 3, 2, 1, 0])
  t.match(await node.deliveries(id, '?state=pending'), [{ event: { data: { count: 2 } } }])
  t.strictSame(await node.deliveries(id, '?state=failed'), [])
  const { nextPageToken } = (await node.call('GET', `${path}?limit=2`)).json
  const bad: [query: string, field: string][] = [
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['state=lost', 'state'],
    ['page=2', 'page'],
    ['pageToken=', 'pageToken'],
    ['pageToken=abc', 'pageToken'],
    [`pageToken=${nextPageToken}x${nextPageToken}`, 'pageToken'],
    [`state=delivered&pageToken=${nextPageToken}`, 'pageToken'],
  ]
  for (const [query, field] of bad) {
    t.match(await node.call('GET', `${path}?${query}`), { status: 422, json: { errors: [{ field }] } }, query)
  }
  const other = await node.webhook(receiver.url('/hook'))
  const foreign = `/orgs/acme/webhooks/${other.id}/deliveries?pageToken=${nextPageToken}`
  t.match(await node.call('GET', foreign), { status: 422 }, 'a token of one list opens no other')
})

t.test('A repeated event is delivered once, and an outdated attempt is not made', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  const { id } = await node.webhook(receiver.url('/hook'))
  const payload: OrgEventPayload = { type: 'agent.created', orgId: 'acme', agentId: 'nova', data: {} }
  const enqueueEvent = (event: OrgEventPayload, id: string) => node.ask('acme', node.commands.enqueue, event, { id })
  t.strictSame(await Promise.all([enqueueEvent(payload, 'c1:0'), enqueueEvent(payload, 'c1:0')]), [1, 1])
  t.equal(await enqueueEvent(payload, 'c1:0'), 1)
  t.equal(await enqueueEvent({ ...payload, agentId: 'vega' }, 'c2:0'), 1)
  await waitUntil(async () => (await node.deliveries(id, '?state=delivered')).length === 2)
  t.equal(receiver.at('/hook').length, 2)
  const [first] = node.rows(deliveryTable).map((row) => row.value) as [Delivery]
  const which = { orgId: 'acme', webhookId: id, deliveryId: first.id, tryNumber: 1 }
  await node.runAttempt(which)
  t.equal(receiver.at('/hook').length, 2, 'a try that is over is not made again')

  // A try that waited its turn while its webhook was paused.
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: false })
  const waiting: Delivery = { ...first, state: 'pending', inFlight: 1 }
  const space = node.space('acme')
  await space.commit(space.encode([{ table: deliveryTable as never, key: ['acme', id, first.id], value: waiting }]))
  await node.runAttempt(which)
  t.equal(receiver.at('/hook').length, 2, 'a try whose webhook is paused is not made')
  const held = space.get(deliveryTable, ['acme', id, first.id])
  t.match(held, { state: 'pending', inFlight: undefined, dueAt: began, attemptCount: 1 })
})

t.test('A restart loses no delivery and does not count an unfinished attempt', async (t) => {
  const [clock, dir, receiver] = [createLeapingClock(), tempDir(t), await openReceiver(t)]
  receiver.setBehavior('/hang', hang)
  receiver.setBehavior('/retry', answer(500, 200))
  const before = await openWebhookNode(t, { clock, dir })
  const hanging = await before.webhook(receiver.url('/hang'))
  const retried = await before.webhook(receiver.url('/retry'))
  await before.emit()
  await afterTries(before, retried.id, 1)
  await waitUntil(() => receiver.at('/hang').length === 1)
  await before.close()
  receiver.setBehavior('/hang', answer(200))
  clock.advance(6 * second)
  const after = await openWebhookNode(t, { clock, dir })
  t.match(await afterTries(after, hanging.id, 1), { state: 'delivered', attemptCount: 1, attempts: [{ status: 200 }] })
  t.match(await afterTries(after, retried.id, 2), { state: 'delivered', attemptCount: 2 })
  const [cut, repeated] = receiver.at('/hang') as [Received, Received]
  t.strictSame(repeated.body, cut.body)
})

t.test('An attempt whose shard leaves the process is aborted, stays pending and does not count', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/hook', (response, nth) => nth === 4 && response.end())
  const { id } = await node.webhook(receiver.url('/hook'))
  await node.emit()
  await waitUntil(() => receiver.at('/hook').length === 1)
  const delivery = () => node.rows(deliveryTable)[0]!.value
  const which = { orgId: 'acme', webhookId: id, deliveryId: delivery().id, tryNumber: 1 }
  const lost = new AbortController()
  const cut = node.runAttempt(which, lost.signal)
  await waitUntil(() => receiver.at('/hook').length === 2)
  lost.abort()
  await t.rejects(cut, /left this node/, 'the next owner of the shard makes it again')
  await t.rejects(node.runAttempt(which, lost.signal), /left this node/)
  t.equal(receiver.at('/hook').length, 2, 'without the shard no call is made')
  t.match(delivery(), { state: 'pending', inFlight: 1, triesInSchedule: 1, attemptCount: 0 })

  // Both at once: the webhook pauses while the shard goes. The next owner decides what becomes of the try.
  const both = new AbortController()
  const paused = t.rejects(node.runAttempt(which, both.signal), /left this node/)
  await waitUntil(() => receiver.at('/hook').length === 3)
  both.abort()
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: false })
  await paused
  await waitUntil(() => delivery().inFlight === undefined)
  t.match(
    delivery(),
    { state: 'pending', triesInSchedule: 0, attemptCount: 0 },
    'the one the shard itself had under way was cut',
  )
  await node.call('PATCH', `/orgs/acme/webhooks/${id}`, { active: true })
  t.match(await afterTries(node, id, 1), { state: 'delivered', attemptCount: 1 })
})

t.test('An attempt waits while the key of its secret is unavailable', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  receiver.setBehavior('/hook', hang)
  const { id } = await node.webhook(receiver.url('/hook'))
  await node.emit()
  await waitUntil(() => receiver.at('/hook').length === 1)
  const which = { orgId: 'acme', webhookId: id, deliveryId: node.rows(deliveryTable)[0]!.value.id, tryNumber: 1 }
  const shut: Sealer = { ...sealer, open: async () => refuse('service.unavailable') }
  await t.rejects(node.runAttempt(which, undefined, shut), /cannot be had/)
  t.match(node.rows(deliveryTable), [{ value: { state: 'pending', inFlight: 1, attemptCount: 0 } }])
  t.equal(receiver.at('/hook').length, 1)
})

t.test('Deliveries are deleted after thirty days, and every wait follows the time scale', async (t) => {
  const timeScale = 1000
  const [node, receiver] = [await openWebhookNode(t, { timeScale }), await openReceiver(t)]
  receiver.setBehavior('/hook', answer(500, 200))
  const { id } = await node.webhook(receiver.url('/hook'))
  await node.emit({ nth: 1 })
  const tried = await afterTries(node, id, 1)
  t.ok(Date.parse(tried.nextAttemptAt!) - began <= 6)
  node.clock.advance(6)
  await afterTries(node, id, 2)
  node.clock.advance((10 * day) / timeScale)
  await node.emit({ nth: 2 })
  await waitUntil(async () => (await node.deliveries(id)).length === 2)
  node.clock.advance((20 * day) / timeScale)
  await waitUntil(async () => (await node.deliveries(id)).length === 1)
  t.match(await node.deliveries(id), [{ event: { data: { nth: 2 } } }])
  node.clock.advance((10 * day) / timeScale)
  await waitUntil(() => node.rows(indexTable).length === 0)
  t.strictSame(node.rows(timerTable), [])
  t.match(await node.read(id), { id, lastDeliveryStatus: 'success' })
})

t.test('A webhook whose secret cannot be opened fails its attempts and says what to do', async (t) => {
  const [node, receiver] = [await openWebhookNode(t), await openReceiver(t)]
  const { id } = await node.webhook(receiver.url('/hook'))
  const sealed = (await sealer.seal('acme', 'webhook', 'wh_another', 'ws-svc-x')) as Uint8Array
  const change = { sealed, prefix: 'ws-svc-x' }
  await node.ask('acme', node.commands.rotate, { orgId: 'acme', id, change })
  await node.emit()
  t.match(await afterTries(node, id, 1), { state: 'pending', attempts: [{ error: /rotate/ }] })
  t.equal(receiver.at('/hook').length, 0)
})

t.test('A private URL that was once allowed is not called when private URLs are forbidden', async (t) => {
  const [clock, dir, receiver] = [createLeapingClock(), tempDir(t), await openReceiver(t)]
  const lenient = await openWebhookNode(t, { clock, dir })
  const { id } = await lenient.webhook(receiver.url('/hook'))
  await lenient.close()
  const node = await openWebhookNode(t, { clock, dir, allowPrivate: false })
  await node.emit()
  t.match(await afterTries(node, id, 1), { state: 'pending', attempts: [{ error: /public address/ }] })
  t.equal(receiver.at('/hook').length, 0)
})

t.test('The events of the catalog are those that an org can subscribe to', async (t) => {
  t.strictSame(orgEventNames, [
    'agent.created',
    'agent.updated',
    'agent.deleted',
    'channel.status_changed',
    'send.state_changed',
    'campaign.status_changed',
    'test.run_completed',
    'person.opted_out',
    'person.opted_in',
    'api_key.created',
    'api_key.revoked',
    'connection.status_changed',
  ])
  const node = await openWebhookNode(t)
  const made = await node.webhook('http://127.0.0.1:9/', { events: orgEventNames })
  t.strictSame(made.events, orgEventNames)
})
