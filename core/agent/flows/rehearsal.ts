/** A flow walked once by a person who answers every question: whether it comes to its end, and what is said on the way. */
import { languageModel as limits } from '../../limits.js'
import { type AnyFlow, type AnyStep, collected, kindOf, placesOf, spoken, suggestionsOf } from './steps.js'

export interface RehearsalTurn {
  readonly person: string
  readonly agent: string[]
  /** The steps that were taken, by place and kind. */
  readonly trace: string[]
}

export interface Rehearsal {
  readonly reachedEnd: boolean
  readonly outcome?: string
  /** The step at which it was given up. */
  readonly stuckAt?: string
  readonly turns: RehearsalTurn[]
  readonly toolCalls: { action: string; with?: Record<string, unknown> }[]
}

type Slot = NonNullable<AnyFlow['slots']>[number]

/** What the person answers, by what is asked. */
const answers: Readonly<Record<Slot['type'], string>> = {
  string: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+1 555 0100',
  number: '2',
  date: '2030-05-14',
  timeslot: 'The first time you have',
  enum: 'The first one',
  boolean: 'Yes',
}

interface Walk {
  readonly flow: AnyFlow
  readonly slots: ReadonlyMap<string, Slot>
  readonly filled: Set<string>
  /** How often each branch was come to: every time it leads another way, so that a walk sees all of them. */
  readonly branched: Map<number, number>
  readonly turns: RehearsalTurn[]
  readonly toolCalls: Rehearsal['toolCalls']
}

type Next = { readonly place: number } | { readonly outcome: string }

export function rehearsed(flow: AnyFlow): Rehearsal {
  const walk: Walk = {
    flow,
    slots: new Map((flow.slots ?? []).map((slot) => [slot.name, slot])),
    filled: new Set(),
    branched: new Map(),
    turns: [{ person: 'Hello', agent: [], trace: [] }],
    toolCalls: [],
  }
  const { turns, toolCalls } = walk
  const places = placesOf(flow.steps)
  let place = 0
  for (let taken = 0; taken < limits.rehearsalSteps; taken++) {
    const step = flow.steps[place]
    const next = step ? take(walk, step, place, places) : { outcome: flow.onComplete ?? 'return' }
    if ('outcome' in next) return { reachedEnd: true, outcome: next.outcome, turns, toolCalls }
    place = next.place
  }
  return { reachedEnd: false, stuckAt: nameOf(flow.steps[place], place), turns, toolCalls }
}

function nameOf(step: AnyStep | undefined, place: number): string {
  return step?.id ?? `steps[${place}]`
}

function take(walk: Walk, step: AnyStep, place: number, places: ReadonlyMap<string, number>): Next {
  const turn = walk.turns.at(-1)!
  turn.trace.push(`${nameOf(step, place)} ${kindOf(step) ?? 'unknown'}`)
  for (const name of collected(step)) ask(walk, name)
  const said = spoken(step)
  if (said !== undefined) turn.agent.push([said, ...suggestionsOf(step).map((label) => `[${label}]`)].join(' '))
  if (step.action !== undefined) {
    walk.toolCalls.push({ action: step.action, ...(step.with && { with: { ...step.with } }) })
  }
  if (step.handoff !== undefined) return { outcome: `handoff ${step.handoff}` }
  if (step.end) return { outcome: step.end.outcome }
  return { place: step.branch ? way(walk, step, place, places) : place + 1 }
}

/** What is on file, or was answered before, is not asked. */
function ask({ slots, filled, turns }: Walk, name: string): void {
  const slot = slots.get(name)
  if (!slot || filled.has(name)) return
  filled.add(name)
  turns.at(-1)!.agent.push(slot.prompt ?? `${name}?`)
  turns.push({ person: slot.options?.[0] ?? answers[slot.type], agent: [], trace: [] })
}

function way({ branched }: Walk, step: AnyStep, place: number, places: ReadonlyMap<string, number>): number {
  const ways = [...(step.branch ?? []).map(({ goto }) => goto), step.else]
  const nth = branched.get(place) ?? 0
  branched.set(place, nth + 1)
  const target = ways[nth % ways.length]
  return target === undefined ? place + 1 : (places.get(target) ?? place + 1)
}
