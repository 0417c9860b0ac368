/** The end of a run: which consequences are still missing, and whether the state matches the clients' answers. */
import type { Idle, OwnerState } from './load/commands.js'
import { type History, outcomeOf } from './load/history.js'
import type { Receiver } from './load/receiver.js'

export type States = ReadonlyMap<string, OwnerState>

/** Consequences that are still missing; `now` is the latest time of day of any node. */
export function missing(states: States, history: History, receiver: Receiver, now: number): string[] {
  const accepted = new Set(receiver.accepted())
  const found: string[] = []
  for (const [owner, state] of states) {
    const { values, timers, idle } = state
    if (state.owed > 0) found.push(`${state.owed} effects are owed in the shard of ${owner}`)
    // After a loss one shard may know of data that another has lost; within a shard all data still belongs together.
    const isForgiving = history.isForgiving()
    const reported = new Set(state.reports)
    const fired = new Set(state.fired.map(({ value }) => value))
    for (const value of values) {
      const input = inputOf(history, value)
      if (!input) continue
      input.destinations.forEach((_, place) => {
        if (isForgiving) return
        if (!accepted.has(`${value}/${place}`)) found.push(`the effect ${place} of ${value} was not received`)
        if (!reported.has(`${value}/${place}`)) found.push(`the effect ${place} of ${value} was not reported`)
      })
      const to = input.tellTo === undefined ? undefined : states.get(input.tellTo)
      if (to && !isForgiving && !to.meta.includes(value)) found.push(`${value} was not told to ${input.tellTo}`)
      // A clock that is set back does not lengthen a delay, so the delay is over however wrong its clock was.
      if (input.timerInMs !== undefined && !fired.has(value)) found.push(`the timer of ${value} has not fired`)
    }
    if (idle?.waits && !isLater(timers.idle, now)) found.push(`the idle timer of ${owner} has not fired`)
  }
  return found
}

/** A timer for a time of day that no clock shows yet; one set by a wrong clock may be hours away. */
function isLater(dueAt: number | undefined, now: number): boolean {
  return dueAt !== undefined && dueAt > now
}

function inputOf(history: History, value: string) {
  return history.asked().find((asked) => asked.input.value === value)?.input
}

/**
 * `clocksHold` is false where clocks may be set back: a timer's command may then run at an earlier time than it was
 * due.
 */
export function judge(states: States, history: History, receiver: Receiver, clocksHold: boolean): void {
  const { violated } = history
  const values = new Set<string>()
  const tells = new Map<string, string[]>()
  const effects: string[] = []
  for (const [owner, state] of states) {
    history.read(owner, history.floor(owner), state, 'the end')
    for (const value of repeats(state.values)) violated(`${value} is there twice in ${owner}`)
    for (const value of state.values) {
      values.add(value)
      const input = inputOf(history, value)
      if (!input) {
        violated(`${value} is in ${owner}, and nobody asked for it to stay`)
        continue
      }
      effects.push(...input.destinations.map((_, place) => `${value}/${place}`))
      if (input.tellTo !== undefined) tells.set(input.tellTo, [...(tells.get(input.tellTo) ?? []), value])
    }
    judgeTimers(owner, state, history, clocksHold)
    if (!history.isForgiving()) same(`reports to ${owner}`, state.reports, effectsOf(state, history), violated)
  }
  if (history.isForgiving()) return
  for (const [owner, state] of states) same(`what was told to ${owner}`, state.meta, tells.get(owner) ?? [], violated)
  same('what the receiver took in', receiver.accepted(), effects, violated)
  for (const asked of history.asked()) {
    const { owner, value } = asked.input
    const outcome = outcomeOf(asked)
    const place = states.get(owner)!.values.indexOf(value) + 1
    if (outcome === 'acknowledged' && place !== asked.answer!.count) {
      violated(`${value} was acknowledged at place ${asked.answer!.count} of ${owner} and is at ${place || 'none'}`)
    }
    if (outcome === 'not decided' && values.has(value))
      violated(`${value} is there, though it was said not to be decided`)
  }
}

function effectsOf({ values }: OwnerState, history: History): string[] {
  return values.flatMap((value) => inputOf(history, value)?.destinations.map((_, place) => `${value}/${place}`) ?? [])
}

function judgeTimers(owner: string, state: OwnerState, history: History, clocksHold: boolean): void {
  const { values, fired, idle, timers } = state
  const { violated } = history
  const wanted = values.filter((value) => inputOf(history, value)?.timerInMs !== undefined && !(value in timers))
  same(
    `timers fired for ${owner}`,
    fired.map(({ value }) => value),
    wanted,
    violated,
  )
  for (const { value, dueAt, at } of fired) {
    if (clocksHold && at < dueAt) violated(`the timer of ${value} fired ${dueAt - at} ms early`)
  }
  if (idle) judgeIdle(owner, idle, violated)
}

function judgeIdle(owner: string, { fired, wrongly }: Idle, violated: History['violated']): void {
  for (const generation of wrongly) violated(`the idle timer ${generation} of ${owner} fired after it was replaced`)
  for (const generation of repeats(fired)) violated(`the idle timer ${generation} of ${owner} fired twice`)
}

/** Both hold the same values, each once, in any order. */
function same(what: string, found: readonly string[], wanted: readonly string[], violated: History['violated']): void {
  for (const each of repeats(found)) violated(`${what}: ${each} is there twice`)
  const [there, due] = [new Set(found), new Set(wanted)]
  for (const each of due) if (!there.has(each)) violated(`${what}: ${each} is missing`)
  for (const each of there) if (!due.has(each)) violated(`${what}: ${each} should not be there`)
}

function repeats<T>(items: readonly T[]): T[] {
  return [...new Set(items.filter((item, place) => items.indexOf(item) !== place))]
}
