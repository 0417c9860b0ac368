/** Puts a node together: the one place that knows every part and chooses among them. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { guarded } from '../adapters/kit/guard.js'
import { webchatAdapter } from '../adapters/webchat/adapter.js'
import { chatLook } from '../adapters/webchat/widget/look.js'
import type { Adapter } from '../core/channel/adapter.js'
import { traitsOf } from '../core/channel/table.js'
import { isRefusal } from '../core/errors.js'
import { agentWebhook, provider as providerLimits, shutdown } from '../core/limits.js'
import { objectTable } from '../mgmt/agents/mediaobjects.js'
import { audited } from '../mgmt/audit/actions.js'
import { openPartners } from './adapters.js'
import { publicAddresses } from './addresses.js'
import { deadLetterRoutes } from './agentwebhook/deadletters.js'
import { logFailedCalls } from './agentwebhook/metrics.js'
import { gatewayRoutes } from './api/routes.js'
import { openBackups } from './backup/desk.js'
import { backupRoutes } from './backup/routes.js'
import { builtInAdapters } from './builtin.js'
import type { Config } from './config.js'
import { asids } from './conversation/asid.js'
import { adaptersAmong, createAgentContexts } from './conversation/context.js'
import { apiMetrics, logLoops, meterRecords } from './conversation/metrics.js'
import { openOpenings } from './conversation/outreachport.js'
import { openCampaignGate } from './delivery/campaigngate.js'
import { openLines } from './delivery/connections.js'
import { providerMetrics } from './delivery/metrics.js'
import { openProviders } from './delivery/providers.js'
import { createThrottle } from './delivery/throttle.js'
import { openEmulator } from './emulator.js'
import { openEmulatorFront } from './emulatorfront.js'
import { corsFor } from './http/cors.js'
import { docsRoutes, entranceRoutes, openapiRoute } from './http/docs.js'
import { withExamples } from './http/examples.js'
import { routeMeters, socketMeters } from './http/metrics.js'
import { type OpenApiDocument, openapi } from './http/openapi.js'
import { createPages } from './http/page.js'
import { createPipeline } from './http/pipeline.js'
import type { Authenticate } from './http/request.js'
import type { Plane, Route } from './http/route.js'
import { recordInbound } from './ingress/inbound.js'
import { receivedAddresses, receivedRoutes } from './ingress/media.js'
import { ingressRoutes } from './ingress/routes.js'
import { metered } from './limits/metered.js'
import { openBuckets } from './limits/open.js'
import { openCapsules } from './media/capsule.js'
import { openObjects } from './media/objects.js'
import { openMedia } from './media/open.js'
import { type Kept, keptTable, mediaCommands, mediaRepertoire } from './media/record.js'
import { mediaRoutes } from './media/routes.js'
import { bootstrap, bootstrapRepertoire } from './node/bootstrap.js'
import type { Node, PlaneParts, Surroundings } from './node/contract.js'
import { nodeExamples } from './node/examples/index.js'
import { gatewayDeps, gatewayParts } from './node/gateway.js'
import { openManagement } from './node/management.js'
import { sandboxModule } from './node/sandbox.js'
import { readRoom, watchDescriptors } from './observe/descriptors.js'
import { openHealth } from './observe/health.js'
import { openMetrics } from './observe/metrics.js'
import { addProcessFigures } from './observe/process.js'
import { operationRoutes } from './operations.js'
import { createSemaphore } from './semaphore.js'
import type { Repertoire } from './shard/contract.js'
import { shardFigures } from './shard/metrics.js'
import { openState } from './state.js'
import { statusRoute } from './status.js'
import { deriveKey } from './store/seal.js'
import { openSealer, sealerRepertoire } from './store/sealer.js'
import { readOrMakeSecretKey } from './store/secretkey.js'
import { systemRoutes } from './system.js'
import { openTraffic } from './traffic/messages.js'
import { version } from './version.js'
import { isChatPath, openWebchat, webchatQueries } from './webchat/open.js'
import { chatPageRoutes } from './webchat/pages.js'
import { openDoor } from './webhook/door.js'
import { openAddresses } from './webhook/guard.js'

export type { Node, PlaneParts, Surroundings } from './node/contract.js'

/** Made by the build. */
const widgetFile = new URL('../adapters/webchat/widget.js', import.meta.url)

const nothingExtra: Repertoire = { commands: [], queries: [], performers: () => ({}) }

export async function openNode(config: Config, around: Surroundings): Promise<Node> {
  const { clock, log } = around
  const random = around.randomBytes ?? randomBytes
  const dir = resolve(config.dataDir)
  const secret = readOrMakeSecretKey(dir, config.secretKeyHex)
  if (secret.tooOpen) log.warn('config.secret_key.readable', { advice: 'chmod 600 the key file in the data directory' })
  const emulator = openEmulator(deriveKey(secret.key, 'emulated phones'), {
    now: () => clock.now(),
    timeScale: config.timeScale,
  })
  const builtIn = [...builtInAdapters, ...emulator.adapters]
  const partners = await openPartners(config.adapters ?? [], { from: process.cwd(), taken: builtIn, log })
  const adapters = [...emulator.adapters, ...builtInAdapters.map((each) => guarded(each, log)), ...partners.adapters]
  const addresses = publicAddresses()
  const { urls } = addresses
  const mgmtUrl = () => urls().mgmt
  const gatewayUrl = () => urls().gateway
  const room = readRoom()
  const slots = createSemaphore({ most: room.outgoing, mostPerKey: room.outgoingPerHost })
  const descriptors = watchDescriptors(room.most, log)
  const openings = openOpenings(() => deps)
  const metrics = openMetrics()
  addProcessFigures(metrics)
  const requestMeters = routeMeters(metrics)
  const state = await openState({ config, dir, secretKey: secret, clock, log, randomBytes: random, metrics })
  const { secrets, rootKey } = state
  const objects = await openObjects({ dataDir: dir, bus: state.bus, log })

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
    },
    ...{ adapters, partnerForms, conversations: openings },
  })
  const policy = { allowPrivate: config.allowPrivateUrls, slots }
  const front = openEmulatorFront({ emulator, secrets, clock, log, urls })
  const agentDoor = openDoor({ ...policy, own: front.origins }, agentWebhook)
  const conversations = gatewayParts({ timeScale: config.timeScale, subscribers: management.reports })
  const sandbox = sandboxModule(conversations.conversation)
  const mediaParts = mediaCommands({ timeScale: config.timeScale })
  const mediaRecords = mediaRepertoire(mediaParts, objects)
  const extra = around.extraRepertoire ?? nothingExtra
  const parts = [
    sealerRepertoire,
    bootstrapRepertoire,
    ...management.modules,
    conversations,
    sandbox,
    mediaRecords,
    { commands: [], queries: [...webchatQueries, ...front.queries] },
    extra,
  ]
  const between = around.between ?? ((shards) => shards)
  const figures = shardFigures(metrics, clock)
  const repertoire: Repertoire = {
    commands: parts.flatMap((part) => part.commands),
    queries: parts.flatMap((part) => part.queries),
    performers(inner) {
      const shards = between(inner)
      return addresses.gate({
        ...management.performers({ shards, sealer: openSealer(rootKey, shards) }),
        ...conversations.performers(() => handlerDeps(shards)),
        ...mediaRecords.performers(shards),
        ...extra.performers(shards),
      })
    },
  }
  const engine = between(await state.openEngine(repertoire, figures.meters))
  figures.watch(engine, state.store ? config.shards : 0)
  const sealer = openSealer(rootKey, engine)
  management.subscribe(engine)
  meterRecords(engine, metrics)
  logFailedCalls(engine, log)
  logLoops(engine, log)

  let origins: ReadonlySet<string> = new Set()
  const known = management.connect(engine)
  const { directory, grants, trail } = known
  const adapterOf = adaptersAmong([...adapters, webchatAdapter as Adapter])
  const asidOf = asids(deriveKey(secrets.identity, 'asids'))
  const contexts = createAgentContexts({ adapters: adapterOf, asidOf, traitsOf })
  const capsules = openCapsules(deriveKey(secrets.identity, 'received media'))
  const media = openMedia({
    ...{ ...policy, own: emulator.origins, shards: engine, commands: mediaParts, objects, publicUrl: gatewayUrl },
    ...{ timeScale: config.timeScale, clock, log, randomBytes: random },
  })
  const providers = openProviders({
    ...{ ...policy, sealer, clock, publicUrl: gatewayUrl, own: emulator.origins },
    metrics: providerMetrics(metrics),
  })
  const addressOf = openAddresses({ ...policy, connectMs: providerLimits.connectMs })
  const connectedTo = adapters.filter(({ connect }) => connect).map(({ descriptor }) => descriptor.provider)
  const lines = openLines({
    ...{ directory, adapters: adapterOf, providers, clock },
    record: (items) => recordInbound(ingress, items, log),
    async find() {
      const found = await known.findBindingsOf(connectedTo)
      if (isRefusal(found)) throw new Error('not every shard can be asked for its bindings just now')
      return found
    },
    addressOf: async (host, port) => (emulator.isMessageCenter(host, port) ? host : addressOf(host)),
    log,
  })
  const { deps, ingress, handlerDeps } = gatewayDeps({
    parts: conversations,
    shards: engine,
    ...{ directory, contexts, adapters: adapterOf, asidOf, media, providers, lines, sealer, door: agentDoor },
    throttle: createThrottle({ shards: engine, clock }),
    received: receivedAddresses(capsules, gatewayUrl),
    needsOperator: known.needsOperator,
    campaigns: openCampaignGate(engine, management.mayCampaignSendLeave, clock),
    ...{ clock, log, metrics },
  })
  const pages = createPages(deriveKey(secrets.signing, 'page tokens'))
  await engine.start()
  const bootstrapped = config.roles.includes('mgmt')
    ? await bootstrap({
        ...{ shards: engine, sealer, orgId: config.bootstrapOrg, key: config.bootstrapKey, randomBytes: random },
        ...(config.recover && { recovery: { recover: management.keys.recover, note: trail.note } }),
      })
    : { orgId: config.bootstrapOrg }

  const nodes = () => engine.inspect().nodes.filter(({ about }) => about.roles !== 'shards').length
  const buckets = metered(await openBuckets({ ...config, nodes, log }), metrics)
  const health = openHealth([
    { name: 'store', critical: true, check: () => state.store?.failure()?.message },
    { name: 'bus', critical: true, check: () => state.bus?.failure() },
    { name: 'shards', critical: true, check: () => engine.inspect().trouble },
    { name: 'durability', critical: false, check: () => state.bus?.warnings()[0] },
    { name: 'limits', critical: false, check: () => buckets.degraded() },
    descriptors.check,
  ])

  function plane(name: Plane, product: readonly Route[], authenticate: Authenticate): PlaneParts {
    const operations = operationRoutes(name, health, metrics)
    const prefix = name === 'mgmt' ? '/v1' : '/v4'
    const own = [...audited(product), ...docsRoutes(name), openapiRoute(name, document)]
    const routes = config.roles.includes(name) ? own : []
    function document(): OpenApiDocument {
      return openapi(routes, { plane: name, version, serverUrl: urls()[name] + prefix })
    }
    const serve = createPipeline({
      prefix,
      routes: [...routes, ...(around.extraRoutes ?? []).filter((extra) => extra.plane === name)],
      unversioned: [
        ...operations,
        ...(name === 'mgmt' ? front.pages : []),
        ...(routes.length > 0 ? entranceRoutes(name, prefix, () => name === 'mgmt' && front.isOpen()) : []),
      ],
      style: name === 'mgmt' ? 'problem' : 'gateway',
      authenticate,
      tokenParameter: name === 'gateway' ? 'access_token' : undefined,
      buckets,
      ...(name === 'mgmt' && { audit: trail }),
      cors: corsFor(() => origins, isChatPath),
      clock,
      log,
      meter: requestMeters.meterOf,
      checkReplies: around.checkReplies,
    })
    return { routes, serve, document, meters: socketMeters(metrics, name) }
  }

  const namesMedia = [
    { table: keptTable, nameOf: ({ name }: Kept) => name },
    { table: objectTable, nameOf: (name: string) => name },
  ]
  const backups = openBackups({
    ...{ dataDir: dir, store: state.store, objects, namesMedia, engine, clock, log },
    isCluster: state.bus !== undefined,
  })
  const mgmt = plane(
    'mgmt',
    [
      ...management.routes({
        ...{ ...known, shards: engine, sealer, pages, buckets },
        sandbox: sandbox.conversations(deps),
        traffic: openTraffic({ shards: engine, shardCount: config.shards, timeScale: config.timeScale, clock }),
      }),
      ...withExamples(
        [
          ...deadLetterRoutes({ shards: engine, directory, pages }),
          ...systemRoutes({ engine, shards: config.shards, log }),
          statusRoute({ engine, health, shards: config.shards, clock }),
          ...backupRoutes({ desk: backups, log }),
          ...emulator.routes(gatewayUrl),
          ...emulator.wireRoutes(gatewayUrl),
          ...front.routes(deps),
        ],
        nodeExamples,
      ),
    ],
    known.authenticate,
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
      ...chatPageRoutes({ directory, publicUrl: gatewayUrl, look: chatLook, widget: () => readFile(widgetFile) }),
      ...gatewayRoutes({ ...deps, metrics: apiMetrics(metrics) }),
      ...management.gatewayRoutes({ shards: engine, buckets }),
      ...ingressRoutes({
        ...ingress,
        findBinding: known.findBinding,
        findBindings: (name) => known.findBindingsOf([name]),
        headers: [...new Set(adapters.flatMap(({ descriptor }) => descriptor.headers))],
        publicUrl: gatewayUrl,
        log,
      }),
      ...mediaRoutes({ objects }),
      ...receivedRoutes({ directory, adapters: adapterOf, providers, capsules, media, objects, log }),
    ],
    known.agentOfToken,
  )

  return {
    planes: { mgmt, gateway: { ...gateway, sockets: webchat.sockets } },
    bootstrapped,
    engine,
    health,
    grants,
    socketsMost: room.sockets,
    emulator,
    sample: {
      start: (port) =>
        front.start({ ...deps, sealer, management: management.sample, randomBytes: random }, bootstrapped, port),
      link: front.link,
    },
    asidOf,
    reachableAt(found) {
      addresses.set(found)
      if (config.roles.includes('shards')) lines.start()
      const given = Object.values(found).filter((url) => url !== '')
      origins = new Set(given.map((url) => new URL(url).origin))
    },
    async close() {
      webchat.close()
      await trail.close()
      descriptors.close()
      front.stop()
      await emulator.stop()
      const stopped = engine.stop()
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, shutdown.effectsMs).unref())])
      await Promise.all([management.close(), agentDoor.close(), media.close(), lines.close(), providers.close()])
      await stopped
      await Promise.all([partners.close(), buckets.close()])
      await state.close()
    },
  }
}
