/** Queries of lists of turn records. */
import type { Position } from '../traffic/merge.js'
import type { TrafficQuery } from '../traffic/query.js'
import type { TurnRecord, WarningCode } from './record.js'

/** Conditions on turns; an absent member is no condition. */
export interface TurnFilter {
  readonly sessionId?: string
  /** Active before the turn or after it. */
  readonly playbookId?: string
  readonly warning?: WarningCode
  readonly state?: TurnRecord['state']
}

export interface TurnQuery extends TrafficQuery {
  readonly filter: TurnFilter
  /** The list continues after this record. */
  readonly after?: Position
}

export function matchesTurn(record: TurnRecord, filter: TurnFilter): boolean {
  const { sessionId, playbookId, warning, state } = filter
  const { before, after } = record.playbook
  return (
    (sessionId === undefined || record.sessionId === sessionId) &&
    (state === undefined || record.state === state) &&
    (playbookId === undefined || before === playbookId || after === playbookId) &&
    (warning === undefined || record.warnings.some(({ code }) => code === warning))
  )
}
