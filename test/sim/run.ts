/** One run: opens a world, injects faults, waits for quiet and judges the result. */
import { mergeLimits } from '../../runtime/shard/limits.js'
import { injectFaults } from './faults.js'
import { judge, missingWork, type States } from './judge.js'
import { compareCopies, pollEveryMs, startAll, stopAll, stopWithinMs, withoutRejections } from './lifecycle.js'
import { runClient } from './load/client.js'
import { type OwnerState, readOwner } from './load/commands.js'
import type { Counts, History } from './load/history.js'
import { openPressure } from './load/pressure.js'
import { attempt } from './load/target.js'
import { type Plan, planText } from './plan.js'
import { openWorld, type World, type WorldOptions } from './world.js'

export interface RunResult {
  readonly plan: Plan
  /** Violations as sentences; empty when every promise held. */
  readonly violations: readonly string[]
  readonly hash: string
  readonly events: number
  readonly virtualMs: number
  readonly counts: Counts
  /** Figures for the reader of a failure. */
  readonly lastLines: readonly string[]
}

/** The world must be quiet this long after the last fault. */
const stillWithinMs = 60_000

export async function run(plan: Plan, options: WorldOptions = {}): Promise<RunResult> {
  const world = openWorld(plan, options)
  world.trace.note(planText(plan))
  await withoutRejections(world, () => live(world))
  const { history, trace, timeline } = world
  return {
    plan,
    violations: history.violations,
    hash: trace.hash(),
    events: timeline.events(),
    virtualMs: timeline.now(),
    counts: history.counts(),
    lastLines: trace.last(),
  }
}

async function live(world: World): Promise<void> {
  const { plan, timeline, trace, history, nodes } = world
  const isBroken = () => history.violations.length > 0
  let troubled = true
  const clients = openClients(world, () => !troubled)
  if (await beginAlone(world)) return
  startAll(world)
  const endFaults = injectFaults(world)
  if (await timeline.run(plan.troubleMs, isBroken)) return

  troubled = false
  trace.note('TROUBLE IS OVER')
  endFaults()
  let states: States | undefined
  let owing: readonly string[] = ['everything']
  void checkProgress()
  await timeline.run(stillWithinMs, () => isBroken() || states !== undefined)
  if (isBroken()) return
  if (!states) {
    const away = nodes.filter((node) => !node.isRetired() && !node.target()).map(({ id }) => `${id} is away`)
    const open = [`${clients.waiting()} clients wait`, ...away, ...owing].slice(0, 6)
    history.addViolation(`${stillWithinMs / 1000} seconds after the last fault it is not still: ${open.join('; ')}`)
    return
  }
  judge(states, history, world.receiver, !plan.clockSteps)
  if (isBroken()) return
  await compareCopies(world)
  if (isBroken()) return
  await stopAll(world)

  /** Repeats until no consequence is missing. */
  async function checkProgress(): Promise<void> {
    for (;;) {
      await timeline.sleep(pollEveryMs)
      if (clients.waiting() > 0 || !nodes.every((node) => node.isRetired() || node.target())) continue
      const before = acknowledgedRequests(history)
      const seen = await statesOf(world)
      // An abandoned command may take effect during the read: the read is then older than the known state.
      if (!seen || acknowledgedRequests(history) > before) continue
      owing = missingWork(seen, history, world.receiver, Math.max(...nodes.map(({ clock }) => clock.now())))
      if (owing.length > 0) continue
      states = seen
      return
    }
  }
}

const acknowledgedRequests = (history: History) =>
  history.requests().filter(({ answer }) => answer !== undefined).length

/** The first node alone for a while, if planned; then it stops, and restarts as one of many. */
async function beginAlone(world: World): Promise<boolean> {
  const { plan, timeline, history, nodes } = world
  const [first] = nodes
  if (plan.aloneMs === 0 || !first) return false
  const isBroken = () => history.violations.length > 0
  first.start()
  if (await timeline.run(plan.aloneMs, isBroken)) return true
  let stopped = false
  void first.stop(stopWithinMs).then((clean) => {
    if (!clean) history.addViolation(`${first.id} did not stop to join a cluster`)
    stopped = true
  })
  await timeline.run(stopWithinMs * 2, () => stopped)
  world.engine = plan.engine
  first.start()
  const rng = world.rng.fork('alone')
  if (rng.chance(0.5)) {
    const incarnation = first.incarnation()!
    incarnation.ended(() => void timeline.after(rng.between(1, 2_000), first.start))
    incarnation.end(1 + rng.below(60))
  }
  await timeline.run(stopWithinMs, () => first.target() !== undefined)
  if (!first.target()) history.addViolation(`${first.id} could not found a cluster on its data`)
  return isBroken()
}

function openClients(world: World, over: () => boolean): { waiting(): number } {
  const { plan, timeline, history, trace, targets, owners } = world
  const destinations = Array.from({ length: plan.destinations }, (_, index) => `d${index}`)
  const stepsEach = Math.ceil(plan.steps / plan.clients)
  const { mailboxCommands, commandsPerCommit } = mergeLimits(plan.limits).shard
  const maxWaiting = mailboxCommands + commandsPerCommit
  const pressure = openPressure({ timeline, shards: plan.shards, max: maxWaiting, addViolation: history.addViolation })
  let waiting = plan.clients
  for (let index = 1; index <= plan.clients; index++) {
    const name = `c${index}`
    runClient({
      name,
      steps: stepsEach,
      thinkMs: plan.troubleMs / stepsEach,
      owners,
      destinations,
      shards: plan.shards,
      burst: plan.burst,
      rng: world.rng.fork(name),
      timeline,
      history,
      targets,
      note: trace.note,
      quiet: world.quiet,
      pressure: plan.engine === 'embedded' ? pressure : undefined,
      over,
    }).then(
      () => waiting--,
      (error) => history.addViolation(`${name} failed: ${(error as Error).stack}`),
    )
  }
  return { waiting: () => waiting }
}

/** Every owner's state as one process reads it; undefined when a read fails. */
async function statesOf({ owners, targets, rng, timeline }: World): Promise<States | undefined> {
  const states = new Map<string, OwnerState>()
  for (const owner of owners) {
    const there = targets()
    if (there.length === 0) return undefined
    const target = rng.pick(there)
    const outcome = await attempt(target, timeline, pollEveryMs * 50, () =>
      target.engine.query(owner, readOwner, { owner }),
    )
    if (outcome.kind !== 'answered') return undefined
    states.set(owner, outcome.answer)
  }
  return states
}
