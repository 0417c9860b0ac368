/** Tools of agents: custom integrations, tools of the catalog, the team's notifications, and saves to people. */
import type { AgentRef } from '../../core/agentref.js'
import type { Refusal } from '../../core/errors.js'
import type { Mail } from '../../core/tools/mail.js'
import type { Clock } from '../../runtime/clock.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf } from '../area.js'
import type { Connections } from '../connections/index.js'
import type { Conversations } from '../people/conversations.js'
import { createIdentityLookup } from '../people/identitylookup.js'
import type { People } from '../people/index.js'
import { type ToolAvailability, unavailableTools, withConnections } from './availability.js'
import { type CallTool, createCalls } from './calls.js'
import { createMailer, type MailAttempt, type SentMail } from './mailer.js'
import { createSaveCommand, createSavePerson, type SavePersonTool } from './peoplesave.js'
import type { ToolEgress } from './port.js'
import { createSetupQuery } from './setup.js'

export type { SentMail } from './mailer.js'

export interface ToolsDeps {
  readonly agents: Pick<Agents, 'documents'>
  readonly connections: Pick<Connections, 'queries' | 'tokens'>
  readonly people: People
  readonly conversations: Conversations
  readonly toolEgress: ToolEgress
  readonly mgmtUrl: () => string
  readonly clock: Clock
  readonly timeScale: number
}

export interface OpenTools {
  readonly call: CallTool
  /** `people.save`. */
  readonly savePerson: SavePersonTool
  /** Mail to the team through the provider of the notifications config. */
  sendMail(agent: AgentRef, mail: Mail, attempt?: MailAttempt): Promise<SentMail>
}

export function createTools({ agents, connections, people, conversations, toolEgress, ...rest }: ToolsDeps) {
  const { mgmtUrl, clock, timeScale } = rest
  const setup = createSetupQuery(agents.documents, people)
  const save = createSaveCommand(agents.documents, people)
  let connectCalendar: ((engine: EffectDeps) => CallTool) | undefined
  return {
    commands: { save },
    module: moduleOf({ commands: { save }, queries: { setup } }),
    /** Registers the calendar tool of a later area. In the sandbox it is not called. */
    provideCalendar(connect: (engine: EffectDeps) => CallTool): void {
      connectCalendar = connect
    },
    unavailableTools,
    withConnections: (
      shards: Pick<Shards, 'query'>,
      orgId: string,
      availability: ToolAvailability,
    ): Promise<Readonly<Record<string, string>> | Refusal> => withConnections(shards, connections, orgId, availability),
    open(engine: EffectDeps): OpenTools {
      const deps = { ...engine, setup, egress: toolEgress, clock, timeScale }
      const tokens = connections.tokens(engine)
      return {
        call: createCalls({ ...deps, tokens, mgmtUrl, calendar: () => connectCalendar?.(engine) }),
        savePerson: createSavePerson({ shards: engine.shards, save, identityAt: createIdentityLookup(conversations) }),
        sendMail: createMailer(deps),
      }
    },
  }
}
export type Tools = ReturnType<typeof createTools>
