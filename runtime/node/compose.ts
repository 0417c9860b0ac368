/** Composition of a node: the one file that creates all parts and chooses among implementations. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { builtInAdapters } from '../../adapters/index.js'
import { webchatAdapter } from '../../adapters/webchat/adapter.js'
import { chatLook } from '../../adapters/webchat/widget/look.js'
import type { Adapter } from '../../core/channel/adapter.js'
import { traitsOf } from '../../core/channel/channeltraits.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import { isRefusal } from '../../core/errors.js'
import { agentWebhook, provider as providerLimits, shutdown } from '../../core/limits/index.js'
import { objectTable } from '../../mgmt/agents/mediaobjects.js'
import { withAuditActions } from '../../mgmt/audit/actions.js'
import { deadLetterRoutes } from '../agentwebhook/deadletters.js'
import { logFailedCalls } from '../agentwebhook/metrics.js'
import { apiRoutes } from '../api/routes.js'
import { createBackups } from '../backup/backups.js'
import { backupRoutes } from '../backup/routes.js'
import type { Config } from '../config/config.js'
import { version } from '../config/version.js'
import { createAsidOf } from '../conversation/asid.js'
import { createAdapterLookup, createAgentContexts } from '../conversation/context.js'
import { apiMetrics, countRecords, logLoops } from '../conversation/metrics.js'
import { createOutreachPort } from '../conversation/outreachport.js'
import { createCampaignGate } from '../delivery/campaigngate.js'
import { createConnectionPool } from '../delivery/connections.js'
import { guardAdapter } from '../delivery/guard.js'
import { providerMetrics } from '../delivery/metrics.js'
import { openProviders } from '../delivery/providers.js'
import { createThrottle } from '../delivery/throttle.js'
import { createEgressClient } from '../egress/client.js'
import { createAddressResolver } from '../egress/guard.js'
import { createEmulator } from '../emulator/emulator.js'
import { createEmulatorPage } from '../emulator/index.js'
import { createCors } from '../http/cors.js'
import { docsRoutes, openapiRoute, redirectRoutes } from '../http/docs.js'
import { withExamples } from '../http/examples.js'
import { createRouteMeters, createSocketMeters } from '../http/metrics.js'
import { type OpenApiDocument, openapi } from '../http/openapi.js'
import { createPageTokens } from '../http/pagetokens.js'
import { createPipeline } from '../http/pipeline.js'
import type { Authenticate } from '../http/request.js'
import type { Plane, Route } from '../http/route.js'
import { recordInbound } from '../ingress/inbound.js'
import { createInboundMediaUrls, inboundMediaRoutes } from '../ingress/inboundmedia.js'
import { ingressRoutes } from '../ingress/routes.js'
import { openMedia } from '../media/media.js'
import { createMediaTokens } from '../media/mediatoken.js'
import { type MediaRecord, mediaCommands, mediaHandlers, recordTable } from '../media/record.js'
import { mediaRoutes } from '../media/routes.js'
import { openMediaStore } from '../media/store.js'
import { readDescriptorBudget, watchDescriptors } from '../observe/descriptors.js'
import { createHealth } from '../observe/health.js'
import { createMetrics } from '../observe/metrics.js'
import { registerProcessMetrics } from '../observe/process.js'
import { openBuckets } from '../ratelimit/factory.js'
import { withMetrics } from '../ratelimit/metrics.js'
import { loadOrCreateSecretKey } from '../secrets/rootkey.js'
import { deriveKey } from '../secrets/seal.js'
import { createSealer, sealerHandlers } from '../secrets/sealer.js'
import { createSemaphore } from '../semaphore.js'
import type { Handlers } from '../shard/contract.js'
import { createShardMetrics } from '../shard/metrics.js'
import { createTrafficLists } from '../traffic/messages.js'
import { createTurnLists } from '../turn/lists.js'
import { countTurns } from '../turn/metrics.js'
import { turnsOfConversation } from '../turn/queries.js'
import { chatPageRoutes } from '../webchat/chatpages.js'
import { isChatPath, openWebchat, webchatQueries } from '../webchat/index.js'
import { createPublicAddresses } from './addresses.js'
import { bootstrap, bootstrapModule } from './bootstrap.js'
import type { Node, NodeContext, PlaneParts } from './contract.js'
import { nodeExamples } from './examples/index.js'
import { createGatewayDeps, createGatewayModule } from './gateway.js'
import { openManagement } from './management.js'
import { operationRoutes } from './operations.js'
import { openPartners } from './partneradapters.js'
import { sandboxModule } from './sandbox.js'
import { openState } from './state.js'
import { statusRoute } from './status.js'
import { systemRoutes } from './system.js'

export type { Node, NodeContext, PlaneParts } from './contract.js'

/** Created by the build. */
const widgetFile = new URL('../../adapters/webchat/widget.js', import.meta.url)

const emptyModule: Handlers = { commands: [], queries: [], effectHandlers: () => ({}) }

export async function openNode(config: Config, context: NodeContext): Promise<Node> {
  const { clock, log } = context
  const random = context.randomBytes ?? randomBytes
  const dir = resolve(config.dataDir)
  const secret = loadOrCreateSecretKey(dir, config.secretKeyHex)
  if (secret.tooOpen) log.warn('config.secret_key.readable', { advice: 'chmod 600 the key file in the data directory' })
  const emulator = createEmulator(deriveKey(secret.key, 'emulated phones'), {
    now: () => clock.now(),
    timeScale: config.timeScale,
  })
  const builtIn = [...builtInAdapters, ...emulator.adapters]
  const partners = await openPartners(config.adapters ?? [], { from: process.cwd(), existing: builtIn, log })
  const wrapAdapter = context.wrapAdapter ?? ((adapter) => adapter)
  const adapters: readonly HostedAdapter[] = [
    ...emulator.adapters,
    ...builtInAdapters.map((each) => guardAdapter(each, log)),
    ...partners.adapters,
  ].map(wrapAdapter)
  const addresses = createPublicAddresses()
  const { urls } = addresses
  const mgmtUrl = () => urls().mgmt
  const gatewayUrl = () => urls().gateway
  const fileLimits = readDescriptorBudget()
  const slots = createSemaphore({ max: fileLimits.outgoing, maxPerKey: fileLimits.outgoingPerHost })
  const descriptors = watchDescriptors(fileLimits.softLimit, log)
  const openerPort = createOutreachPort(() => deps)
  const metrics = createMetrics()
  registerProcessMetrics(metrics)
  const requestMeters = createRouteMeters(metrics)
  const state = await openState({ config, dir, secretKey: secret, clock, log, randomBytes: random, metrics })
  const { secrets, rootKey } = state
  const objects = await openMediaStore({ dataDir: dir, bus: state.bus, log })

  const partnerForms = partners.adapters.map(({ descriptor: { channel, form } }) => ({ channel, form }))
  const management = openManagement({
    ...{
      config,
      secrets,
      clock,
      log,
      randomBytes: random,
      objects,
      mgmtUrl,
      gatewayUrl,
      metrics,
      slots,
      requestMeters,
      emulator,
    },
    ...{ adapters, partnerForms, conversations: openerPort },
  })
  const policy = { allowPrivate: config.allowPrivateUrls, slots }
  const emulatorPage = createEmulatorPage({ emulator, secrets, clock, log, turnsOf: turnsOfConversation, urls })
  const agentClient = createEgressClient({ ...policy, ownOrigins: emulatorPage.origins }, agentWebhook)
  const conversations = createGatewayModule({
    timeScale: config.timeScale,
    subscribers: management.agentReports,
    journal: management.journal,
  })
  const sandbox = sandboxModule(conversations.conversation)
  const mediaParts = mediaCommands({ timeScale: config.timeScale })
  const mediaRecords = mediaHandlers(mediaParts, objects)
  const extra = context.extraModule ?? emptyModule
  const parts = [
    sealerHandlers,
    bootstrapModule,
    ...management.modules,
    conversations,
    sandbox,
    mediaRecords,
    { commands: [], queries: [...webchatQueries, ...emulatorPage.queries] },
    extra,
  ]
  const wrapShards = context.wrapShards ?? ((shards) => shards)
  const shardMetricSet = createShardMetrics(metrics, clock)
  const repertoire: Handlers = {
    commands: parts.flatMap((part) => part.commands),
    queries: parts.flatMap((part) => part.queries),
    effectHandlers(inner) {
      const shards = wrapShards(inner)
      return addresses.gate({
        ...management.effectHandlers({ shards, sealer: createSealer(rootKey, shards) }),
        ...conversations.effectHandlers(() => handlerDeps(shards)),
        ...mediaRecords.effectHandlers(shards),
        ...extra.effectHandlers(shards),
      })
    },
  }
  const engine = wrapShards(await state.openEngine(repertoire, shardMetricSet.commitMetrics))
  shardMetricSet.register(engine, state.store ? config.shards : 0)
  const sealer = createSealer(rootKey, engine)
  management.subscribe(engine)
  countRecords(engine, metrics)
  countTurns(engine, metrics)
  logFailedCalls(engine, log)
  logLoops(engine, log)

  let origins: ReadonlySet<string> = new Set()
  const connected = management.connect(engine)
  const { directory, grants, trail } = connected
  const adapterOf = createAdapterLookup([...adapters, webchatAdapter as Adapter])
  const asidOf = createAsidOf(deriveKey(secrets.identity, 'asids'))
  const contexts = createAgentContexts({ adapters: adapterOf, asidOf, traitsOf })
  const capsules = createMediaTokens(deriveKey(secrets.identity, 'received media'))
  const media = openMedia({
    ...{
      ...policy,
      ownOrigins: emulator.origins,
      shards: engine,
      commands: mediaParts,
      store: objects,
      publicUrl: gatewayUrl,
    },
    ...{ timeScale: config.timeScale, clock, log, randomBytes: random },
  })
  const providers = openProviders({
    ...{ ...policy, sealer, clock, publicUrl: gatewayUrl, ownOrigins: emulator.origins },
    metrics: providerMetrics(metrics),
  })
  const addressOf = createAddressResolver({ ...policy, connectMs: providerLimits.connectMs })
  const connectedTo = adapters.filter(({ connect }) => connect).map(({ descriptor }) => descriptor.provider)
  const connections = createConnectionPool({
    ...{ directory, adapters: adapterOf, providers, clock },
    record: (items) => recordInbound(ingress, items, log),
    async findBindings() {
      const publicUrls = await connected.findBindingsOfProviders(connectedTo)
      if (isRefusal(publicUrls)) throw new Error('not every shard can be asked for its bindings just now')
      return publicUrls
    },
    addressOf: async (host, port) => (emulator.isMessageCenter(host, port) ? host : addressOf(host)),
    log,
  })
  const wrapGateway = context.wrapGateway ?? ((parts) => parts)
  const gatewayParts = wrapGateway({
    gatewayModule: conversations,
    turnPort: management.turnPort({ shards: engine, sealer }),
    shards: engine,
    ...{ directory, contexts, adapters: adapterOf, asidOf, media, providers, connections, sealer, client: agentClient },
    throttle: createThrottle({ shards: engine, clock }),
    mediaUrls: createInboundMediaUrls(capsules, gatewayUrl),
    markActionRequired: connected.markActionRequired,
    campaigns: createCampaignGate(engine, management.mayDispatchCampaignSend, clock),
    ...{ clock, log, metrics },
  })
  const { deps, ingress, handlerDeps } = createGatewayDeps(gatewayParts)
  const pages = createPageTokens(deriveKey(secrets.signing, 'page tokens'))
  await engine.start()
  const bootstrapped = config.roles.includes('mgmt')
    ? await bootstrap({
        ...{ shards: engine, sealer, orgId: config.bootstrapOrg, key: config.bootstrapKey, randomBytes: random },
        ...(config.recover && { recovery: { recover: management.keys.recover, note: trail.record } }),
      })
    : { orgId: config.bootstrapOrg }

  const nodes = () => engine.inspect().nodes.filter(({ info }) => info.roles !== 'shards').length
  const buckets = withMetrics(await openBuckets({ ...config, nodes, log }), metrics)
  const health = createHealth([
    { name: 'store', critical: true, check: () => state.store?.failure()?.message },
    { name: 'bus', critical: true, check: () => state.bus?.failure() },
    { name: 'shards', critical: true, check: () => engine.inspect().failure },
    { name: 'durability', critical: false, check: () => state.bus?.warnings()[0] },
    { name: 'limits', critical: false, check: () => buckets.degraded() },
    descriptors.check,
  ])

  function plane(name: Plane, product: readonly Route[], authenticate: Authenticate): PlaneParts {
    const operations = operationRoutes(name, health, metrics)
    const prefix = name === 'mgmt' ? '/v1' : '/v4'
    const ownRoutes = [...withAuditActions(product), ...docsRoutes(name), openapiRoute(name, document)]
    const routes = config.roles.includes(name) ? ownRoutes : []
    function document(): OpenApiDocument {
      return openapi(routes, { plane: name, version, serverUrl: urls()[name] + prefix })
    }
    const serve = createPipeline({
      prefix,
      routes: [...routes, ...(context.extraRoutes ?? []).filter((extra) => extra.plane === name)],
      unversioned: [
        ...operations,
        ...(name === 'mgmt' ? emulatorPage.pages : []),
        ...(routes.length > 0 ? redirectRoutes(name, prefix, () => name === 'mgmt' && emulatorPage.isOpen()) : []),
      ],
      style: name === 'mgmt' ? 'problem' : 'gateway',
      authenticate,
      tokenParameter: name === 'gateway' ? 'access_token' : undefined,
      buckets,
      ...(name === 'mgmt' && { audit: trail }),
      cors: createCors(() => origins, isChatPath),
      clock,
      log,
      meter: requestMeters.meterOf,
      checkReplies: context.checkReplies,
    })
    return { routes, serve, document, meters: createSocketMeters(metrics, name) }
  }

  const namesMedia = [
    { table: recordTable, nameOf: ({ name }: MediaRecord) => name },
    { table: objectTable, nameOf: (name: string) => name },
  ]
  const backups = createBackups({
    ...{ dataDir: dir, store: state.store, objects, mediaTables: namesMedia, engine, clock, log },
    isCluster: state.bus !== undefined,
  })
  const mgmt = plane(
    'mgmt',
    [
      ...management.routes({
        ...{ ...connected, shards: engine, sealer, pages, buckets },
        sandbox: sandbox.conversations(deps),
        traffic: createTrafficLists({ shards: engine, shardCount: config.shards, timeScale: config.timeScale, clock }),
        turns: createTurnLists({ shards: engine, shardCount: config.shards, clock }),
      }),
      ...withExamples(
        [
          ...deadLetterRoutes({ shards: engine, directory, pages }),
          ...systemRoutes({ engine, shards: config.shards, log }),
          statusRoute({ engine, health, shards: config.shards, clock }),
          ...backupRoutes({ backups, log }),
          ...emulator.routes(gatewayUrl),
          ...emulator.providerRoutes(gatewayUrl),
          ...emulatorPage.routes(deps),
        ],
        nodeExamples,
      ),
    ],
    connected.authenticate,
  )
  const webchat = openWebchat({
    deps: { ...ingress, directory, media, clock },
    adapter: webchatAdapter as Adapter,
    local: engine,
    ...(state.bus && { bus: state.bus }),
    buckets,
    tokenKey: deriveKey(secrets.signing, 'webchat visitors'),
    publicUrl: gatewayUrl,
    randomBytes: random,
    log,
    metrics,
  })
  const gateway = plane(
    'gateway',
    [
      ...webchat.routes,
      ...chatPageRoutes({ directory, publicUrl: gatewayUrl, appearance: chatLook, widget: () => readFile(widgetFile) }),
      ...apiRoutes({ ...deps, metrics: apiMetrics(metrics) }),
      ...management.gatewayRoutes({ shards: engine, buckets }),
      ...ingressRoutes({
        ...ingress,
        findBinding: connected.findBinding,
        findBindings: (name) => connected.findBindingsOfProviders([name]),
        headers: [...new Set(adapters.flatMap(({ descriptor }) => descriptor.headers))],
        publicUrl: gatewayUrl,
        log,
      }),
      ...mediaRoutes({ store: objects }),
      ...inboundMediaRoutes({ directory, adapters: adapterOf, providers, mediaTokens: capsules, media, objects, log }),
    ],
    connected.authenticateAgent,
  )

  return {
    planes: { mgmt, gateway: { ...gateway, sockets: webchat.sockets } },
    bootstrapResult: bootstrapped,
    engine,
    store: state.store,
    health,
    grants,
    maxSockets: fileLimits.sockets,
    emulator,
    sample: {
      start: (port) =>
        emulatorPage.start({ ...deps, sealer, management: management.sample, randomBytes: random }, bootstrapped, port),
      link: emulatorPage.link,
    },
    asidOf,
    setPublicUrls(publicUrls) {
      addresses.set(publicUrls)
      if (config.roles.includes('shards')) connections.start()
      const setUrls = Object.values(publicUrls).filter((url) => url !== '')
      origins = new Set(setUrls.map((url) => new URL(url).origin))
    },
    async close() {
      webchat.close()
      await trail.close()
      descriptors.close()
      emulatorPage.stop()
      await emulator.stop()
      const stopped = engine.stop()
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, shutdown.effectsMs).unref())])
      await Promise.all([
        management.close(),
        agentClient.close(),
        media.close(),
        connections.close(),
        providers.close(),
      ])
      await stopped
      await Promise.all([partners.close(), buckets.close()])
      await state.close()
    },
  }
}
