/** Puts the sample agent, the emulated providers and the page together: what a person meets after a first start. */
import { readFile } from 'node:fs/promises'
import type { ProviderEmulator } from '../adapters/emulator/control.js'
import { type AgentPlace, agentKeyOf, chatNameOf } from '../core/agentkey.js'
import { isRefusal, refuse } from '../core/errors.js'
import type { Clock } from './clock.js'
import type { AsidOf } from './conversation/asid.js'
import { type Directory, readerOf } from './conversation/context.js'
import type { Emulator } from './emulator.js'
import { type ChatDeskDeps, openChatDesk } from './emulatorpage/chat.js'
import type { Exchange, Stage } from './emulatorpage/contract.js'
import { openNewsDesk } from './emulatorpage/news.js'
import { pageRoutes } from './emulatorpage/page.js'
import { pageApiRoutes } from './emulatorpage/routes.js'
import { openSayer, type SayerDeps } from './emulatorpage/saying.js'
import { storyQueries } from './emulatorpage/story.js'
import { openTickets } from './emulatorpage/ticket.js'
import { openTold } from './emulatorpage/told.js'
import type { Route } from './http/route.js'
import type { Bootstrapped } from './node/bootstrap.js'
import type { Log } from './observe/log.js'
import { openSampleAgent, type SampleParts, samplePhones } from './sampleagent.js'
import type { RootSecrets } from './store/rootsecrets.js'
import { deriveKey } from './store/seal.js'

/** Made by the build. */
const scriptFile = new URL('../adapters/emulator/page.js', import.meta.url)

export interface EmulatorFrontOptions {
  readonly emulator: Pick<Emulator, 'providers'>
  readonly secrets: RootSecrets
  readonly clock: Clock
  readonly log: Log
  readonly urls: () => { readonly mgmt: string; readonly gateway: string }
}

interface StageDeps {
  readonly directory: Directory
  readonly asidOf: AsidOf
}

export interface EmulatorFront {
  readonly queries: typeof storyQueries
  /** Where the node may call the sample agent although it is on loopback. */
  readonly origins: () => ReadonlySet<string>
  routes(deps: ChatDeskDeps & SayerDeps & StageDeps): Route[]
  /** Outside the version prefix. */
  readonly pages: readonly Route[]
  /** Once the providers run and the node can be reached. */
  start(parts: SampleParts, bootstrapped: Bootstrapped, port?: number): Promise<void>
  /** Whether there is a page to open. */
  isOpen(): boolean
  /** The page with a ticket to it; undefined while there is nothing to open. */
  link(): string | undefined
  stop(): void
}

export function openEmulatorFront({ emulator, secrets, clock, log, urls }: EmulatorFrontOptions): EmulatorFront {
  const { providers } = emulator
  const tickets = openTickets(deriveKey(secrets.signing, 'emulator page'), clock)
  const told = openTold()
  const sample = openSampleAgent(told.note)
  let met: AgentPlace | undefined
  const isOpen = () => met !== undefined

  async function stageOver({ directory, asidOf }: StageDeps): Promise<Stage | ReturnType<typeof refuse>> {
    if (!met) return refuse('resource.not_found', { detail: 'There is no sample agent in this installation.' })
    const agent = await directory.get(agentKeyOf(met))
    if (isRefusal(agent)) return agent
    const { orgId, agentId, name, channels } = agent
    const at = (wanted: string) => channels.find(({ channel }) => channel === wanted)
    return {
      orgId,
      agentId,
      name,
      zone: readerOf(agent).zone,
      phones: samplePhones.flatMap(({ channel, account, address }) => {
        const bound = providers.accounts.get(account) && at(channel)
        if (!bound) return []
        const asid = asidOf(agentKeyOf(agent), channel, address)
        return [{ channel, provider: bound.provider, account, address, asid }]
      }),
      asidOfVisitor: (visitorId) => asidOf(agentKeyOf(agent), 'webchat', visitorId),
      ...(at('webchat') && { chatUrl: `${urls().gateway}/v4/webchat/${chatNameOf(agent)}` }),
    }
  }

  return {
    queries: storyQueries,
    origins: sample.origins,
    isOpen,
    pages: pageRoutes({
      isOpen,
      gatewayUrl: () => urls().gateway,
      script: () => readFile(scriptFile),
    }),
    routes(over) {
      const news = openNewsDesk({ shards: over.shards, exchange: exchangeOver(providers), told, clock })
      const [chat, say] = [openChatDesk(over, told), openSayer(over)]
      return pageApiRoutes({ tickets, news, chat, told, say, clock, stage: () => stageOver(over) })
    },
    async start(parts, { orgId, key }, port) {
      const { mgmt: mgmtUrl, gateway: gatewayUrl } = urls()
      if (!mgmtUrl || !gatewayUrl || !providers.started()) return
      const how = { orgId, isFirst: key !== undefined, mgmtUrl, gatewayUrl, ...(port !== undefined && { port }) }
      // A node without somebody to talk to is a node all the same.
      met = await sample.start(parts, providers, how).catch((error) => {
        log.warn('emulator.sample_failed', { error })
        return undefined
      })
    },
    link: () => met && `${urls().mgmt}/emulator#${tickets.mint()}`,
    stop: sample.stop,
  }
}

/** A phone that is out of reach has a fault at its provider, until it is back. */
function exchangeOver({ sent, act, faults }: ProviderEmulator): Exchange {
  const unreachable = new Map<string, string>()
  return {
    sent,
    act,
    setReachable(account, reachable) {
      const known = unreachable.get(account)
      if (known !== undefined && reachable) faults.remove(known)
      if (reachable) unreachable.delete(account)
      else if (known === undefined) {
        const fault = faults.add({ account, kind: 'unreachable' })
        if (fault) unreachable.set(account, fault.id)
      }
    },
  }
}
