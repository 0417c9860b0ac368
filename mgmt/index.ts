/**
 * The management plane: its areas, created in their order. An area may import the areas before it. A later area learns
 * of changes in an earlier one through a listener that the earlier area declares; the later area registers it when it
 * is created. Lookups and gates, by which an earlier area asks a later one, are registered in the same way.
 */

import type { AgentRef } from '../core/agentref.js'
import type { DispatchWindow } from '../core/campaign/throughput.js'
import type { DeliveryReport } from '../core/conversation/deliveryreport.js'
import type { OrgEventPayload } from '../core/orgevents.js'
import type { IdentityEvent } from '../core/people/person.js'
import type { Clock } from '../runtime/clock.js'
import { withExamples } from '../runtime/http/examples.js'
import type { Route } from '../runtime/http/route.js'
import type { Log } from '../runtime/observe/log.js'
import type { Metrics } from '../runtime/observe/metrics.js'
import type { Buckets } from '../runtime/ratelimit/contract.js'
import type { RootSecrets } from '../runtime/secrets/rootsecrets.js'
import type { Command, EffectHandler, Local } from '../runtime/shard/contract.js'
import { type AccessDeps, createAccess, type SignedTokens } from './access/index.js'
import { type AgentsDeps, createAgents } from './agents/index.js'
import type { EffectDeps, Module, RouteDeps } from './area.js'
import { createAudit } from './audit/index.js'
import { createAutomation } from './automation/index.js'
import { type CalendarDeps, createCalendar } from './calendar/index.js'
import { createCampaigns } from './campaigns/index.js'
import { type CatalogsDeps, createCatalogs } from './catalogs/index.js'
import { type ChannelsDeps, createChannels } from './channels/index.js'
import { type ConnectionsDeps, createConnections } from './connections/index.js'
import { managementExamples } from './examples.js'
import { createGatewayAccess } from './gatewayaccess/index.js'
import { createJourney } from './journey/index.js'
import { createKnowledge, type KnowledgeDeps } from './knowledge/index.js'
import { createLinks } from './links/index.js'
import { createOrgs } from './orgs/index.js'
import type { OutreachConversations } from './outreach/conversations.js'
import { createOutreach } from './outreach/index.js'
import type { AgentLog } from './outreach/transitions.js'
import { createPeople } from './people/index.js'
import type { SandboxCommands, SandboxConversations } from './sandbox/conversations.js'
import { createSandbox } from './sandbox/index.js'
import { calendarPort } from './scheduling/calendarport.js'
import { createScheduling } from './scheduling/index.js'
import { mailPort } from './scheduling/mailport.js'
import { createTools } from './tools/index.js'
import type { ToolEgress } from './tools/port.js'
import { createTraffic } from './traffic/index.js'
import type { TrafficLists } from './traffic/lists.js'
import { createTurns } from './turns/index.js'
import type { TurnLists } from './turns/lists.js'
import { createWebhooks, type WebhooksDeps } from './webhooks/index.js'

/** Calls of management to systems outside the installation; no member ever throws. */
export interface Egress
  extends Pick<WebhooksDeps, 'post' | 'sign' | 'checkUrl'>,
    Pick<KnowledgeDeps, 'getPage'>,
    Pick<CalendarDeps, 'callCalendar'>,
    Pick<AgentsDeps, 'geocode' | 'model'>,
    ToolEgress {
  readonly oauth: ConnectionsDeps['provider']
}

export interface ManagementDeps
  extends Pick<AccessDeps, 'oidc'>,
    Pick<AgentsDeps, 'bodies'>,
    Pick<CalendarDeps, 'readBusyTimes'>,
    Pick<CatalogsDeps, 'partnerForms'>,
    Pick<ChannelsDeps, 'adapters' | 'sendBudgets'>,
    Pick<ConnectionsDeps, 'returnRules'>,
    Pick<KnowledgeDeps, 'objects'> {
  readonly egress: Egress
  readonly conversations: OutreachConversations
  readonly sandboxCommands: SandboxCommands
  readonly agentLog: AgentLog
  readonly dispatchWindow: () => DispatchWindow
  readonly secrets: RootSecrets
  /** Base URLs of the two planes as callers reach them, without the version. */
  readonly mgmtUrl: () => string
  readonly gatewayUrl: () => string
  readonly randomBytes: (count: number) => Uint8Array
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly timeScale: number
}

/** What routes need of the node besides the engine. */
export interface ConnectDeps extends RouteDeps {
  readonly sandbox: SandboxConversations
  readonly traffic: TrafficLists
  readonly turns: TurnLists
  readonly buckets: Buckets
}

export function createManagement(deps: ManagementDeps) {
  const { egress, agentLog: log, gatewayUrl } = deps
  const { checkUrl } = egress
  const mediaUrl = (object: string) => `${gatewayUrl()}/v4/media/${object}`

  const orgs = createOrgs()
  const webhooks = createWebhooks({ ...deps, ...egress })
  const orgEvent: Command<OrgEventPayload, unknown> = webhooks.orgEvent
  const access = createAccess({ ...deps, orgEvent })
  const audit = createAudit(deps)
  const catalogs = createCatalogs(deps)
  const agents = createAgents({ ...deps, ...egress, orgEvent, audit, mediaUrl })
  const gatewayAccess = createGatewayAccess({ ...deps, orgEvent, agents, checkUrl })
  const channels = createChannels({ ...deps, orgEvent, agents })
  const knowledge = createKnowledge({ ...deps, ...egress, agents, mediaUrl })
  const connections = createConnections({ ...deps, orgEvent, agents, provider: egress.oauth })
  const people = createPeople({ ...deps, orgEvent, agents })
  const sandbox = createSandbox({ ...deps, agents, people, commands: deps.sandboxCommands })
  const { personas } = sandbox
  const outreach = createOutreach({ ...deps, orgEvent, agents, channels, people, personas, log })
  const links = createLinks({ ...deps, agents, channels, personas })
  const journey = createJourney({ ...deps, agents, outreach })
  const automation = createAutomation({ ...deps, agents, people, outreach, log })
  const dispatchWindow = deps.dispatchWindow
  const campaigns = createCampaigns({ ...deps, orgEvent, agents, channels, people, personas, outreach, dispatchWindow })
  const tools = createTools({ ...deps, agents, connections, people, toolEgress: egress })
  const calendar = createCalendar({ ...deps, ...egress, agents, connections, log })
  tools.provideCalendar((engine) => {
    const { call } = calendar.connect(engine)
    return (context, { arguments: given }, attempt) => call(context, given, attempt)
  })
  const scheduling = createScheduling({
    ...{ ...deps, agents, people, automation, log },
    connectMail: (engine) => mailPort(tools.open(engine)),
    connectCalendar: (engine) => calendarPort(calendar.connect(engine)),
  })
  const turns = createTurns({ ...deps, agents, people, knowledge, scheduling, tools })
  const traffic = createTraffic(deps)

  const modules: readonly Module[] = [
    orgs.module,
    webhooks.module,
    access.module,
    audit.module,
    agents.module,
    gatewayAccess.module,
    channels.module,
    knowledge.module,
    connections.module,
    people.module,
    sandbox.module,
    outreach.module,
    links.module,
    automation.module,
    campaigns.module,
    tools.module,
    calendar.module,
    scheduling.module,
    turns.module,
  ]

  const agentReports: {
    readonly sends: Command<DeliveryReport & AgentRef, unknown>
    readonly people: Command<IdentityEvent & AgentRef, unknown>
  } = { sends: outreach.commands.deliveryReport, people: people.commands.identityEvent }

  return {
    modules,
    /** Commands by which conversations report on sends and identities to the agent's shard. */
    agentReports,
    /** May the message of a campaign's send be handed to its provider? */
    mayDispatchCampaignSend: campaigns.mayDispatch,
    /** Writes into a person's journal. */
    journal: people.commands.journal,
    /** What managed turns need of this plane. */
    turnPort: turns.port,
    keys: access.commands,
    /** What creates the sample agents of a first start. */
    sample: {
      agents: agents.commands,
      importYaml: agents.importYaml,
      channels: channels.commands,
      gatewayAccess: gatewayAccess.commands,
    },

    effectHandlers: (engine: EffectDeps): Readonly<Record<string, EffectHandler>> => ({
      ...webhooks.effectHandlers(engine),
      ...knowledge.effectHandlers(engine),
      ...connections.effectHandlers(engine),
      ...outreach.effectHandlers(engine),
      ...links.effectHandlers(),
      ...automation.effectHandlers(engine),
      ...campaigns.effectHandlers(engine),
      ...scheduling.effectHandlers(engine),
    }),

    /** Called once, before the engine starts. */
    subscribe(local: Local): void {
      webhooks.subscribe(local)
      campaigns.subscribe(local)
    },

    /** Authentication and agent lookup over the engine; usable before the engine has started. */
    connect: (shards: RouteDeps['shards']) => ({
      ...access.signIn(shards, sandbox.grantCheck(shards)),
      ...channels.connect(shards),
      authenticateAgent: gatewayAccess.agentTokenAuth(shards),
      trail: audit.openTrail(shards),
    }),

    routes(engine: ConnectDeps & SignedTokens): Route[] {
      const routes = [
        ...access.routes(engine),
        ...orgs.routes(engine),
        ...audit.routes(engine),
        ...webhooks.routes(engine),
        ...agents.routes(engine),
        ...gatewayAccess.routes(engine),
        ...channels.routes(engine),
        ...people.routes(engine),
        ...sandbox.routes(engine),
        ...links.routes(engine),
        ...outreach.routes(engine),
        ...automation.routes(engine),
        ...campaigns.routes(engine),
        ...journey.routes(engine),
        ...connections.routes(engine),
        ...knowledge.routes(engine),
        ...turns.routes(engine),
        ...traffic.routes(engine),
        ...catalogs.routes(),
      ]
      return withExamples(routes, managementExamples)
    },

    /** Routes of the gateway's plane that management serves. */
    gatewayRoutes: (engine: Pick<ConnectDeps, 'shards' | 'buckets'>): Route[] => [
      ...gatewayAccess.gatewayRoutes(engine),
      ...links.gatewayRoutes(engine),
    ],
  }
}
export type Management = ReturnType<typeof createManagement>
