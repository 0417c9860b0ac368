/**
 * Dry run of a flow: the engine with a person who answers every question by its type, and tools that are captured. Does
 * the flow reach its end, and what does the agent say on the way?
 */
import { readPredicate } from '../agent/flows/predicates.js'
import { type AgentDocument, findItem, type Item, withItem } from '../agent/index.js'
import { languageModel as limits } from '../limits/index.js'
import type { ToolCall, ToolOutcome } from '../tools/contract.js'
import type { FlowEnvironment, FlowFrame, FlowInput, FlowProgress, FlowSay } from './contract.js'
import { traceEntry } from './coverage.js'
import { runWalk } from './engine.js'
import { keyOfCall } from './key.js'
import { sampleNow, sampleOutcome } from './sampleresults.js'
import type { Slot } from './slots/reader.js'
import { enterFlow } from './transfer.js'
import { createWalk, slotOf } from './walk.js'

export interface DryRunTurn {
  readonly person: string
  readonly agent: string[]
  /** The steps taken, each as its id or index, and its kind. */
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

type Playbook = Item<'playbooks'>
type Flow = NonNullable<Playbook['flow']>

/** The person's answer for each slot type, when there is nothing to choose. */
const sampleAnswers: Readonly<Record<Slot['type'], string>> = {
  string: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+1 415 555 0132',
  number: '2',
  date: '2030-05-14',
  timeslot: 'The first time you have',
  enum: 'The first one',
  boolean: 'Yes',
}

interface Run {
  readonly document: AgentDocument
  readonly branchVisits: Map<string, number>
  readonly turns: DryRunTurn[]
  readonly toolCalls: DryRun['toolCalls']
  readonly recorded: string[]
  steps: number
}

export function dryRunFlow(document: AgentDocument, playbook: Playbook & { readonly flow: Flow }): DryRun {
  const answerable = { ...playbook, flow: withFittingChecks(playbook.flow) }
  const turns: DryRunTurn[] = [{ person: 'Hello', agent: [], trace: [] }]
  const run: Run = {
    document: withItem(document, 'playbooks', answerable),
    branchVisits: new Map(),
    turns,
    toolCalls: [],
    recorded: [],
    steps: 0,
  }
  const names = stepNames(playbook)
  let stack: readonly FlowFrame[] = [enterFlow(playbook)]
  let input: FlowInput = { kind: 'enter' }
  for (let rounds = 0; rounds < limits.simulationSteps && run.steps < limits.simulationSteps; rounds++) {
    const progress = takeTurn(run, stack, input, names)
    const { next } = progress
    if (next.kind === 'call') {
      run.toolCalls.push(shownCall(next.call))
      input = { kind: 'outcome', outcome: sampleOutcome(next.call) }
    } else if (next.kind === 'wait') {
      const answer = answerTo(run, progress)
      turns.push({ person: answer.person, agent: [], trace: [] })
      input = answer.input
    } else {
      const outcome = outcomeOf(run, progress)
      if (outcome === undefined) break
      return { reachedEnd: true, outcome, turns, toolCalls: run.toolCalls }
    }
    stack = progress.stack
  }
  const last = turns.flatMap(({ trace }) => trace).at(-1) ?? 'steps[0]'
  return { reachedEnd: false, stuckAt: last.slice(0, last.lastIndexOf(' ')), turns, toolCalls: run.toolCalls }
}

/** An answer by type cannot fit any expression: without a sample that fits, the check is left out. */
function withFittingChecks(flow: Flow): Flow {
  const slots = (flow.slots ?? []).map((slot) => {
    const { validate, ...unchecked } = slot
    return fittingAnswer(slot) === undefined ? unchecked : slot
  })
  return { ...flow, slots }
}

function fittingAnswer({ type, validate, options }: Slot): string | undefined {
  const predicate = validate === undefined ? undefined : readPredicate(validate)
  const bound = validate?.split(':')[1]
  const candidates = options
    ? options.slice(0, 1)
    : [sampleAnswers[type], ...(type === 'number' && bound ? [bound] : [])]
  return candidates.find((answer) => !predicate || !('accepts' in predicate) || predicate.accepts(answer))
}

/** One progress of the engine, with the reads that it asks for. */
function takeTurn(
  run: Run,
  stack: readonly FlowFrame[],
  input: FlowInput,
  names: ReadonlyMap<string, string>,
): FlowProgress {
  const reads = new Map<string, ToolOutcome>()
  const environment: FlowEnvironment = {
    document: run.document,
    agent: { name: 'Agent' },
    now: sampleNow,
    zone: 'UTC',
    reads,
    refusal: () => undefined,
  }
  for (;;) {
    const visits = new Map(run.branchVisits)
    const progress = runWalk(createWalk(stack, environment, visits), input)
    if (progress.next.kind === 'read' && !reads.has(keyOfCall(progress.next.call))) {
      run.toolCalls.push(shownCall(progress.next.call))
      reads.set(keyOfCall(progress.next.call), sampleOutcome(progress.next.call))
      continue
    }
    for (const [branch, count] of visits) run.branchVisits.set(branch, count)
    const turn = run.turns.at(-1)!
    turn.agent.push(...progress.say.map(lineOf))
    turn.trace.push(...progress.trace.map((entry) => names.get(entry) ?? entry))
    run.recorded.push(...progress.outcomes)
    run.steps += progress.trace.length
    return progress
  }
}

function shownCall({ name, arguments: values }: ToolCall): DryRun['toolCalls'][number] {
  return { action: name, ...(Object.keys(values).length > 0 && { with: { ...values } }) }
}

function lineOf(say: FlowSay): string {
  if (say.kind === 'part') return partLine(say.part)
  const text = say.kind === 'text' ? say.aml : `template:${say.templateId}`
  return [text, ...(say.chips ?? []).map((label) => `[${label}]`)].join(' ')
}

function partLine(part: Extract<FlowSay, { kind: 'part' }>['part']): string {
  if (part.type === 'ask.choice') return [part.prompt, ...part.options.map(({ label }) => `[${label}]`)].join(' ')
  if (part.type === 'ask.time') return [part.prompt, ...part.slots.map(({ start }) => `[${start.iso}]`)].join(' ')
  if (part.type === 'confirm') return `${part.prompt} [${part.yesLabel ?? 'Yes'}] [${part.noLabel ?? 'No'}]`
  return part.type
}

interface Answer {
  readonly person: string
  readonly input: FlowInput
}

/** Yes, the first option, or a sample of the slot's type. */
function answerTo(run: Run, { stack, say }: FlowProgress): Answer {
  const frame = stack.at(-1)!
  const part = say.findLast((each) => each.kind === 'part')?.part
  const waiting = frame.waiting
  if (part && 'intentId' in part && waiting && 'intentId' in waiting && part.intentId === waiting.intentId) {
    const tap = firstTap(part)
    if (tap) {
      const result = { intent: part.type, intentId: part.intentId, optionIds: [tap.id], labels: [tap.label] }
      return { person: tap.label, input: { kind: 'result', result: { ...result, via: 'tap' } } }
    }
  }
  const flow = findItem(run.document, 'playbooks', frame.playbookId)?.flow
  const slot = flow && waiting && 'slot' in waiting ? slotOf(flow, waiting.slot) : undefined
  const person = (slot && fittingAnswer(slot)) ?? sampleAnswers[slot?.type ?? 'string']
  return { person, input: { kind: 'message', text: person, isAnswerable: false } }
}

function firstTap(part: Extract<FlowSay, { kind: 'part' }>['part']): { id: string; label: string } | undefined {
  if (part.type === 'ask.choice') return part.options[0]
  if (part.type === 'confirm') return { id: 'yes', label: part.yesLabel ?? 'Yes' }
  const slot = part.type === 'ask.time' ? part.slots[0] : undefined
  return slot && { id: slot.id, label: slot.label ?? slot.start.iso }
}

/** Undefined when the flow did not get to an end of its own. */
function outcomeOf(run: Run, { next, warnings }: FlowProgress): string | undefined {
  const isStuck = warnings.some(({ code }) => code === 'flow.stuck' || code === 'flow.slot.exhausted')
  const last = run.turns.flatMap(({ trace }) => trace).at(-1) ?? ''
  if (isStuck || next.kind === 'digression') return undefined
  if (last.endsWith(' end')) return run.recorded.at(-1)
  if (next.kind === 'human') return 'handoff human'
  if (next.kind === 'playbook') return `handoff playbook:${next.playbookId}`
  return run.recorded.at(-1) ?? (next.kind === 'done' ? next.then : undefined)
}

/** The names of the playbook's own steps, by their entries in traces; steps of other flows keep their entries. */
function stepNames({ id, flow }: Playbook & { readonly flow: Flow }): ReadonlyMap<string, string> {
  const nameOf = (step: Flow['steps'][number], index: number) => {
    const entry = traceEntry(id, step, index)
    return [entry, `${step.id ?? `steps[${index}]`}${entry.slice(entry.lastIndexOf(' '))}`] as const
  }
  return new Map(flow.steps.map(nameOf))
}
