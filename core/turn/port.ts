/** Port from managed turns to the agent's configuration, people and tools, wherever the agent's shard is. */
import type { AgentDocument } from '../agent/index.js'
import type { AgentRef } from '../agentref.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { Appointment } from '../people/appointment.js'
import type { Person } from '../people/person.js'
import type { CapturedEffect, ToolOutcome } from '../tools/contract.js'

export interface SubjectRequest extends AgentRef {
  readonly asid: string
  readonly channel: string
  readonly address: string
  /** The digest of the document that the caller already has. */
  readonly knownDigest?: string
}

/** What a turn knows of the agent and the person, of one moment. */
export interface TurnSubject {
  readonly agent: { readonly name: string; readonly description?: string; readonly updatedAt: number }
  /** Differs after any change of the document. */
  readonly digest: string
  /** Absent when `knownDigest` is its digest. */
  readonly document?: AgentDocument
  /** Without what is for operators alone. Absent while the person is not known yet. */
  readonly person?: Person
  /** Appointments ahead that are not cancelled, earliest first. */
  readonly appointments: readonly Appointment[]
  /** Catalog tools that are bound and cannot be called, each with the reason. */
  readonly unavailableTools: Readonly<Record<string, string>>
}

export interface OutsideCall {
  /** The same in every attempt at this call: sent as `Idempotency-Key`. */
  readonly id: string
  /** Aborted when the process loses the shard or stops: nothing may be sent after that. */
  readonly signal: AbortSignal
  /** Asked right before the first byte is written. */
  readonly isStillOwner: () => boolean
  /** An attempt before this one may have sent the request. */
  readonly isRepeat: boolean
}

/** `effects`: in the sandbox, what would have left besides. */
export interface InsideOutcome {
  readonly outcome: ToolOutcome
  readonly effects?: readonly CapturedEffect[]
}

export interface OutsideOutcome {
  readonly outcome: ToolOutcome
  /** In the sandbox, instead of the call. */
  readonly effects?: readonly CapturedEffect[]
  /** Lines for the agent's log, beside that of the call, which comes from the record of the turn. */
  readonly notes?: readonly LogNote[]
}
