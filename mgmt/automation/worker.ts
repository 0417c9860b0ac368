/** Goes and asks conversations for automation: how the person of a row stands, and whether a reminder is taken. */

import { scopeOf } from '../../core/agent/scope.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { areOn, reminderMessage } from '../../core/automation/reminder.js'
import { isRefusal } from '../../core/errors.js'
import type { Standing } from '../../core/outreach/contact.js'
import { guard } from '../../core/outreach/guardrails.js'
import { chosenIdentity } from '../../core/outreach/judge.js'
import { mostAttempts } from '../../core/outreach/machine.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Command, Performing, Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import { sendingOf } from '../outreach/store.js'
import { type AutomationDeps, automationSections } from './deps.js'
import type { Look } from './pickup.js'
import type { Reminding, RemindOutcome } from './reminding.js'
import type { Looked } from './rows.js'
import { type Reminder, reminderTable } from './store.js'

export interface WorkerOptions extends AutomationDeps {
  readonly shards: Shards
  readonly commands: {
    readonly judge: Command<Looked, boolean>
    readonly report: Command<Reminding & { readonly outcome: RemindOutcome }, boolean>
  }
}

/** Both may run again after a crash: a look that was judged, or an attempt that was reported on, changes nothing then. */
export function lookPerformer({ people, shards, conversations, commands }: WorkerOptions) {
  return async (look: Look, { reader, settles }: Performing): Promise<void> => {
    const person = people.byId(reader, look, look.personId)
    const identity = person && chosenIdentity(person)
    const standing = identity && { asid: identity.asid, ...(await standingOf(conversations, identity)) }
    await told(shards.ask(agentKeyOf(look), commands.judge, { ...look, ...(standing && { standing }) }, { settles }))
  }
}

export function remindPerformer(options: WorkerOptions) {
  return async (which: Reminding, { reader, settles }: Performing): Promise<void> => {
    const { appointmentId, reminderId, attempt } = which
    const reminder = reader.get(reminderTable, [...scopeOf(which), appointmentId])
    if (reminder?.id !== reminderId || reminder.attempts !== attempt || reminder.state !== 'sending') return
    const outcome = await attempted(options, reader, which, reminder)
    await told(options.shards.ask(agentKeyOf(which), options.commands.report, { ...which, outcome }, { settles }))
  }
}

const over: RemindOutcome = { kind: 'over' }

async function attempted(
  options: WorkerOptions,
  reader: Reader,
  { orgId, agentId, serial, attempt }: Reminding,
  reminder: Reminder,
): Promise<RemindOutcome> {
  const { documents, people, conversations, clock, timeScale } = options
  const place = { orgId, agentId }
  const known = documents.load(reader, place, automationSections)
  const person = people.byId(reader, place, reminder.personId)
  const identity = person && outboundOf(person)
  const scheduling = known?.document.scheduling
  if (known?.agent.serial !== serial || !identity || !areOn(scheduling)) return over
  const { isOptedOut } = await standingOf(conversations, identity)
  const { safeHours } = sendingOf(reader, scopeOf({ ...place, serial }))
  const held = guard('reminder', {
    at: clock.now(),
    consent: person.consent.status,
    isOptedOut,
    ...(safeHours && { safeHours }),
    ignoresSafeHours: scheduling?.reminders?.ignoreSafeHours,
    isMarketing: false,
    minTouchIntervalHours: 0,
    timeScale,
  })
  if (held) return held.kind === 'wait' ? { kind: 'held', until: held.until } : over
  const { asid, channel, address } = identity
  const answer = await conversations.open({
    place,
    sendId: reminder.id,
    attempt,
    isLast: attempt >= mostAttempts,
    asid,
    channel,
    address,
    message: reminderMessage({
      reminded: reminder.reminded,
      agentName: known.agent.name,
      document: known.document,
    }),
  })
  if (isRefusal(answer)) {
    // Whoever was asked may have taken it: only asking again under the same number tells.
    if (answer.detail !== undefined) throw new Error('nobody can say whether a reminder was taken')
    return { kind: 'again' }
  }
  return 'again' in answer && answer.again === 'later' ? { kind: 'again' } : over
}

/** The one that outreach goes to, or else whichever they were last heard on: an appointment may be made on any channel. */
function outboundOf(person: Person): PersonIdentity | undefined {
  const heard = ({ lastSeenAt = 0 }: PersonIdentity) => lastSeenAt
  return chosenIdentity(person) ?? person.identities.toSorted((one, other) => heard(other) - heard(one))[0]
}

async function standingOf(
  conversations: Pick<OutreachConversations, 'standing'>,
  { asid }: PersonIdentity,
): Promise<Standing> {
  const { isOptedOut, heardAt } = await told(conversations.standing(asid))
  return { isOptedOut, ...(heardAt !== undefined && { heardAt }) }
}

/** A throw leaves the effect owed, so nothing is decided while somebody cannot be asked. */
async function told<T>(asked: Promise<T>): Promise<Exclude<T, { readonly refused: string }>> {
  const answer = await asked
  if (isRefusal(answer)) throw new Error(`automation was not answered: ${answer.refused}`)
  return answer as Exclude<T, { readonly refused: string }>
}
