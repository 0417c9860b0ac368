/** Calls of tools by flows: the gate before them, reads that the caller makes, and outcomes that are kept. */
import { flow as limits, turn } from '../limits/index.js'
import { kindOfTool } from '../tools/builtin.js'
import { isDone, type ToolCall, type ToolOutcome } from '../tools/contract.js'
import type { FlowNext, FlowWarning } from './contract.js'
import { keyOfCall } from './key.js'
import { changeTop, keepResult, leaveStuck, resultOf, stepKey, topOf, type Walk, warn } from './walk.js'

/** `isFresh`: it was not kept from an earlier walk. */
export type Called = { readonly outcome: ToolOutcome; readonly isFresh: boolean } | { readonly next: FlowNext }

/** The reason why the playbook may not make the call, as an outcome. */
export function gate({ environment, stack }: Walk, call: ToolCall): ToolOutcome | undefined {
  const reason = environment.refusal(stack.at(-1)!.playbookId, call)
  return reason === undefined ? undefined : { state: 'refused', reason }
}

/** The outcome of a read among those that were made for this plan; otherwise it is to be made. */
export function readOutcome({ environment: { reads } }: Walk, call: ToolCall): Called {
  const outcome = reads.get(keyOfCall(call))
  if (outcome) return { outcome, isFresh: true }
  if (reads.size < turn.readsPerPlan) return { next: { kind: 'read', call } }
  return { outcome: { state: 'failed', reason: `More than ${turn.readsPerPlan} searches in one turn.` }, isFresh: true }
}

export function isRead({ name }: ToolCall): boolean {
  return kindOfTool(name) === 'read'
}

/** The frame waits for the outcome. */
export function startCall(walk: Walk, call: ToolCall, attempt: number): FlowNext {
  const key = keyOfCall(call)
  if (!resultOf(walk, key) && (topOf(walk).results?.length ?? 0) >= limits.calls) {
    return leaveStuck(walk, `The flow made ${limits.calls} different calls.`)
  }
  changeTop(walk, { waiting: { kind: 'call', key, call, attempt } })
  return { kind: 'call', call }
}

const warningByState: Readonly<Partial<Record<ToolOutcome['state'], FlowWarning['code']>>> = {
  refused: 'tool.refused',
  failed: 'tool.failed',
  unknown: 'tool.unknown',
  cancelled: 'tool.unknown',
}

/** Keeps the outcome of a call, and warns of one that was not done. */
export function keepOutcome(walk: Walk, call: ToolCall, outcome: ToolOutcome): void {
  const step = kindOfTool(call.name) === 'inside' ? stepKey(topOf(walk)) : undefined
  keepResult(walk, { key: keyOfCall(call), name: call.name, outcome, ...(step !== undefined && { step }) })
  if (isDone(outcome)) return
  const code = warningByState[outcome.state]
  if (code) warn(walk, code, `${call.name}: ${outcome.reason}`)
}

export function mayRetry(outcome: ToolOutcome, attempt: number): boolean {
  return outcome.state === 'failed' && attempt < 2
}
