/** Automation: rules that send by themselves when a person changes, and reminders of appointments. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Performer } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import type { Outreach } from '../outreach/index.js'
import type { AgentLog } from '../outreach/transitions.js'
import type { People } from '../people/index.js'
import type { AutomationDeps } from './deps.js'
import { lookEffect, pickupCommand } from './pickup.js'
import { redateCommand } from './redating.js'
import { createReminders, remindEffect } from './reminding.js'
import { automationRoutes } from './routes.js'
import { createRows } from './rows.js'
import { createRules } from './rules.js'
import { clearCommand, clearRemovedAgent } from './sweep.js'
import { lookPerformer, remindPerformer } from './worker.js'

export interface AutomationAreaDeps {
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly people: People
  readonly outreach: Outreach
  readonly conversations: OutreachConversations
  readonly log?: AgentLog
  readonly clock: Clock
  readonly timeScale: number
}

export function createAutomation({ agents, ...given }: AutomationAreaDeps) {
  const { documents, onLifecycle } = agents
  const { people, outreach, timeScale } = given
  const deps: AutomationDeps = { ...given, documents }
  const rules = createRules(documents)
  const rows = createRows(deps)
  const reminders = createReminders(deps)
  const commands = {
    ...rules.commands,
    ...reminders.commands,
    judge: rows.judge,
    pickup: pickupCommand,
    setBack: redateCommand(timeScale),
    clear: clearCommand,
  }
  const { queries } = rules
  onLifecycle({ removed: clearRemovedAgent })
  documents.onChanged(reminders.onDocumentChanged)
  people.onChanged(rows.onPersonChanged)
  outreach.onChanged(rows.onSendChanged)
  outreach.onUnmatchedReport(reminders.onUnmatchedReport)
  outreach.addReferrers(rules.referrersOf)
  return {
    commands,
    queries,
    module: moduleOf({ commands, queries }),
    performers({ shards }: EffectDeps): Readonly<Record<string, Performer>> {
      const options = { ...deps, shards, commands }
      return { [lookEffect]: lookPerformer(options), [remindEffect]: remindPerformer(options) }
    },
    routes: (engine: RouteDeps): Route[] => automationRoutes({ ...engine, rules }),
  }
}
export type Automation = ReturnType<typeof createAutomation>
