/** Ports from appointments to mail and calendars. A failed write is retried or given up; no booking waits for one. */
import type { AgentRef } from '../../core/agentref.js'
import type { Interval } from '../../core/interval.js'
import type { OutsideCall } from '../../core/turn/port.js'

/** `later`: worth another attempt. `never`: not before an operator changes something. */
export type WriteOutcome = 'done' | 'later' | 'never'

export interface Mail {
  readonly to: readonly string[]
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** Unique to this mail and the same in each attempt: letters, digits, dots and underscores. */
  readonly messageId: string
}

export type SendMail = (agent: AgentRef, mail: Mail, options: OutsideCall) => Promise<WriteOutcome>

/** One event for each appointment and representative; a repeat leaves it as it is. */
export type CalendarChange = {
  readonly appointmentId: string
  /** Absent: the appointment is with the agent itself. */
  readonly representativeId?: string
} & (
  | { readonly kind: 'remove' }
  | {
      /** Creates the event or replaces it. */
      readonly kind: 'save'
      readonly startUtc: number
      readonly durationMinutes: number
      /** The zone in which the calendar's owner reads it. */
      readonly zone: string
      readonly title: string
      readonly description: string
      /** Grows with every change of the appointment. */
      readonly sequence: number
    }
)

export interface Calendar {
  /** Undefined while the calendar cannot be read, or when there is none. */
  busy(
    agent: AgentRef,
    representativeId: string | undefined,
    from: number,
    to: number,
  ): Promise<readonly Interval[] | undefined>
  /** Under an id that was used before it changes nothing more. */
  write(agent: AgentRef, change: CalendarChange, id: string): Promise<WriteOutcome>
}
