/** Puts a node together: the one place that knows every part and chooses among them. */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { idFromBytes } from '../core/ids.js'
import { shutdown } from '../core/limits.js'
import { authenticateWith } from '../mgmt/access/authenticate.js'
import { type Grants, openGrants } from '../mgmt/access/grants.js'
import { foreignIdTokens, ownIdTokens } from '../mgmt/access/idtokens.js'
import { openKeyring } from '../mgmt/access/keyring.js'
import { keyRoutes } from '../mgmt/access/keyroutes.js'
import { accessRoutes } from '../mgmt/access/routes.js'
import { catalogRoutes } from '../mgmt/catalogs/routes.js'
import { orgRoutes } from '../mgmt/orgs/routes.js'
import { orgTable } from '../mgmt/orgs/store.js'
import { webhookCommands } from '../mgmt/webhooks/commands.js'
import { orgEventPerformer, webhookTryPerformer } from '../mgmt/webhooks/driver.js'
import { webhookRoutes } from '../mgmt/webhooks/routes.js'
import { followWebhooks, openTries } from '../mgmt/webhooks/tries.js'
import { type Bootstrapped, bootstrap } from './bootstrap.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import { corsFor } from './http/cors.js'
import { docsRoutes, openapiRoute } from './http/docs.js'
import type { Serve } from './http/exchange.js'
import { type OpenApiDocument, openapi } from './http/openapi.js'
import { openPages } from './http/page.js'
import { type Authenticate, openPipeline } from './http/pipeline.js'
import type { Plane, Route } from './http/route.js'
import { openBuckets } from './limits/open.js'
import { type Health, openHealth } from './observe/health.js'
import type { Log } from './observe/log.js'
import { openMetrics } from './observe/metrics.js'
import { operationRoutes } from './operations.js'
import { type Engine, openShards } from './shard/embedded.js'
import { openStore } from './store/lmdb.js'
import { deriveKey } from './store/seal.js'
import { openSealer } from './store/sealer.js'
import { readOrMakeSecretKey } from './store/secretkey.js'
import { version } from './version.js'
import { checkUrl } from './webhook/guard.js'
import { openPoster } from './webhook/post.js'
import { signedHeaders } from './webhook/sign.js'

export interface Urls {
  readonly mgmt: string
  readonly gateway: string
}

export interface PlaneParts {
  readonly routes: readonly Route[]
  readonly serve: Serve
  readonly document: () => OpenApiDocument
}

/** A node without its sockets: what tests inject requests into, and what the listeners serve. */
export interface Node {
  readonly planes: Readonly<Record<Plane, PlaneParts>>
  readonly bootstrapped: Bootstrapped
  readonly engine: Engine
  readonly health: Health
  readonly grants: Grants
  /** Tells the node where it can be reached, once that is known. */
  reachableAt(urls: Urls): void
  /** Finishes what was asked, flushes, and lets go of the data. */
  close(): Promise<void>
}

export interface Surroundings {
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes?: (count: number) => Uint8Array
  readonly checkReplies?: boolean
  /** Routes beside the product's own, for tests and benchmarks. */
  readonly extraRoutes?: readonly Route[]
}

export async function openNode(config: Config, around: Surroundings): Promise<Node> {
  const { clock, log } = around
  const random = around.randomBytes ?? randomBytes
  const dir = resolve(config.dataDir)
  const secret = readOrMakeSecretKey(dir, config.secretKeyHex)
  if (secret.tooOpen) log.warn('config.secret_key.readable', { advice: 'chmod 600 the key file in the data directory' })
  const store = await openStore({ dir, shards: config.shards, log })

  const webhooks = webhookCommands({ timeScale: config.timeScale })
  const tries = openTries()
  const policy = { allowPrivate: config.allowPrivateUrls }
  const poster = openPoster(policy)
  const sealer = openSealer(secret.key, store)
  const engine = openShards({
    store,
    commands: Object.values(webhooks) as never,
    performers: (shards) => ({
      orgEvent: orgEventPerformer(shards, webhooks),
      webhookTry: webhookTryPerformer({
        shards,
        commands: webhooks,
        post: poster.post,
        sealer,
        sign: signedHeaders,
        clock,
        tries,
      }),
    }),
    clock,
    newCommandId: () => idFromBytes('cmd', random(17)),
    log,
  })
  followWebhooks(engine, tries)

  let urls: Urls = { mgmt: '', gateway: '' }
  let origins: ReadonlySet<string> = new Set()
  const keyring = openKeyring({ reader: store, shards: engine, clock })
  const grants = openGrants(deriveKey(secret.key, 'emulator grants'), clock)
  const idTokens =
    config.oidcIssuer && config.oidcAudience
      ? foreignIdTokens({ issuer: config.oidcIssuer, audience: config.oidcAudience, clock })
      : ownIdTokens({
          seed: deriveKey(secret.key, 'id tokens'),
          issuer: () => `${urls.mgmt}/v1`,
          clock,
          stillGood: keyring.holds,
        })
  const pages = openPages(deriveKey(secret.key, 'page tokens'))
  const bootstrapped = await bootstrap({
    shards: engine,
    reader: store,
    sealer,
    orgId: config.bootstrapOrg,
    key: config.bootstrapKey,
    randomBytes: random,
  })

  const buckets = await openBuckets({ redisUrl: config.redisUrl, log })
  const metrics = openMetrics()
  metrics.gauge('parley_limits_degraded', 'Whether rate limits are kept by this node alone', () =>
    buckets.degraded() ? 1 : 0,
  )
  const health = openHealth([
    { name: 'store', critical: true, check: () => store.failure()?.message },
    { name: 'limits', critical: false, check: () => buckets.degraded() },
  ])

  function plane(name: Plane, product: readonly Route[], authenticate: Authenticate): PlaneParts {
    const operations = operationRoutes(name, health, metrics)
    const prefix = name === 'mgmt' ? '/v1' : '/v4'
    const routes = [...product, ...docsRoutes(name), openapiRoute(name, document)]
    function document(): OpenApiDocument {
      return openapi(routes, { plane: name, version, serverUrl: urls[name] + prefix })
    }
    const serve = openPipeline({
      prefix,
      routes: [...routes, ...(around.extraRoutes ?? []).filter((extra) => extra.plane === name)],
      unversioned: operations,
      style: name === 'mgmt' ? 'problem' : 'gateway',
      authenticate,
      tokenParameter: name === 'gateway' ? 'access_token' : undefined,
      buckets,
      cors: corsFor(() => origins),
      clock,
      log,
      meter: (route) => metrics.routeMeter(route.plane, route.method, route.path),
      checkReplies: around.checkReplies,
    })
    return { routes, serve, document }
  }

  const mgmt = plane(
    'mgmt',
    [
      ...accessRoutes({ idTokens, orgName: (orgId) => store.get(orgTable, [orgId])?.name }),
      ...orgRoutes({ shards: engine }),
      ...keyRoutes({ shards: engine }),
      ...webhookRoutes({
        shards: engine,
        commands: webhooks,
        sealer,
        pages,
        checkUrl: (url) => checkUrl(url, policy),
        randomBytes: random,
      }),
      ...catalogRoutes(),
    ],
    authenticateWith(keyring, grants, idTokens),
  )
  // Access tokens belong to agents, and no agent can be made yet: the gateway knows nobody.
  const gateway = plane('gateway', [], () => undefined)
  engine.start()

  return {
    planes: { mgmt, gateway },
    bootstrapped,
    engine,
    health,
    grants,
    reachableAt(found) {
      urls = found
      origins = new Set(Object.values(found).map((url) => new URL(url).origin))
    },
    async close() {
      const stopped = engine.stop()
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, shutdown.effectsMs).unref())])
      await poster.close()
      await stopped
      await buckets.close()
      await store.close()
    },
  }
}
