/**
 * Effect handlers of automation: one asks the conversation of a run's person for consent, one hands a reminder to its
 * conversation.
 */

import { scopeOf } from '../../core/agent/scope.js'
import { formatAgentKey } from '../../core/agentref.js'
import { areRemindersEnabled, reminderMessage } from '../../core/automation/reminder.js'
import { isRefusal } from '../../core/errors.js'
import { chooseIdentity } from '../../core/outreach/admission.js'
import { evaluateGuardrails } from '../../core/outreach/guardrails.js'
import type { ConsentState } from '../../core/outreach/port.js'
import { maxAttempts } from '../../core/outreach/statemachine.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Command, EffectContext, Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import { sendingOf } from '../outreach/store.js'
import { type AutomationDeps, automationSections } from './deps.js'
import type { RunAttempt } from './pickup.js'
import type { ReminderAttempt, ReminderOutcome } from './reminders.js'
import type { EvaluateInput } from './runs.js'
import { type Reminder, reminderTable } from './store.js'

export interface WorkerOptions extends AutomationDeps {
  readonly shards: Shards
  readonly commands: {
    readonly evaluate: Command<EvaluateInput, boolean>
    readonly report: Command<ReminderAttempt & { readonly outcome: ReminderOutcome }, boolean>
  }
}

/** Both may run again after a crash: an evaluation or a report that was committed changes nothing the second time. */
export function createAttemptHandler({ people, shards, conversations, commands }: WorkerOptions) {
  return async (attempt: RunAttempt, { reader, completes }: EffectContext): Promise<void> => {
    const person = people.byId(reader, attempt, attempt.personId)
    const identity = person && chooseIdentity(person)
    const consent = identity && { asid: identity.asid, ...(await loadConsent(conversations, identity)) }
    await unwrap(
      shards.execute(
        formatAgentKey(attempt),
        commands.evaluate,
        { ...attempt, ...(consent && { consent }) },
        { completes },
      ),
    )
  }
}

export function createReminderHandler(options: WorkerOptions) {
  return async (task: ReminderAttempt, { reader, completes }: EffectContext): Promise<void> => {
    const { appointmentId, reminderId, attempt } = task
    const reminder = reader.get(reminderTable, [...scopeOf(task), appointmentId])
    if (reminder?.id !== reminderId || reminder.attempts !== attempt || reminder.state !== 'sending') return
    const outcome = await attemptReminder(options, reader, task, reminder)
    await unwrap(
      options.shards.execute(formatAgentKey(task), options.commands.report, { ...task, outcome }, { completes }),
    )
  }
}

const done: ReminderOutcome = { kind: 'done' }

async function attemptReminder(
  options: WorkerOptions,
  reader: Reader,
  { orgId, agentId, incarnation, attempt }: ReminderAttempt,
  reminder: Reminder,
): Promise<ReminderOutcome> {
  const { documents, people, conversations, clock, timeScale } = options
  const agent = { orgId, agentId }
  const loaded = documents.load(reader, agent, automationSections)
  const person = people.byId(reader, agent, reminder.personId)
  const identity = person && outboundOf(person)
  const scheduling = loaded?.document.scheduling
  if (loaded?.agent.incarnation !== incarnation || !identity || !areRemindersEnabled(scheduling)) return done
  const { isOptedOut } = await loadConsent(conversations, identity)
  const { safeHours } = sendingOf(reader, scopeOf({ ...agent, incarnation }))
  const decision = evaluateGuardrails('reminder', {
    at: clock.now(),
    consent: person.consent.status,
    isOptedOut,
    ...(safeHours && { safeHours }),
    ignoresSafeHours: scheduling?.reminders?.ignoreSafeHours,
    isMarketing: false,
    minTouchIntervalHours: 0,
    timeScale,
  })
  if (decision) return decision.kind === 'wait' ? { kind: 'deferred', until: decision.until } : done
  const { asid, channel, address } = identity
  const playbookId = scheduling?.reminders?.playbookId
  const answer = await conversations.open({
    agent,
    sendId: reminder.id,
    attempt,
    isLast: attempt >= maxAttempts,
    asid,
    channel,
    address,
    start: { kind: 'reminder', ...(playbookId !== undefined && { playbookId }) },
    message: reminderMessage({
      subject: reminder.reminded,
      agentName: loaded.agent.name,
      document: loaded.document,
    }),
  })
  if (isRefusal(answer)) {
    // The conversation may have taken the reminder: only a retry under the same attempt number tells.
    if (answer.detail !== undefined) throw new Error('it is unknown whether the conversation accepted a reminder')
    return { kind: 'retry' }
  }
  return 'retry' in answer && answer.retry === 'later' ? { kind: 'retry' } : done
}

/** The identity that outreach uses, else the one seen last: an appointment may be made on any channel. */
function outboundOf(person: Person): PersonIdentity | undefined {
  const seenAt = ({ lastSeenAt = 0 }: PersonIdentity) => lastSeenAt
  return chooseIdentity(person) ?? person.identities.toSorted((one, other) => seenAt(other) - seenAt(one))[0]
}

async function loadConsent(
  conversations: Pick<OutreachConversations, 'consentOf'>,
  { asid }: PersonIdentity,
): Promise<ConsentState> {
  const { isOptedOut, lastInboundAt } = await unwrap(conversations.consentOf(asid))
  return { isOptedOut, ...(lastInboundAt !== undefined && { lastInboundAt }) }
}

/** Throws on a refusal: the effect stays pending, so nothing is decided while a shard is unavailable. */
async function unwrap<T>(pending: Promise<T>): Promise<Exclude<T, { readonly refused: string }>> {
  const answer = await pending
  if (isRefusal(answer)) throw new Error(`automation was not answered: ${answer.refused}`)
  return answer as Exclude<T, { readonly refused: string }>
}
