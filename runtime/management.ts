/** Puts the management plane together: what is kept of orgs and agents where their shards are, and the routes over it. */
import { enabledRules } from '../core/agent/replyrules.js'
import type { Rule } from '../core/agent/resources/character.js'
import type { AgentPlace } from '../core/agentkey.js'
import type { ProviderForm } from '../core/channel/form.js'
import type { HostedAdapter } from '../core/channel/hosted.js'
import type { ChannelName } from '../core/channelnames.js'
import { accessRepertoire, keyCommands } from '../mgmt/access/commands.js'
import type { Grants } from '../mgmt/access/grants.js'
import { keyRoutes } from '../mgmt/access/keyroutes.js'
import { type AccessRoutesOptions, accessRoutes } from '../mgmt/access/routes.js'
import { agentCommands, agentRepertoire } from '../mgmt/agents/commands.js'
import { type AgentDocuments, agentDocuments, documentRepertoire } from '../mgmt/agents/documents.js'
import { openPeopleFields } from '../mgmt/agents/peoplefields.js'
import { agentRoutes } from '../mgmt/agents/routes.js'
import { readSection } from '../mgmt/agents/sections.js'
import { findAgent } from '../mgmt/agents/store.js'
import { auditRoutes } from '../mgmt/audit/routes.js'
import { auditRepertoire, openAuditStore } from '../mgmt/audit/store.js'
import { automationRepertoire, type OpenAutomation } from '../mgmt/automation/open.js'
import { meterRecipients } from '../mgmt/campaigns/meters.js'
import { type CampaignArea, campaignRepertoire } from '../mgmt/campaigns/open.js'
import { catalogRoutes } from '../mgmt/catalogs/routes.js'
import { channelCommands, channelRepertoire } from '../mgmt/channels/commands.js'
import { credentialsAmong } from '../mgmt/channels/credentials.js'
import { channelRoutes } from '../mgmt/channels/routes.js'
import { channelRoutesOf } from '../mgmt/channels/store.js'
import { agentRoutesQuery } from '../mgmt/gatewayaccess/agentroutes.js'
import { gatewayCommands, gatewayPart, gatewayRepertoire } from '../mgmt/gatewayaccess/commands.js'
import { newCredentials } from '../mgmt/gatewayaccess/credentials.js'
import { gatewayAccessRoutes } from '../mgmt/gatewayaccess/routes.js'
import { orgRoutes } from '../mgmt/orgs/routes.js'
import { orgName, orgRepertoire, orgTable } from '../mgmt/orgs/store.js'
import { sendMeters } from '../mgmt/outreach/meters.js'
import { sectionsOfSends } from '../mgmt/outreach/needs.js'
import { type OutreachParts, outreachParts, outreachRepertoire } from '../mgmt/outreach/open.js'
import { type OpenPeople, openPeople, peopleRepertoire } from '../mgmt/people/commands.js'
import { peopleRoutes } from '../mgmt/people/routes.js'
import { openIdentities } from '../mgmt/people/standing.js'
import { agentSince } from '../mgmt/traffic/needs.js'
import { trafficRoutes } from '../mgmt/traffic/routes.js'
import { webhookCommands, webhookRepertoire } from '../mgmt/webhooks/commands.js'
import { webhookTryPerformer } from '../mgmt/webhooks/driver.js'
import { meterDeliveries, webhookMeters } from '../mgmt/webhooks/meters.js'
import { webhookRoutes } from '../mgmt/webhooks/routes.js'
import { followWebhooks, openTries } from '../mgmt/webhooks/tries.js'
import { automating } from './automation.js'
import { campaigns } from './campaigns.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import { openConnections } from './connections.js'
import { type AgentLine, writeAgentLine } from './conversation/agentlog.js'
import type { Adapters } from './conversation/context.js'
import type { ConversationCommands } from './conversation/contract.js'
import type { Openings } from './conversation/outreachport.js'
import type { RouteMeters } from './http/metrics.js'
import type { Pages } from './http/page.js'
import type { Route } from './http/route.js'
import { journeys } from './journeys.js'
import { openKnowing } from './knowledge.js'
import type { Buckets } from './limits/contract.js'
import type { Objects } from './media/contract.js'
import type { Log } from './observe/log.js'
import type { Metrics } from './observe/metrics.js'
import { openRehearsals } from './rehearsals.js'
import type { SandboxDeps } from './sandbox/sandbox.js'
import type { Semaphore } from './semaphore.js'
import type { Local, Performer, Repertoire, Shards, Tx } from './shard/contract.js'
import type { RootSecrets } from './store/rootsecrets.js'
import type { Sealer } from './store/sealer.js'
import { openTraffic } from './traffic/messages.js'
import { checkUrl } from './webhook/guard.js'
import { openPoster } from './webhook/post.js'
import { signedHeaders } from './webhook/sign.js'
import { openBodies } from './worker/bodies.js'
import { openWorkers } from './worker/pool.js'

export interface ManagementOptions {
  readonly config: Config
  readonly secrets: RootSecrets
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes: (count: number) => Uint8Array
  readonly objects: Objects
  /** Where others reach the two planes, without their version. */
  readonly mgmtUrl: () => string
  readonly gatewayUrl: () => string
  /** Conversations, once there are any. */
  readonly places: () => SandboxDeps & { readonly adapters: Adapters }
  readonly openings: Openings
  readonly metrics: Metrics
  readonly requestMeters: Pick<RouteMeters, 'callsPerSecond'>
  /** What bounds requests on their way out. */
  readonly slots: Semaphore
}

/** Once there are shards to ask. */
export interface OverEngine extends Pick<AccessRoutesOptions, 'idTokens'> {
  readonly shards: Shards
  readonly sealer: Sealer
  readonly pages: Pages
  readonly grants: Grants
  readonly adapters: readonly HostedAdapter[]
  /** Forms of adapters that came from elsewhere. */
  readonly partnerForms: readonly { readonly channel: ChannelName; readonly form: ProviderForm }[]
}

export function openManagement(options: ManagementOptions) {
  const { config, clock, randomBytes, mgmtUrl, gatewayUrl, places, openings, metrics } = options
  const { timeScale } = config
  const policy = { allowPrivate: config.allowPrivateUrls, slots: options.slots }
  const poster = openPoster(policy)
  const tries = openTries()
  const workers = openWorkers(options.log)

  const webhooks = webhookCommands({ timeScale })
  const orgEvent = webhooks.enqueue
  const keys = keyCommands(orgEvent)
  const audit = openAuditStore({ hasOrg: (reader, orgId) => reader.get(orgTable, [orgId]) !== undefined, timeScale })
  const gatewayAccess = gatewayCommands(orgEvent)
  const connections = openConnections({ ...options, orgEvent })
  const writeLine = (tx: Tx, place: AgentPlace, line: AgentLine, at: number) =>
    writeAgentLine(tx, place, line, at, timeScale)
  const automation: OpenAutomation = automating({
    people: () => people,
    documents: () => documents,
    outreach: () => outreach,
    log: writeLine,
    timeScale,
  })
  const campaigning: CampaignArea = campaigns({
    people: () => people,
    documents: () => documents,
    outreach: () => outreach,
    personas: () => rehearsals.personas,
    adapters: () => places().adapters,
    orgEvent,
    timeScale,
    requestMeters: options.requestMeters,
  })
  const people: OpenPeople = openPeople({
    orgEvent,
    agentOf: findAgent,
    listeners: [automation.kept, (...kept) => outreach.personKept(...kept)],
  })
  const rehearsals = openRehearsals({ people: people.door, documents: () => documents })
  const { released } = rehearsals
  const channels = channelCommands({ orgEvent, agentOf: findAgent, timeScale, released, ready: campaigning.ready })
  const documents: AgentDocuments = agentDocuments({
    orgEvent,
    personOf: people.door.asRead,
    draftCampaignsOf: campaigning.draftCampaignsOf,
    pictureUrl: (...asked) => knowing.pictureUrl(...asked),
    follow: (...change) => connections.follow(...change) ?? outreach.follow(...change) ?? automation.follow(...change),
  })
  const outreach: OutreachParts = outreachParts({
    ...automation.ofSends,
    ...campaigning.ofSends,
    referrersOf: (...asked) => [...automation.ofSends.referrersOf(...asked), ...campaigning.referrersOf(...asked)],
    orgEvent,
    documents: { read: (reader, place) => documents.load(reader, place, sectionsOfSends) },
    people: people.door,
    personas: rehearsals.personas,
    timeScale,
    log: writeLine,
    meters: sendMeters(metrics),
  })
  const knowing = openKnowing({ ...options, documents })
  const agents = agentCommands({
    orgEvent,
    parts: [
      gatewayPart,
      channels.part,
      documents.part,
      connections.part,
      knowing.part,
      people.part,
      outreach.part,
      automation.part,
      campaigning.part,
      ...rehearsals.parts,
    ],
  })
  const routesOfAgent = agentRoutesQuery({
    agent: findAgent,
    channels: channelRoutesOf,
    rules: (reader, place) => enabledRules((readSection(reader, place, 'rules') ?? []) as readonly Rule[]),
  })
  const sends = { conversations: openings, clock }
  const sinceOfAgent = agentSince(findAgent)

  return {
    keys,
    agents,
    channels,
    gatewayAccess,
    routesOfAgent,
    grantStands: rehearsals.grantStands,
    audit,
    /** Whether messages of a campaign may be handed over. */
    mayCampaignLeave: campaigning.queries.mayLeave,
    /** Whom conversations tell. */
    subscribers: { sends: outreach.commands.news, people: people.commands.heard },

    /** `conversation` is what rehearsals are held with. */
    over(conversation: ConversationCommands) {
      const rehearsing = rehearsals.over(conversation)
      const overShards = { places, openings, clock, randomBytes, gatewayUrl }
      return {
        parts: [
          orgRepertoire,
          accessRepertoire(keys),
          auditRepertoire(audit),
          webhookRepertoire(webhooks),
          agentRepertoire(agents),
          documentRepertoire(documents),
          gatewayRepertoire(gatewayAccess, routesOfAgent),
          channelRepertoire(channels.commands, channels.queries),
          peopleRepertoire(people),
          outreachRepertoire(outreach),
          automationRepertoire(automation),
          campaignRepertoire(campaigning),
          connections.repertoire,
          knowing.repertoire,
          rehearsing.repertoire,
          { commands: [], queries: [sinceOfAgent] },
        ] satisfies Pick<Repertoire, 'commands' | 'queries'>[],

        performers(shards: Shards, sealer: Sealer): Readonly<Record<string, Performer>> {
          const door = { post: poster.post, sign: signedHeaders, meters: webhookMeters(metrics) }
          return {
            webhookTry: webhookTryPerformer({ shards, commands: webhooks, sealer, clock, tries, ...door }),
            ...outreach.performers({ shards, ...sends }),
            ...automation.performers({ shards, ...sends }),
            ...campaigning.performers({ shards, attempt: outreach.attempting(sends) }),
            ...rehearsing.performers(openings),
            ...connections.performers({ sealer }),
            ...knowing.repertoire.performers(shards),
          }
        },

        routes({ shards, sealer, pages, grants, idTokens, adapters, partnerForms }: OverEngine): Route[] {
          return [
            ...accessRoutes({ shards, idTokens, orgName }),
            ...orgRoutes({ shards }),
            ...keyRoutes({ shards, commands: keys }),
            ...auditRoutes({ shards, store: audit, pages, clock }),
            ...webhookRoutes({
              shards,
              commands: webhooks,
              sealer,
              pages,
              checkUrl: (url) => checkUrl(url, policy),
              randomBytes,
            }),
            ...agentRoutes({
              shards,
              commands: agents,
              documents,
              sealer,
              pages,
              bodies: openBodies(workers),
              connectionsOf: connections.standingsOf(shards),
              auditOf: (asked) => shards.read(asked.orgId, audit.queries.ofAgent, { ...asked, now: clock.now() }),
              ...knowing.around,
              newCredentials: (orgId) => newCredentials(orgId, { sealer, randomBytes }),
            }),
            ...gatewayAccessRoutes({ shards, commands: gatewayAccess, sealer, randomBytes }),
            ...channelRoutes({
              shards,
              ...channels,
              sealer,
              checkCredentials: credentialsAmong(adapters),
              randomBytes,
              gatewayUrl: () => `${gatewayUrl()}/v4`,
            }),
            ...peopleRoutes({
              shards,
              people,
              pages,
              fieldsOf: openPeopleFields(shards, documents),
              identityAt: openIdentities(openings),
              randomBytes,
            }),
            ...rehearsing.routes({ ...overShards, shards, pages, grants }),
            ...outreach.routes({ shards, ...sends }),
            ...automation.routes({ shards, pages }),
            ...campaigning.routes({ shards, pages, clock }),
            ...journeys({ shards, ...sends, outreach, documents, mgmtUrl }),
            ...connections.routes({ shards, sealer }),
            ...knowing.routes({ shards, pages }),
            ...trafficRoutes({
              shards,
              traffic: openTraffic({ shards, shardCount: config.shards, timeScale, clock }),
              agentSince: sinceOfAgent,
              pages,
              clock,
              timeScale,
            }),
            ...catalogRoutes(partnerForms),
          ]
        },

        /** Pages of the gateway's plane. */
        pageRoutes: (shards: Shards, buckets: Buckets): Route[] =>
          rehearsing.pageRoutes({ ...overShards, shards, buckets, identityKey: options.secrets.identity }),
      }
    },

    follow(local: Local): void {
      followWebhooks(local, tries)
      meterDeliveries(local, metrics)
      meterRecipients(local, metrics)
    },

    async close(): Promise<void> {
      await Promise.all([poster.close(), connections.close(), knowing.close(), workers.close()])
    },
  }
}
export type Management = ReturnType<typeof openManagement>
