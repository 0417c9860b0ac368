/** Automation as a node puts it together: rules and their rows, follow-up on appointments, what listens and what is listened to. */
import type { Route } from '../../runtime/http/route.js'
import type { Performer, Repertoire, Shards } from '../../runtime/shard/contract.js'
import type { ConversationDoor, Doors } from './needs.js'
import { lookEffect, pickupCommand } from './pickup.js'
import { redateCommand } from './redating.js'
import { openReminders, remindEffect } from './reminding.js'
import { type AutomationRoutesOptions, automationRoutes } from './routes.js'
import { openRows } from './rows.js'
import { openRules } from './rules.js'
import { automationPart, clearCommand } from './sweep.js'
import { lookPerformer, remindPerformer } from './worker.js'

/** What is there once the engine is. */
export interface AroundAutomation {
  readonly shards: Shards
  readonly conversations: ConversationDoor
  readonly clock: { now(): number }
}

export function openAutomation(doors: Doors) {
  const rules = openRules(doors)
  const rows = openRows(doors)
  const reminders = openReminders(doors)
  const commands = {
    ...rules.commands,
    ...reminders.commands,
    judge: rows.judge,
    pickup: pickupCommand(doors),
    setBack: redateCommand(doors),
    clear: clearCommand,
  }
  return {
    commands,
    queries: rules.queries,
    part: automationPart(doors),
    /** For people: told of everybody who is kept. */
    kept: rows.kept,
    /** For the agent's document: told of every change of it. */
    follow: reminders.follow,
    /** For sends: who names an outreach, what they come to, and news of openings that are none of them. */
    ofSends: { referrersOf: rules.referrersOf, settled: rows.settled, strayNews: reminders.news },
    performers(around: AroundAutomation): Record<string, Performer> {
      const options = { ...doors, ...around, commands }
      return {
        [lookEffect]: lookPerformer(options) as Performer,
        [remindEffect]: remindPerformer(options) as Performer,
      }
    },
    routes: (over: Pick<AutomationRoutesOptions, 'shards' | 'pages'>): Route[] => automationRoutes({ ...over, rules }),
  }
}
export type OpenAutomation = ReturnType<typeof openAutomation>

export function automationRepertoire({ commands, queries }: OpenAutomation) {
  const all = { commands: Object.values(commands), queries: Object.values(queries) }
  return all as unknown as Pick<Repertoire, 'commands' | 'queries'>
}
