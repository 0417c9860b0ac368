/** Which steps of a flow were walked, by the traces of its walks. */
import { type AnyStep, kindOf } from '../agent/flows/steps.js'

export interface StepCoverage {
  /** Its id, or its index. */
  readonly step: string
  readonly kind: string
  readonly isSeen: boolean
}

export interface FlowCoverage {
  readonly steps: readonly StepCoverage[]
  readonly seen: number
}

export interface CoveredFlow {
  readonly playbookId: string
  readonly steps: readonly AnyStep[]
}

/** `traces`: the entries of all walks, of this flow and of others. */
export function coverageOf({ playbookId, steps }: CoveredFlow, traces: Iterable<string>): FlowCoverage {
  const entries = new Set(traces)
  const covered = steps.map((step, index): StepCoverage => {
    const entry = traceEntry(playbookId, step, index)
    return { step: step.id ?? String(index), kind: kindOf(step) ?? 'unknown', isSeen: entries.has(entry) }
  })
  return { steps: covered, seen: covered.filter(({ isSeen }) => isSeen).length }
}

/** `<playbook>:<step id or index> <kind>` */
export function traceEntry(playbookId: string, step: AnyStep, index: number): string {
  return `${playbookId}:${step.id ?? index} ${kindOf(step) ?? 'unknown'}`
}
