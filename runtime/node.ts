/** Puts a node together: the one place that knows every part and chooses among them. */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { shutdown } from '../core/limits.js'
import { authenticateWith } from '../mgmt/access/authenticate.js'
import { accessRepertoire, keyCommands } from '../mgmt/access/commands.js'
import { type Grants, openGrants } from '../mgmt/access/grants.js'
import { foreignIdTokens, ownIdTokens } from '../mgmt/access/idtokens.js'
import { openKeyring } from '../mgmt/access/keyring.js'
import { keyRoutes } from '../mgmt/access/keyroutes.js'
import { accessRoutes } from '../mgmt/access/routes.js'
import { catalogRoutes } from '../mgmt/catalogs/routes.js'
import { orgRoutes } from '../mgmt/orgs/routes.js'
import { orgName, orgRepertoire } from '../mgmt/orgs/store.js'
import { webhookCommands, webhookRepertoire } from '../mgmt/webhooks/commands.js'
import { webhookTryPerformer } from '../mgmt/webhooks/driver.js'
import { webhookRoutes } from '../mgmt/webhooks/routes.js'
import { followWebhooks, openTries } from '../mgmt/webhooks/tries.js'
import { type Bootstrapped, bootstrap, bootstrapRepertoire } from './bootstrap.js'
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
import { shardFigures } from './observe/shards.js'
import { operationRoutes } from './operations.js'
import type { Engine, Repertoire, Shards } from './shard/contract.js'
import { openState } from './state.js'
import { deriveKey } from './store/seal.js'
import { openSealer, sealerRepertoire } from './store/sealer.js'
import { readOrMakeSecretKey } from './store/secretkey.js'
import { systemRoutes } from './system.js'
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
  /** Stands between the node and its shards, for tests. */
  readonly between?: <S extends Shards>(shards: S) => S
  /** Routes, commands and queries beside the product's own, for tests and benchmarks. */
  readonly extraRoutes?: readonly Route[]
  readonly extraRepertoire?: Repertoire
}

const nothingExtra: Repertoire = { commands: [], queries: [], performers: () => ({}) }

export async function openNode(config: Config, around: Surroundings): Promise<Node> {
  const { clock, log } = around
  const random = around.randomBytes ?? randomBytes
  const dir = resolve(config.dataDir)
  const secret = readOrMakeSecretKey(dir, config.secretKeyHex)
  if (secret.tooOpen) log.warn('config.secret_key.readable', { advice: 'chmod 600 the key file in the data directory' })
  const state = await openState({ config, dir, rootKey: secret.key, clock, log, randomBytes: random })
  const metrics = openMetrics()

  const webhooks = webhookCommands({ timeScale: config.timeScale })
  const keys = keyCommands(webhooks.enqueue)
  const tries = openTries()
  const policy = { allowPrivate: config.allowPrivateUrls }
  const poster = openPoster(policy)
  const extra = around.extraRepertoire ?? nothingExtra
  const parts = [
    sealerRepertoire,
    bootstrapRepertoire,
    orgRepertoire,
    accessRepertoire(keys),
    webhookRepertoire(webhooks),
    extra,
  ]
  const between = around.between ?? ((shards) => shards)
  const figures = shardFigures(metrics, clock)
  const repertoire: Repertoire = {
    commands: parts.flatMap((part) => part.commands),
    queries: parts.flatMap((part) => part.queries),
    performers(inner) {
      const shards = between(inner)
      const sealer = openSealer(secret.key, shards)
      const door = { post: poster.post, sign: signedHeaders }
      const webhookTry = webhookTryPerformer({ shards, commands: webhooks, sealer, clock, tries, ...door })
      return { webhookTry, ...extra.performers(shards) }
    },
  }
  const engine = between(await state.openEngine(repertoire, figures.meters))
  figures.watch(engine, state.store ? config.shards : 0)
  const sealer = openSealer(secret.key, engine)
  followWebhooks(engine, tries)

  let urls: Urls = { mgmt: '', gateway: '' }
  let origins: ReadonlySet<string> = new Set()
  const keyring = openKeyring({ shards: engine, commands: keys, clock })
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
  await engine.start()
  const bootstrapped = config.roles.includes('mgmt')
    ? await bootstrap({
        shards: engine,
        sealer,
        orgId: config.bootstrapOrg,
        key: config.bootstrapKey,
        randomBytes: random,
      })
    : { orgId: config.bootstrapOrg }

  const nodes = () => engine.inspect().nodes.filter(({ about }) => about.roles !== 'shards').length
  const { redisUrl, redisTlsCaFile } = config
  const buckets = await openBuckets({ redisUrl, redisTlsCaFile, nodes, log })
  metrics.gauge('parley_limits_degraded', 'Whether rate limits are kept by this node alone', () =>
    buckets.degraded() ? 1 : 0,
  )
  const health = openHealth([
    { name: 'store', critical: true, check: () => state.store?.failure()?.message },
    { name: 'bus', critical: true, check: () => state.bus?.failure() },
    { name: 'shards', critical: true, check: () => engine.inspect().trouble },
    { name: 'durability', critical: false, check: () => state.bus?.remarks()[0] },
    { name: 'limits', critical: false, check: () => buckets.degraded() },
  ])

  function plane(name: Plane, product: readonly Route[], authenticate: Authenticate): PlaneParts {
    const operations = operationRoutes(name, health, metrics)
    const prefix = name === 'mgmt' ? '/v1' : '/v4'
    const routes = config.roles.includes(name) ? [...product, ...docsRoutes(name), openapiRoute(name, document)] : []
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
      ...accessRoutes({ shards: engine, idTokens, orgName }),
      ...orgRoutes({ shards: engine }),
      ...keyRoutes({ shards: engine, commands: keys }),
      ...webhookRoutes({
        shards: engine,
        commands: webhooks,
        sealer,
        pages,
        checkUrl: (url) => checkUrl(url, policy),
        randomBytes: random,
      }),
      ...catalogRoutes(),
      ...systemRoutes({ engine, shards: config.shards, log }),
    ],
    authenticateWith(keyring, grants, idTokens),
  )
  // Access tokens belong to agents, and no agent can be made yet: the gateway knows nobody.
  const gateway = plane('gateway', [], () => undefined)

  return {
    planes: { mgmt, gateway },
    bootstrapped,
    engine,
    health,
    grants,
    reachableAt(found) {
      urls = found
      const known = Object.values(found).filter((url) => url !== '')
      origins = new Set(known.map((url) => new URL(url).origin))
    },
    async close() {
      const stopped = engine.stop()
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, shutdown.effectsMs).unref())])
      await poster.close()
      await stopped
      await buckets.close()
      await state.close()
    },
  }
}
