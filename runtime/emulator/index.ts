/** Composition of the emulator page: sample agents, emulated providers and page. */
import { readFile } from 'node:fs/promises'
import type { ProviderEmulator } from '../../adapters/emulator/provideremulator.js'
import { type AgentRef, chatNameOf, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import type { AsidOf } from '../conversation/asid.js'
import { type Directory, readerOf } from '../conversation/context.js'
import type { Route } from '../http/route.js'
import type { BootstrapResult } from '../node/bootstrap.js'
import type { Log } from '../observe/log.js'
import type { RootSecrets } from '../secrets/rootsecrets.js'
import { deriveKey } from '../secrets/seal.js'
import type { Handlers } from '../shard/contract.js'
import { type ChatInspectorDeps, createChatInspector } from './chat.js'
import type { EmulatedProviders, EmulatorScene } from './contract.js'
import type { Emulator } from './emulator.js'
import { inspectQueries } from './inspect.js'
import { managedSample } from './managedsample.js'
import { pageRoutes } from './page.js'
import { pageApiRoutes } from './pageapi.js'
import type { SampleDeps, SampleProfile } from './samples.js'
import { startSample } from './samplestart.js'
import { createSendAs, type SendAsDeps } from './sendas.js'
import { createTickets } from './tickets.js'
import { createInboundTurnQuery, createTurnQuery, type TurnsOf } from './turns.js'
import { createEmulatorUpdates } from './updates.js'
import { createWebhookLog } from './webhooklog.js'
import { openWebhookSample } from './webhooksample.js'

/** Built by the build script. */
const scriptFile = new URL('../../adapters/emulator/page.js', import.meta.url)

export interface EmulatorPageOptions {
  readonly emulator: Pick<Emulator, 'providers'>
  readonly secrets: RootSecrets
  readonly clock: Clock
  readonly log: Log
  /** Reads the turns of managed agents. */
  readonly turnsOf: TurnsOf
  readonly urls: () => { readonly mgmt: string; readonly gateway: string }
}

interface StartedSample {
  readonly agentRef: AgentRef
  readonly profile: SampleProfile
}

interface SceneDeps {
  readonly directory: Directory
  readonly asidOf: AsidOf
}

export interface EmulatorPage {
  readonly queries: Handlers['queries']
  /** Origins on loopback at which the node may call a sample agent. */
  readonly origins: () => ReadonlySet<string>
  routes(deps: ChatInspectorDeps & SendAsDeps & SceneDeps): Route[]
  /** Routes outside the version prefix. */
  readonly pages: readonly Route[]
  /** Call it once the providers run and the node is reachable. */
  start(parts: SampleDeps, bootstrapped: BootstrapResult, port?: number): Promise<void>
  /** Is there a page to open? */
  isOpen(): boolean
  /** The page's URL with a ticket; undefined while the page is closed. */
  link(): string | undefined
  stop(): void
}

export function createEmulatorPage({
  emulator,
  secrets,
  clock,
  log,
  turnsOf,
  urls,
}: EmulatorPageOptions): EmulatorPage {
  const { providers } = emulator
  const tickets = createTickets(deriveKey(secrets.signing, 'emulator page'), clock)
  const webhookLog = createWebhookLog()
  const webhookSample = openWebhookSample(webhookLog.append)
  const turnQueries = { turnOfMessage: createTurnQuery(turnsOf), turnOfInbound: createInboundTurnQuery(turnsOf) }
  /** In the order of the page. */
  const started = new Map<string, StartedSample>()
  const isOpen = () => started.size > 0

  async function loadScene({ directory, asidOf }: SceneDeps, id: string): Promise<EmulatorScene | Refusal> {
    const sample = started.get(id)
    if (!sample) return refuse('resource.not_found', { detail: 'There is no such sample agent.' })
    const agent = await directory.get(formatAgentKey(sample.agentRef))
    if (isRefusal(agent)) return agent
    const { orgId, agentId, name, mode, channels } = agent
    const { phones, suggestions } = sample.profile
    const routeFor = (channelName: string) => channels.find(({ channel }) => channel === channelName)
    return {
      orgId,
      agentId,
      name,
      mode,
      suggestions,
      zone: readerOf(agent).zone,
      phones: phones.flatMap(({ channel, account, address }) => {
        const binding = providers.accounts.get(account) && routeFor(channel)
        if (!binding) return []
        const asid = asidOf(formatAgentKey(agent), channel, address)
        return [{ channel, provider: binding.provider, account, address, asid }]
      }),
      asidOfVisitor: (visitorId) => asidOf(formatAgentKey(agent), 'webchat', visitorId),
      ...(routeFor('webchat') && { chatUrl: `${urls().gateway}/v4/webchat/${chatNameOf(agent)}` }),
    }
  }

  return {
    queries: [...inspectQueries, ...Object.values(turnQueries)],
    origins: webhookSample.origins,
    isOpen,
    pages: pageRoutes({
      isOpen,
      gatewayUrl: () => urls().gateway,
      script: () => readFile(scriptFile),
    }),
    routes(deps) {
      const updates = createEmulatorUpdates({
        shards: deps.shards,
        providers: createEmulatedProviders(providers),
        webhookLog,
        ...turnQueries,
        clock,
      })
      const chat = createChatInspector(deps, webhookLog, turnQueries)
      const agentIds = () => [...started.keys()]
      const scene = (agentId: string) => loadScene(deps, agentId)
      return pageApiRoutes({ tickets, updates, chat, sendAs: createSendAs(deps), clock, agentIds, scene })
    },
    async start(parts, { orgId, key }, port) {
      const { mgmt: mgmtUrl, gateway: gatewayUrl } = urls()
      if (!mgmtUrl || !gatewayUrl || !providers.started()) return
      const startOptions = {
        orgId,
        isFirst: key !== undefined,
        mgmtUrl,
        gatewayUrl,
        ...(port !== undefined && { port }),
      }
      for (const sample of [managedSample, webhookSample]) {
        const { profile } = sample
        // A node without a sample agent still serves.
        const agentRef = await startSample(sample, parts, providers, startOptions).catch((error) => {
          log.warn('emulator.sample_failed', { agentId: profile.id, error })
          return undefined
        })
        if (agentRef) started.set(profile.id, { agentRef, profile })
      }
    },
    link: () => (isOpen() ? `${urls().mgmt}/emulator#${tickets.mint()}` : undefined),
    stop: webhookSample.stop,
  }
}

/** An unreachable phone is a fault at its provider until it is reachable again. */
function createEmulatedProviders({ sent, act, faults }: ProviderEmulator): EmulatedProviders {
  const unreachable = new Map<string, string>()
  return {
    sent,
    act,
    setReachable(account, reachable) {
      const faultId = unreachable.get(account)
      if (faultId !== undefined && reachable) faults.remove(faultId)
      if (reachable) unreachable.delete(account)
      else if (faultId === undefined) {
        const fault = faults.add({ account, kind: 'unreachable' })
        if (fault) unreachable.set(account, fault.id)
      }
    },
  }
}
