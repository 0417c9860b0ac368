/**
 * Dry run of a flow with a person who answers every question: does it reach its end, and what does the agent say on the
 * way?
 */
import { languageModel as limits } from '../../limits/index.js'
import { type AnyFlow, type AnyStep, collectedSlots, indexesById, kindOf, stepText, suggestionsOf } from './steps.js'

export interface DryRunTurn {
  readonly person: string
  readonly agent: string[]
  /** The steps taken, each as its index and kind. */
  readonly trace: string[]
}

export interface DryRun {
  readonly reachedEnd: boolean
  readonly outcome?: string
  /** The step at which the run stopped without an end. */
  readonly stuckAt?: string
  readonly turns: DryRunTurn[]
  readonly toolCalls: { action: string; with?: Record<string, unknown> }[]
}

type Slot = NonNullable<AnyFlow['slots']>[number]

/** The person's answer for each slot type. */
const sampleAnswers: Readonly<Record<Slot['type'], string>> = {
  string: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+1 555 0100',
  number: '2',
  date: '2030-05-14',
  timeslot: 'The first time you have',
  enum: 'The first one',
  boolean: 'Yes',
}

interface DryRunState {
  readonly flow: AnyFlow
  readonly slots: ReadonlyMap<string, Slot>
  readonly filled: Set<string>
  /** Visits of each branch step: each visit takes another branch, so that one run covers all of them. */
  readonly branchVisits: Map<number, number>
  readonly turns: DryRunTurn[]
  readonly toolCalls: DryRun['toolCalls']
}

type NextStep = { readonly index: number } | { readonly outcome: string }

export function dryRunFlow(flow: AnyFlow): DryRun {
  const state: DryRunState = {
    flow,
    slots: new Map((flow.slots ?? []).map((slot) => [slot.name, slot])),
    filled: new Set(),
    branchVisits: new Map(),
    turns: [{ person: 'Hello', agent: [], trace: [] }],
    toolCalls: [],
  }
  const { turns, toolCalls } = state
  const indexById = indexesById(flow.steps)
  let index = 0
  for (let stepCount = 0; stepCount < limits.simulationSteps; stepCount++) {
    const step = flow.steps[index]
    const next = step ? runStep(state, step, index, indexById) : { outcome: flow.onComplete ?? 'return' }
    if ('outcome' in next) return { reachedEnd: true, outcome: next.outcome, turns, toolCalls }
    index = next.index
  }
  return { reachedEnd: false, stuckAt: stepName(flow.steps[index], index), turns, toolCalls }
}

function stepName(step: AnyStep | undefined, index: number): string {
  return step?.id ?? `steps[${index}]`
}

function runStep(state: DryRunState, step: AnyStep, index: number, indexById: ReadonlyMap<string, number>): NextStep {
  const turn = state.turns.at(-1)!
  turn.trace.push(`${stepName(step, index)} ${kindOf(step) ?? 'unknown'}`)
  for (const name of collectedSlots(step)) askSlot(state, name)
  const text = stepText(step)
  if (text !== undefined) turn.agent.push([text, ...suggestionsOf(step).map((label) => `[${label}]`)].join(' '))
  if (step.action !== undefined) {
    state.toolCalls.push({ action: step.action, ...(step.with && { with: { ...step.with } }) })
  }
  if (step.handoff !== undefined) return { outcome: `handoff ${step.handoff}` }
  if (step.end) return { outcome: step.end.outcome }
  return { index: step.branch ? chooseBranch(state, step, index, indexById) : index + 1 }
}

/** Does not ask for a slot that is on file or already answered. */
function askSlot({ slots, filled, turns }: DryRunState, name: string): void {
  const slot = slots.get(name)
  if (!slot || filled.has(name)) return
  filled.add(name)
  turns.at(-1)!.agent.push(slot.prompt ?? `${name}?`)
  turns.push({ person: slot.options?.[0] ?? sampleAnswers[slot.type], agent: [], trace: [] })
}

function chooseBranch(
  { branchVisits }: DryRunState,
  step: AnyStep,
  index: number,
  indexById: ReadonlyMap<string, number>,
): number {
  const targets = [...(step.branch ?? []).map(({ goto }) => goto), step.else]
  const nth = branchVisits.get(index) ?? 0
  branchVisits.set(index, nth + 1)
  const target = targets[nth % targets.length]
  return target === undefined ? index + 1 : (indexById.get(target) ?? index + 1)
}
