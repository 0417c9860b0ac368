/** One run of turns: opens a world of people and one agent, injects faults, waits for quiet, and judges the result. */
import { injectFaults } from '../faults.js'
import { compareCopies, pollEveryMs, startAll, stopAll, withoutRejections } from '../lifecycle.js'
import { attempt } from '../load/target.js'
import { planText } from '../plan.js'
import type { Incarnation } from '../world/life.js'
import { openWorld, type World } from '../world.js'
import { createTurnHandlers, createTurnModule, type Surroundings } from './handlers.js'
import { judgeTurns, type TurnStates, unfinishedWork } from './judge.js'
import type { TurnMutation } from './mutants.js'
import { agentKey, type Operator, openOperator } from './operator.js'
import { createPerson, type Person } from './person.js'
import { openPhones } from './phones.js'
import type { TurnPlan } from './plan.js'
import { type PersonState, readAgent, readPerson } from './state.js'
import { openOutsideTools } from './tools.js'
import { openSimWebhook } from './webhook.js'

export interface TurnRunOptions {
  readonly mutation?: TurnMutation
  readonly print?: (line: string) => void
  /** Violations to ignore, when others are wanted. */
  readonly ignored?: RegExp
}

export interface TurnCounts {
  readonly records: number
  readonly cuts: number
  readonly calls: number
  readonly unknown: number
}

export interface TurnRunResult {
  readonly plan: TurnPlan
  readonly violations: readonly string[]
  readonly hash: string
  readonly events: number
  readonly counts: TurnCounts
  readonly lastLines: readonly string[]
}

/** The people, and the world that they live in. */
interface Town {
  readonly plan: TurnPlan
  readonly world: World
  readonly surroundings: Surroundings
  readonly people: readonly Person[]
  /** Ends all that people and the operator do on their own. */
  end(): void
  /** People and operators who are still at it. */
  busy(): number
}

const stillWithinMs = 180_000
/** Clocks differ by this much at most, where none is set wrong. */
const clocksDifferMs = 3_000
const crashWithinMs = 80
const restartMs = [10, 3_000] as const
const pauseMs = [100, 12_000] as const
const webhookMs = [100, 5_000] as const

export async function runTurns(plan: TurnPlan, options: TurnRunOptions = {}): Promise<TurnRunResult> {
  const town = openTown(plan, options)
  const { world } = town
  let states: TurnStates | undefined
  world.trace.note(planText(plan))
  await withoutRejections(world, async () => {
    states = await live(town)
  })
  const { history, trace, timeline } = world
  return {
    plan,
    violations: history.violations,
    hash: trace.hash(),
    events: timeline.events(),
    counts: countsOf(states),
    lastLines: trace.last(),
  }
}

function openTown(plan: TurnPlan, { mutation = {}, ...options }: TurnRunOptions): Town {
  const module = createTurnModule(plan, mutation)
  const world: World = openWorld(plan, {
    ...options,
    handlers: (process) => createTurnHandlers({ plan, world, module, surroundings, mutation }, process),
  })
  const { timeline, trace, rng, line } = world
  const { note } = trace
  const { turns } = plan
  const surroundings: Surroundings = {
    operator: openOperator({ timeline, rng: rng.fork('operator'), note, plan: turns }),
    tools: openOutsideTools({ timeline, rng: rng.fork('tools'), line, note, ...turns }),
    phones: openPhones(timeline, rng.fork('phones'), line),
    webhook: openSimWebhook(timeline, rng.fork('webhook'), line),
    perhapsCrash: createCrashes(plan, world),
  }
  const { operator, phones } = surroundings
  let isOver = false
  let busy = 0
  const over = () => isOver
  const thinkMs = plan.troubleMs / turns.acts
  const people = world.owners.map((asid) =>
    createPerson({
      ...{ asid, thinkMs, world, operator, phones, over },
      acts: turns.acts,
      rng: rng.fork(asid),
      commands: module.conversation,
    }),
  )
  for (const lives of [...people.map(({ live }) => live), () => operate(plan, world, operator)]) {
    busy++
    lives().then(
      () => busy--,
      (error) => world.history.addViolation(`a person failed: ${(error as Error).stack}`),
    )
  }
  return {
    ...{ plan, world, surroundings, people },
    end() {
      isOver = true
    },
    busy: () => busy,
  }
}

/** Processes that end or stand still around a call go on later; when all faults are over, it happens no more. */
function createCrashes({ turns, troubleMs }: TurnPlan, { nodes, rng, timeline, trace }: World) {
  const crashes = rng.fork('crashes')
  return (incarnation: Incarnation): void => {
    if (timeline.now() >= troubleMs || !crashes.chance(turns.crashesAtTools)) return
    const node = nodes.find((each) => each.incarnation() === incarnation)
    const isPause = crashes.chance(0.3)
    const [least, most] = isPause ? pauseMs : restartMs
    const lastsMs = crashes.between(least, most)
    timeline.after(crashes.between(0, crashWithinMs), () => {
      trace.note(`${incarnation.name} ${isPause ? 'stands still' : 'ends'} around the call of a tool`)
      if (isPause) incarnation.pause()
      else incarnation.end()
      timeline.after(lastsMs, () => (isPause ? incarnation.resume() : node?.start()))
    })
  }
}

/** The operator's changes, at random moments. */
async function operate({ turns, troubleMs }: TurnPlan, { rng, timeline }: World, operator: Operator): Promise<void> {
  const moments = rng.fork('changes')
  const changes = Array.from({ length: turns.changes }, async () => {
    await timeline.sleep(moments.between(0, troubleMs))
    if (moments.chance(0.4)) return operator.changeDocument()
    operator.setWebhook()
    await timeline.sleep(moments.between(...webhookMs))
    operator.removeWebhook()
  })
  const away = async () => {
    if (turns.agentAwayMs === 0) return
    await timeline.sleep(moments.between(0, troubleMs))
    operator.setAway(true)
    await timeline.sleep(turns.agentAwayMs)
    operator.setAway(false)
  }
  await Promise.all([...changes, away()])
  if (turns.isAgentDeleted) operator.deleteAgent()
}

async function live(town: Town): Promise<TurnStates | undefined> {
  const { plan, world, surroundings, people } = town
  const { timeline, trace, history, nodes } = world
  const { operator, tools } = surroundings
  const isBroken = () => history.violations.length > 0
  startAll(world)
  const endFaults = injectFaults(world)
  if (await timeline.run(plan.troubleMs, isBroken)) return undefined

  trace.note('TROUBLE IS OVER')
  town.end()
  endFaults()
  let states: TurnStates | undefined
  let waitsFor: readonly string[] = ['people']
  void settle()
  await timeline.run(stillWithinMs, () => isBroken() || states !== undefined)
  if (isBroken()) return undefined
  if (!states) {
    const open = [`${town.busy()} people are at it`, ...waitsFor].slice(0, 6)
    history.addViolation(`${stillWithinMs / 1000} seconds after the last fault it is not still: ${open.join('; ')}`)
    return undefined
  }
  const isLastWordAnswered = !operator.isDeleted()
  judgeTurns({
    states,
    tools: tools.logs,
    clocksDifferMs: plan.clockSteps ? undefined : plan.engine === 'embedded' ? 0 : clocksDifferMs,
    isLastWordAnswered,
    addViolation: history.addViolation,
  })
  if (isBroken()) return states
  await compareCopies(world)
  if (!isBroken()) await stopAll(world)
  return states

  /** Lets everything end, then every person writes once more. */
  async function settle(): Promise<void> {
    while (town.busy() > 0) await timeline.sleep(pollEveryMs)
    operator.settle()
    await untilStill()
    trace.note('LAST WORDS')
    await Promise.all(people.map(({ sayLastWord }) => sayLastWord()))
    states = await untilStill()
  }

  async function untilStill(): Promise<TurnStates> {
    for (;;) {
      await timeline.sleep(pollEveryMs)
      if (!nodes.every((node) => node.isRetired() || node.target())) continue
      const seen = await statesOf(world)
      if (!seen) continue
      waitsFor = unfinishedWork(seen)
      if (waitsFor.length === 0) return seen
    }
  }
}

/** All rows as one process reads them; undefined when a read fails. */
async function statesOf({ owners, targets, rng, timeline }: World): Promise<TurnStates | undefined> {
  const people = new Map<string, PersonState>()
  const open = targets()
  if (open.length === 0) return undefined
  const target = rng.pick(open)
  for (const asid of owners) {
    const outcome = await attempt(target, timeline, pollEveryMs * 50, () =>
      target.engine.query(asid, readPerson, { asid }),
    )
    if (outcome.kind !== 'answered') return undefined
    people.set(asid, outcome.answer)
  }
  const outcome = await attempt(target, timeline, pollEveryMs * 50, () =>
    target.engine.query(agentKey, readAgent, { owner: agentKey }),
  )
  return outcome.kind === 'answered' ? { people, agent: outcome.answer } : undefined
}

function countsOf(states: TurnStates | undefined): TurnCounts {
  const records = [...(states?.people.values() ?? [])].flatMap((state) => state.records)
  const calls = records.flatMap(({ toolCalls }) => toolCalls)
  return {
    records: records.length,
    cuts: records.filter(({ state }) => state === 'cut').length,
    calls: calls.length,
    unknown: calls.filter(({ state }) => state === 'unknown').length,
  }
}
