/** Automation: rules that send when a person changes, and reminders of appointments. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { EffectHandler } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import type { Outreach } from '../outreach/index.js'
import type { AgentLog } from '../outreach/transitions.js'
import type { People } from '../people/index.js'
import { createRescheduleCommand } from './clockchange.js'
import type { AutomationDeps } from './deps.js'
import { attemptEffect, pickupCommand } from './pickup.js'
import { createReminders, reminderEffect } from './reminders.js'
import { automationRoutes } from './routes.js'
import { createRules } from './rules.js'
import { createRuns } from './runs.js'
import { clearCommand, clearRemovedAgent } from './sweep.js'
import { createAttemptHandler, createReminderHandler } from './worker.js'

export interface AutomationAreaDeps {
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly people: People
  readonly outreach: Outreach
  readonly conversations: OutreachConversations
  readonly log?: AgentLog
  readonly clock: Clock
  readonly timeScale: number
}

export function createAutomation({ agents, ...areaDeps }: AutomationAreaDeps) {
  const { documents, onLifecycle } = agents
  const { people, outreach, timeScale } = areaDeps
  const deps: AutomationDeps = { ...areaDeps, documents }
  const rules = createRules(documents)
  const runs = createRuns(deps)
  const reminders = createReminders(deps)
  const commands = {
    ...rules.commands,
    ...reminders.commands,
    evaluate: runs.evaluate,
    pickup: pickupCommand,
    reschedule: createRescheduleCommand(timeScale),
    clear: clearCommand,
  }
  const { queries } = rules
  onLifecycle({ removed: clearRemovedAgent })
  documents.onChanged(reminders.onDocumentChanged)
  people.onChanged(runs.onPersonChanged)
  outreach.onChanged(runs.onSendChanged)
  outreach.onUnmatchedReport(reminders.onUnmatchedReport)
  outreach.addReferrers(rules.referrersOf)
  return {
    commands,
    queries,
    /** Part of a command of a later area: the appointment, its reminder and the rest of that command are one commit. */
    saveAppointment: reminders.saveAppointment,
    module: moduleOf({ commands, queries }),
    effectHandlers({ shards }: EffectDeps): Readonly<Record<string, EffectHandler>> {
      const options = { ...deps, shards, commands }
      return { [attemptEffect]: createAttemptHandler(options), [reminderEffect]: createReminderHandler(options) }
    },
    routes: (engine: RouteDeps): Route[] => automationRoutes({ ...engine, rules }),
  }
}
export type Automation = ReturnType<typeof createAutomation>
