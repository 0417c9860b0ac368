/** Puts personas and outreach links together: both are ways to try an agent out before it meets anybody. */
import type { AgentDocuments } from '../mgmt/agents/documents.js'
import { findAgent } from '../mgmt/agents/store.js'
import { bindingAt } from '../mgmt/channels/store.js'
import { linkRepertoire, openLinks, startEffect } from '../mgmt/links/commands.js'
import { linkPageRoutes } from '../mgmt/links/pageroutes.js'
import { linkRoutes } from '../mgmt/links/routes.js'
import { startPerformer } from '../mgmt/links/starting.js'
import { sectionsOfSends } from '../mgmt/outreach/needs.js'
import { openPersonas, personaRepertoire } from '../mgmt/sandbox/commands.js'
import { emulatorLinkRepertoire, openEmulatorLinks } from '../mgmt/sandbox/emulatorlinks.js'
import { type EmulatorRoutesOptions, emulatorRoutes } from '../mgmt/sandbox/emulatorroutes.js'
import type { PeopleDoor } from '../mgmt/sandbox/needs.js'
import { personaRoutes } from '../mgmt/sandbox/routes.js'
import type { Clock } from './clock.js'
import type { ConversationCommands } from './conversation/contract.js'
import type { Openings } from './conversation/outreachport.js'
import type { Pages } from './http/page.js'
import type { Route } from './http/route.js'
import type { Buckets } from './limits/contract.js'
import { sandboxBegin, sandboxForget, sandboxTurn } from './sandbox/commands.js'
import { openSandbox, type SandboxDeps } from './sandbox/sandbox.js'
import { lookedAt } from './sandbox/turns.js'
import type { Performer, Repertoire, Shards } from './shard/contract.js'
import { deriveKey } from './store/seal.js'

export interface RehearsalsOptions {
  readonly people: PeopleDoor
  /** Asked for when something is read, since documents follow what is made of this. */
  readonly documents: () => Pick<AgentDocuments, 'load'>
}

/** Once there are conversations and shards to ask. */
export interface OverShards {
  readonly shards: Shards
  readonly places: () => SandboxDeps
  readonly openings: Openings
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  /** Where others reach the gateway. */
  readonly gatewayUrl: () => string
}

const sections = [...sectionsOfSends, 'playbooks'] as const

export function openRehearsals({ people, documents }: RehearsalsOptions) {
  const sandbox = { begin: sandboxBegin, forget: sandboxForget }
  const personas = openPersonas({
    people,
    sandbox,
    hasAgent: (reader, place) => findAgent(reader, place) !== undefined,
  })
  const emulatorLinks = openEmulatorLinks({ agentOf: findAgent })
  const links = openLinks({
    documents: { read: (reader, place) => documents().load(reader, place, sections) },
    bindings: { at: (reader, place, bindingId) => bindingAt(reader, { ...place, bindingId }) },
    personas: personas.door,
  })

  return {
    personas: personas.door,
    /** For the commit that deletes a binding. */
    released: links.released,
    parts: [personas.part, emulatorLinks.part, links.part],
    grantStands: emulatorLinks.checkOver,
    over(conversation: Pick<ConversationCommands, 'receiveInbound'>) {
      const turn = sandboxTurn(conversation)
      const own = [personaRepertoire(personas), emulatorLinkRepertoire(emulatorLinks), linkRepertoire(links)]
      const repertoire: Pick<Repertoire, 'commands' | 'queries'> = {
        commands: [...own.flatMap(({ commands }) => commands), sandboxBegin, sandboxForget, turn],
        queries: [...own.flatMap(({ queries }) => queries), lookedAt],
      }
      return {
        repertoire,
        performers: (openings: Openings): Readonly<Record<string, Performer>> => ({
          [startEffect]: startPerformer(links, openings),
        }),
        routes(over: OverShards & { pages: Pages; grants: EmulatorRoutesOptions['grants'] }): Route[] {
          const { places, openings, gatewayUrl } = over
          return [
            ...personaRoutes({ ...over, personas, sandbox: openSandbox(places, turn), begin: sandboxBegin }),
            ...emulatorRoutes({ ...over, emulatorLinks }),
            ...linkRoutes({
              ...over,
              links,
              conversations: openings,
              urlOf: (code) => `${gatewayUrl()}/v4/start/${code}`,
            }),
          ]
        },
        pageRoutes(over: OverShards & { buckets: Buckets; identityKey: Uint8Array }): Route[] {
          const { identityKey, openings, gatewayUrl } = over
          const numberKey = deriveKey(identityKey, 'numbers entered at links')
          return linkPageRoutes({ ...over, links, conversations: openings, numberKey, publicUrl: gatewayUrl })
        },
      }
    },
  }
}
