/**
 * A node with org webhooks alone: real store, engine, serialization and pipeline, and its own limits and lookups of
 * egress.
 */

import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { expandScopes, type Member } from '../../core/access.js'
import { egress } from '../../core/limits/index.js'
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import { createWebhooks } from '../../mgmt/webhooks/index.js'
import type { WebhookTry } from '../../mgmt/webhooks/queue.js'
import type { DeliveryView, WebhookView } from '../../mgmt/webhooks/schema.js'
import type { Sealer } from '../../mgmt/webhooks/secret.js'
import { signedHeaders } from '../../runtime/agentwebhook/sign.js'
import { checkUrl } from '../../runtime/egress/guard.js'
import { openPoster, type PosterOptions } from '../../runtime/egress/post.js'
import { createPageTokens } from '../../runtime/http/pagetokens.js'
import { createPipeline } from '../../runtime/http/pipeline.js'
import { createLog } from '../../runtime/observe/log.js'
import { createMetrics } from '../../runtime/observe/metrics.js'
import { open as openSealed, seal } from '../../runtime/secrets/seal.js'
import type { Command, Shards } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import { shardOf } from '../../runtime/shard/placement.js'
import type { Key, Row, Table } from '../../runtime/store/contract.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { allRows } from './allrows.js'
import { createLeapingClock, type LeapingClock, waitUntil } from './clock.js'
import { injectInto } from './injection.js'
import { withSerialization } from './serialization.js'
import { tempDir } from './tempdir.js'

const dataKey = Buffer.alloc(32, 7)
export const sealer: Sealer = {
  seal: async (orgId, kind, id, plaintext) => seal(dataKey, { orgId, kind, id }, plaintext),
  open: async (orgId, kind, id, sealed) => openSealed(dataKey, { orgId, kind, id }, sealed).toString(),
}

/** A command of another area, as it publishes an org event. */
function emitWith(enqueue: Command<OrgEventPayload, unknown>): Command<OrgEventPayload, true> {
  return {
    name: 'test.emit',
    decide(tx, payload) {
      tx.send(payload.orgId, enqueue, payload)
      return true
    },
  }
}

const shardCount = 16

export interface WebhookNodeOptions extends Partial<PosterOptions> {
  readonly timeScale?: number
  readonly dir?: string
  readonly clock?: LeapingClock
}

/** One node that lacks only the socket of the management API: tests inject requests into its pipeline. */
export async function openWebhookNode(t: Test, options: WebhookNodeOptions = {}) {
  const { clock = createLeapingClock(), timeScale = 1, allowPrivate = true } = options
  const dir = options.dir ?? tempDir(t)
  const lines: string[] = []
  const { log } = createLog({ destination: { write: (line) => lines.push(line) } })
  const store = await openStore({ dir, shards: shardCount })
  const patient = { connectMs: 20_000, headersMs: 20_000, totalMs: 20_000, answerBytes: egress.answerBytes }
  const poster = openPoster({ limits: patient, ...options, allowPrivate })
  const webhooks = createWebhooks({
    ...{ randomBytes, clock, timeScale },
    post: poster.post,
    sign: signedHeaders,
    checkUrl: (url) => checkUrl(url, { allowPrivate }),
    metrics: createMetrics(),
  })
  const { commands, module, orgEvent } = webhooks
  const emit = emitWith(orgEvent)
  const handlersOver = (shards: Shards, sealedBy = sealer) =>
    webhooks.effectHandlers({ shards: withSerialization(shards), sealer: sealedBy as never })
  const engine = withSerialization(
    openEmbedded({
      shards: shardCount,
      store,
      handlers: {
        commands: [...module.commands, emit],
        queries: module.queries,
        effectHandlers: (shards) => handlersOver(shards),
      },
      clock,
      newCommandId: () => randomBytes(12).toString('hex'),
      log,
    }),
  )
  const space = (owner: string) => store.space(shardOf(owner, shardCount))
  webhooks.subscribe(engine)
  await engine.start()
  const pages = createPageTokens(Buffer.alloc(32, 9))
  const serve = createPipeline({
    prefix: '/v1',
    routes: webhooks.routes({ shards: engine, sealer: sealer as never, pages }),
    style: 'problem',
    authenticate: memberOf,
    buckets: {
      spend: () => Promise.reject(new Error('no budget here')),
      degraded: () => undefined,
      close: async () => {},
    },
    cors: { headersFor: () => undefined },
    clock,
    log,
    meter: () => ({ observe() {} }),
    checkReplies: true,
  })
  const inject = injectInto(serve)
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    const stopped = engine.stop()
    await poster.close()
    await stopped
    await store.close()
  }
  const node = {
    clock,
    dir,
    lines,
    commands,
    ask: engine.execute,
    /** The space of that owner's records. */
    space,
    /** Every record of a table, of all shards. */
    rows<K extends Key, V>(table: Table<K, V>): Row<K, V>[] {
      return allRows(store, shardCount, table)
    },
    /** Makes one delivery attempt as the engine would, with the test's own signal or sealer. */
    async runAttempt(which: WebhookTry, signal = new AbortController().signal, sealedBy?: Sealer): Promise<void> {
      const { orgId: owner } = which
      await handlersOver(engine, sealedBy).webhookTry!(which as never, {
        id: 'by hand',
        owner,
        reader: space(owner),
        signal,
        isStillOwner: () => !signal.aborted,
        isRepeat: false,
        completes: { owner, key: ['by hand', 0, 0], isCompleted: false },
        releaseSlot() {},
      })
    },
    async call(method: string, path: string, body?: unknown, token = 'acme admin') {
      const reply = await inject(method, `/v1${path}`, { token: token.replace(' ', '.'), json: body })
      return { status: reply.status, json: reply.text ? reply.json : undefined }
    },
    async webhook(url: string, fields: object = {}): Promise<WebhookView & { signingSecret: string }> {
      const made = await node.call('POST', '/orgs/acme/webhooks', { url, events: ['agent.created'], ...fields })
      if (made.status !== 201) throw new Error(JSON.stringify(made))
      return made.json
    },
    async read(id: string): Promise<WebhookView> {
      return (await node.call('GET', `/orgs/acme/webhooks/${id}`)).json
    },
    async deliveries(id: string, query = ''): Promise<DeliveryView[]> {
      return (await node.call('GET', `/orgs/acme/webhooks/${id}/deliveries${query}`)).json.data
    },
    emit: (data: Record<string, unknown> = {}, type: OrgEventName = 'agent.created', orgId = 'acme') =>
      engine.execute(`agent of ${orgId}`, emit, { type, orgId, agentId: 'nova', data }),
    close: () => (closing ??= close()),
  }
  t.teardown(node.close)
  return node
}
export type WebhookNode = Awaited<ReturnType<typeof openWebhookNode>>

/** The whole token here is `<org>.<role>`. */
function memberOf(token: string): Member | undefined {
  const [orgId, role] = token.split('.') as [string, Member['role']]
  const scopes = role === 'admin' ? expandScopes(['webhooks:manage']) : []
  return { kind: 'session', id: 'us_1', orgId, role, scopes: new Set(scopes), isSysop: false }
}

/** Waits until that many attempts of the newest delivery have ended, and returns the delivery. */
export async function afterTries(node: WebhookNode, webhookId: string, count: number): Promise<DeliveryView> {
  let newest: DeliveryView | undefined
  await waitUntil(async () => {
    newest = (await node.deliveries(webhookId))[0]
    return newest !== undefined && newest.attemptCount >= count
  })
  return newest!
}
