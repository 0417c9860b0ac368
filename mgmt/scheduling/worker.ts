/** Effect handlers of scheduling: one sends the lifecycle mail, one brings calendars in step with an appointment. */
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { scheduling as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Command, EffectContext, Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type CalendarTask, calendarChange, type MailTask } from './announce.js'
import type { SchedulingDeps } from './deps.js'
import type { Calendar, CalendarChange, SendMail, WriteOutcome } from './ports.js'

export interface WriteFailure {
  readonly orgId: string
  readonly agentId: string
  readonly appointmentId: string
  readonly what: 'mail' | 'calendar'
}

/** Writes a line of the agent's log. */
export function createFailureCommand({ log }: Pick<SchedulingDeps, 'log'>): Command<WriteFailure, true> {
  return {
    name: 'scheduling.reportFailure',
    decide(tx, { orgId, agentId, appointmentId, what }, { at }) {
      const event = what === 'mail' ? 'notify.failed' : 'scheduling.failed'
      log?.(tx, { orgId, agentId }, { event, data: { appointmentId, what } }, at)
      return true
    },
  }
}

export interface WorkerOptions extends SchedulingDeps {
  readonly shards: Shards
  readonly sendMail: SendMail | undefined
  readonly calendar: Calendar | undefined
  readonly reportFailure: Command<WriteFailure, true>
}

export function createMailHandler(options: WorkerOptions) {
  return async (task: MailTask, context: EffectContext): Promise<void> => {
    const { sendMail } = options
    if (!sendMail) return
    const { orgId, agentId, mail } = task
    const { id, signal, isStillOwner, isRepeat } = context
    const call = { id, signal, isStillOwner, isRepeat }
    await attempt(options, { ...task, what: 'mail' }, context, () => sendMail({ orgId, agentId }, mail, call))
  }
}

export function createCalendarHandler(options: WorkerOptions) {
  return async (task: CalendarTask, context: EffectContext): Promise<void> => {
    const { calendar } = options
    if (!calendar) return
    await attempt(options, { ...task, what: 'calendar' }, context, () =>
      writeUntilInStep(options, calendar, task, context),
    )
  }
}

/** Throws when another attempt is worth it, so that the effect stays pending. */
async function attempt(
  { clock, timeScale, shards, reportFailure }: WorkerOptions,
  { at, ...failure }: WriteFailure & { readonly at: number },
  context: EffectContext,
  write: () => Promise<WriteOutcome>,
): Promise<void> {
  const isLate = clock.now() - at > scaledMs(limits.effectRetryMs, timeScale)
  const outcome = isLate ? 'never' : await write()
  if (outcome === 'done') return
  const { orgId, agentId, appointmentId, what } = failure
  if (outcome === 'later') throw new Error(`the ${what} of an appointment was not written`)
  const input = { orgId, agentId, appointmentId, what }
  const answer = await shards.execute(formatAgentKey(input), reportFailure, input, { completes: context.completes })
  if (isRefusal(answer)) throw new Error(`a failure was not reported: ${answer.refused}`)
}

/**
 * Writes the appointment as it is, and again when it has changed meanwhile: whichever task of an appointment ends last,
 * the calendars have its last state.
 */
async function writeUntilInStep(
  options: WorkerOptions,
  calendar: Calendar,
  task: CalendarTask,
  { reader, isStillOwner }: EffectContext,
): Promise<WriteOutcome> {
  const { orgId, agentId } = task
  for (;;) {
    const { step, changes } = changesOf(options, reader, task)
    for (const [index, change] of changes.entries()) {
      if (!isStillOwner()) return 'later'
      const outcome = await calendar.write({ orgId, agentId }, change, `${task.appointmentId}.${step}.${index}`)
      if (outcome !== 'done') return outcome
    }
    if (changesOf(options, reader, task).step === step) return 'done'
  }
}

/** The event is removed from every calendar that may have it, and saved to the one that is to have it. */
function changesOf({ people }: WorkerOptions, reader: Reader, task: CalendarTask) {
  const { personId, appointmentId, representativeIds, zone } = task
  const person = people.byId(reader, task, personId)
  const appointment = person && people.appointment(reader, task, personId, appointmentId)
  const removals = (ids: readonly string[]) =>
    ids.map((id): CalendarChange => ({ kind: 'remove', appointmentId, ...(id !== '' && { representativeId: id }) }))
  if (!appointment) return { step: 0, changes: removals(representativeIds) }
  const { representativeId = '', history } = appointment
  const others = representativeIds.filter((id) => id !== representativeId)
  return { step: history.length, changes: [...removals(others), calendarChange(appointment, person, zone)] }
}
