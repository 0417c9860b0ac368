/** The audit port of the pipeline: audited calls that succeeded, and calls that were refused access. */
import type { Caller } from '../../core/access.js'
import type { ErrorCode } from '../../core/errors.js'

export interface AuditedCall {
  /** Absent for a call without a valid token. */
  readonly caller: Caller | undefined
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
}

/** Both methods resolve once the entry is durable, and never reject. The pipeline answers the call after that. */
export interface Audit {
  recordAction(action: string, call: AuditedCall, createdId: string | undefined): Promise<void>
  /** Undefined when the refusal is only counted. */
  recordRefusal(code: ErrorCode, call: AuditedCall): Promise<void> | undefined
}
