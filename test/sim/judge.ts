/** The end of a run: which consequences are still missing, and whether the state matches the clients' answers. */
import type { Idle, OwnerState } from './load/commands.js'
import { type History, outcomeOf } from './load/history.js'
import type { Receiver } from './load/receiver.js'

export type States = ReadonlyMap<string, OwnerState>

/** Consequences that are still missing; `now` is the latest time of day of any node. */
export function missingWork(states: States, history: History, receiver: Receiver, now: number): string[] {
  const accepted = new Set(receiver.accepted())
  const problems: string[] = []
  for (const [owner, state] of states) {
    const { values, timers, idle } = state
    if (state.pendingEffects > 0) problems.push(`${state.pendingEffects} effects are owed in the shard of ${owner}`)
    // After a loss one shard may know of data that another has lost; within a shard all data still belongs together.
    const isForgiving = history.isForgiving()
    const reported = new Set(state.reports)
    const fired = new Set(state.fired.map(({ value }) => value))
    for (const value of values) {
      const input = inputOf(history, value)
      if (!input) continue
      input.destinations.forEach((_, index) => {
        if (isForgiving) return
        if (!accepted.has(`${value}/${index}`)) problems.push(`the effect ${index} of ${value} was not received`)
        if (!reported.has(`${value}/${index}`)) problems.push(`the effect ${index} of ${value} was not reported`)
      })
      const to = input.sendTo === undefined ? undefined : states.get(input.sendTo)
      if (to && !isForgiving && !to.meta.includes(value)) problems.push(`${value} was not told to ${input.sendTo}`)
      // A clock that is set back does not lengthen a delay, so the delay is over however wrong its clock was.
      if (input.timerInMs !== undefined && !fired.has(value)) problems.push(`the timer of ${value} has not fired`)
    }
    if (idle?.waits && !isLater(timers.idle, now)) problems.push(`the idle timer of ${owner} has not fired`)
  }
  return problems
}

/** A timer for a time of day that no clock shows yet; one set by a wrong clock may be hours away. */
function isLater(dueAt: number | undefined, now: number): boolean {
  return dueAt !== undefined && dueAt > now
}

function inputOf(history: History, value: string) {
  return history.requests().find((request) => request.input.value === value)?.input
}

/**
 * `clocksHold` is false where clocks may be set back: a timer's command may then run at an earlier time than it was
 * due.
 */
export function judge(states: States, history: History, receiver: Receiver, clocksHold: boolean): void {
  const { addViolation } = history
  const values = new Set<string>()
  const outbound = new Map<string, string[]>()
  const effects: string[] = []
  for (const [owner, state] of states) {
    history.read(owner, history.floor(owner), state, 'the end')
    for (const value of repeats(state.values)) addViolation(`${value} is there twice in ${owner}`)
    for (const value of state.values) {
      values.add(value)
      const input = inputOf(history, value)
      if (!input) {
        addViolation(`${value} is in ${owner}, and nobody asked for it to stay`)
        continue
      }
      effects.push(...input.destinations.map((_, index) => `${value}/${index}`))
      if (input.sendTo !== undefined) outbound.set(input.sendTo, [...(outbound.get(input.sendTo) ?? []), value])
    }
    judgeTimers(owner, state, history, clocksHold)
    if (!history.isForgiving()) same(`reports to ${owner}`, state.reports, effectsOf(state, history), addViolation)
  }
  if (history.isForgiving()) return
  for (const [owner, state] of states)
    same(`what was told to ${owner}`, state.meta, outbound.get(owner) ?? [], addViolation)
  same('what the receiver took in', receiver.accepted(), effects, addViolation)
  for (const request of history.requests()) {
    const { owner, value } = request.input
    const outcome = outcomeOf(request)
    const index = states.get(owner)!.values.indexOf(value) + 1
    if (outcome === 'acknowledged' && index !== request.answer!.count) {
      addViolation(
        `${value} was acknowledged at place ${request.answer!.count} of ${owner} and is at ${index || 'none'}`,
      )
    }
    if (outcome === 'not decided' && values.has(value))
      addViolation(`${value} is there, though it was said not to be decided`)
  }
}

function effectsOf({ values }: OwnerState, history: History): string[] {
  return values.flatMap((value) => inputOf(history, value)?.destinations.map((_, index) => `${value}/${index}`) ?? [])
}

function judgeTimers(owner: string, state: OwnerState, history: History, clocksHold: boolean): void {
  const { values, fired, idle, timers } = state
  const { addViolation } = history
  const expected = values.filter((value) => inputOf(history, value)?.timerInMs !== undefined && !(value in timers))
  same(
    `timers fired for ${owner}`,
    fired.map(({ value }) => value),
    expected,
    addViolation,
  )
  for (const { value, dueAt, at } of fired) {
    if (clocksHold && at < dueAt) addViolation(`the timer of ${value} fired ${dueAt - at} ms early`)
  }
  if (idle) judgeIdle(owner, idle, addViolation)
}

function judgeIdle(owner: string, { fired, wrongly }: Idle, addViolation: History['addViolation']): void {
  for (const generation of wrongly) addViolation(`the idle timer ${generation} of ${owner} fired after it was replaced`)
  for (const generation of repeats(fired)) addViolation(`the idle timer ${generation} of ${owner} fired twice`)
}

/** Both hold the same values, each once, in any order. */
function same(
  what: string,
  actual: readonly string[],
  expected: readonly string[],
  addViolation: History['addViolation'],
): void {
  for (const each of repeats(actual)) addViolation(`${what}: ${each} is there twice`)
  const [there, due] = [new Set(actual), new Set(expected)]
  for (const each of due) if (!there.has(each)) addViolation(`${what}: ${each} is missing`)
  for (const each of there) if (!due.has(each)) addViolation(`${what}: ${each} should not be there`)
}

function repeats<T>(items: readonly T[]): T[] {
  return [...new Set(items.filter((item, index) => items.indexOf(item) !== index))]
}
