/** Scheduling: the results of its tools. All moments are milliseconds since 1970 or ISO-8601 with an offset. */

/** A free time. */
export interface Slot {
  /** Names start and representative; stable, so the same free time has the same id in every search. */
  readonly id: string
  readonly startUtc: number
  /** The same moment with the offset of `zone`. */
  readonly start: string
  readonly durationMinutes: number
  readonly representativeId?: string
  readonly representativeName?: string
}

/** The result of `scheduling.availability`: earliest first. An empty list says that nothing is free. */
export interface Availability {
  readonly zone: string
  readonly slots: readonly Slot[]
}

/** The result of `scheduling.book`, `scheduling.reschedule` and `scheduling.cancel`. */
export interface AppointmentResult {
  readonly appointmentId: string
  readonly start: string
  readonly startUtc: number
  readonly zone: string
  readonly durationMinutes: number
  readonly representativeName?: string
}
