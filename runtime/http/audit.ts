/** What the pipeline reports to the audit trail: audited calls that succeeded, and calls that were refused access. */
import type { Caller } from '../../core/access.js'
import type { ErrorCode } from '../../core/errors.js'

export interface AuditedCall {
  /** Absent for a call without a good token. */
  readonly caller: Caller | undefined
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
}

/** Both resolve once the entry is durable, and never reject; a call is answered after that. */
export interface Audit {
  done(action: string, call: AuditedCall, made: string | undefined): Promise<void>
  /** Undefined where the call is only counted. */
  refused(code: ErrorCode, call: AuditedCall): Promise<void> | undefined
}
