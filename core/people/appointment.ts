/** An appointment with a person, and its status. */

export const appointmentStatuses = ['scheduled', 'rescheduled', 'cancelled'] as const
export type AppointmentStatus = (typeof appointmentStatuses)[number]

export interface Appointment {
  readonly id: string
  readonly startUtc: number
  readonly durationMinutes: number
  readonly prospectTimezone: string
  readonly status: AppointmentStatus
  /** Not shown to operators, who see the name. */
  readonly representativeId?: string
  readonly representativeName?: string
  readonly representativeTitle?: string
  readonly notes?: string
  readonly history: readonly AppointmentStep[]
  readonly createdAt?: number
}

export interface AppointmentStep {
  readonly at: number
  readonly action: string
  readonly from?: string
  readonly to?: string
  readonly reason?: string
  /** The call that made the change: a repeat of it changes nothing. Not shown. */
  readonly callId?: string
}
