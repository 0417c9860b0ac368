/** One client: sends commands and reads to any process, retries where it may, and records the answers. */
import type { Refusal } from '../../../core/errors.js'
import type { Rng } from '../world/rng.js'
import type { Timeline } from '../world/timeline.js'
import { type AppendInput, append, everything, list, poison, touch } from './commands.js'
import type { AppendRequest, History } from './history.js'
import type { Pressure } from './pressure.js'
import type { QuietPeriod } from './quietperiod.js'
import { attempt, type ClientTarget, type Outcome } from './target.js'

export interface ClientOptions {
  readonly name: string
  readonly steps: number
  readonly thinkMs: number
  readonly owners: readonly string[]
  readonly destinations: readonly string[]
  readonly shards: number
  /** The most concurrent appends. */
  readonly burst: number
  readonly rng: Rng
  readonly timeline: Timeline
  readonly history: History
  /** Processes that take requests now. */
  readonly targets: () => readonly ClientTarget[]
  readonly note: (line: string) => void
  readonly quiet: QuietPeriod
  /** Where all commands of a process are its own. */
  readonly pressure?: Pressure
  /** Whether no new work should begin. */
  readonly over: () => boolean
}

const weights = { append: 40, burst: 8, twin: 4, read: 18, checkLocal: 8, readAll: 4, touch: 8, poison: 6 }
type Step = keyof typeof weights

/** The actions of a client; some clients do only a few kinds, and those more often. */
function drawSteps(rng: Rng): Step[] {
  const kinds = Object.keys(weights) as Step[]
  const some = rng.chance(0.3) ? kinds.filter(() => rng.chance(0.5)) : []
  return (some.length > 0 ? some : kinds).flatMap((step) => Array<Step>(weights[step]).fill(step))
}

const longestTimerMs = 4_000

export async function runClient(options: ClientOptions): Promise<void> {
  const { name, rng, timeline, history, note } = options
  const steps = drawSteps(rng)
  let made = 0
  let ids = 0

  const patience = () => rng.between(2_000, 20_000)

  function input(owner = rng.pick(options.owners)): AppendInput {
    return {
      owner,
      value: `${name}.${made++}`,
      destinations: Array.from({ length: rng.pick([0, 1, 1, 2, 3]) }, () => rng.pick(options.destinations)),
      sendTo: rng.chance(0.3) ? rng.pick(options.owners) : undefined,
      timerInMs: rng.chance(0.3) ? Math.floor(rng.between(0, longestTimerMs)) : undefined,
      pad: rng.chance(0.1) ? rng.below(3_000) : rng.below(40),
    }
  }

  async function anyTarget(): Promise<ClientTarget> {
    for (;;) {
      const targets = options.targets()
      if (targets.length > 0) return rng.pick(targets)
      await timeline.sleep(150)
    }
  }

  /** True once the entry is known to be there. */
  async function tryAppend(request: AppendRequest, target: ClientTarget): Promise<boolean> {
    const { input, id } = request
    const where = target.incarnation.name
    note(`${name} asks ${where} to append ${input.value} to ${input.owner}${id ? ` as ${id}` : ''}`)
    const call = () => {
      const answered = options.pressure?.trackCommand(target, input.owner, id)
      const answer = target.engine.execute(input.owner, append, input, { id })
      if (answered) answer.then(answered, answered)
      return answer
    }
    const outcome = await attempt(target, timeline, patience(), call, (answer) => {
      note(`${name} hears late from ${where} of ${input.value}`)
      history.acknowledged(request, answer, where)
    })
    note(`${name} is told of ${input.value} by ${where}: ${textOf(outcome)}`)
    if (outcome.kind === 'answered') {
      history.acknowledged(request, outcome.answer, where)
      return true
    }
    if (outcome.kind === 'refused' && isAway(outcome.refusal)) {
      if (outcome.refusal.detail) request.maybe = true
      return false
    }
    request.maybe = true
    if (outcome.kind === 'refused') history.addViolation(`${input.value} was refused: ${outcome.refusal.refused}`)
    if (outcome.kind === 'threw' && !isOfDisk(outcome.error)) {
      history.addViolation(`${input.value} was answered with an exception: ${outcome.error}`)
    }
    return false
  }

  /**
   * Repeats until the outcome is known, as far as it may: without an id, a command that may have been decided is not
   * repeated.
   */
  async function appendUntilKnown(request: AppendRequest, first: ClientTarget): Promise<void> {
    for (let target = first; ; target = await anyTarget()) {
      if ((await tryAppend(request, target)) || request.answer) return
      if (request.maybe ? !request.id : rng.chance(0.3)) return
      await timeline.sleep(rng.between(50, 1_000))
    }
  }

  const newId = () => `${name}-id-${ids++}`
  const perhapsId = () => (rng.chance(0.7) ? newId() : undefined)

  async function appendOne(): Promise<void> {
    await appendUntilKnown(history.beginAppend(input(), perhapsId()), await anyTarget())
  }

  /** Several concurrent commands from one process to one owner: they are decided in order, unless the shard moves. */
  async function appendMany(): Promise<void> {
    const quiet = options.quiet.since()
    const target = await anyTarget()
    const owner = rng.pick(options.owners)
    const many = Array.from({ length: 2 + rng.below(options.burst - 1) }, () =>
      history.beginAppend(input(owner), perhapsId()),
    )
    const decisions = await Promise.all(many.map((request) => tryAppend(request, target)))
    const decided = many.filter((_, index) => decisions[index])
    decided.forEach(({ answer, input }, index) => {
      const before = decided[index - 1]
      if (quiet === undefined || quiet !== options.quiet.since()) return
      if (!before || before.answer!.count < answer!.count) return
      history.addViolation(`${input.value} was asked after ${before.input.value} and decided before it`)
    })
    for (const request of many) if (!request.answer && request.id) await appendUntilKnown(request, await anyTarget())
  }

  /** The same id at two processes at once: one of them decides, both answer alike. */
  async function appendTwice(): Promise<void> {
    const request = history.beginAppend(input(), newId())
    const [one, two] = [await anyTarget(), await anyTarget()]
    await Promise.all([
      appendUntilKnown(request, one),
      timeline.sleep(rng.between(0, 30)).then(() => appendUntilKnown(request, two)),
    ])
  }

  async function read(): Promise<void> {
    const target = await anyTarget()
    const owner = rng.pick(options.owners)
    const floor = history.floor(owner)
    const outcome = await attempt(target, timeline, patience(), () => target.engine.query(owner, list, { owner }))
    note(`${name} reads ${owner} at ${target.incarnation.name}: ${textOf(outcome)}`)
    if (outcome.kind === 'answered') history.read(owner, floor, outcome.answer, target.incarnation.name)
    if (outcome.kind === 'threw') history.addViolation(`a read was answered with an exception: ${outcome.error}`)
  }

  async function readAll(): Promise<void> {
    const target = await anyTarget()
    const floors = options.owners.map((owner) => history.floor(owner))
    const outcome = await attempt(target, timeline, patience(), () => target.engine.queryAll(everything, null))
    note(`${name} reads everything at ${target.incarnation.name}: ${outcome.kind}`)
    if (outcome.kind === 'threw') history.addViolation(`a read was answered with an exception: ${outcome.error}`)
    if (outcome.kind !== 'answered') return
    if (outcome.answer.length !== options.shards) history.addViolation(`readAll gave ${outcome.answer.length} answers`)
    const nothing = { values: [], count: 0, marks: 0 }
    options.owners.forEach((owner, index) => {
      const present = outcome.answer.filter((each) => each[owner])
      if (present.length > 1) history.addViolation(`${owner} is in ${present.length} shards`)
      history.read(owner, floors[index]!, present[0]?.[owner] ?? nothing, `everything at ${target.incarnation.name}`)
    })
  }

  async function checkLocal(): Promise<void> {
    const target = await anyTarget()
    const owner = rng.pick(options.owners)
    const holders = options.targets().filter(({ engine }) => engine.ownershipEpoch(owner) !== undefined)
    if (holders.length > 1)
      history.addViolation(`${holders.map(({ incarnation }) => incarnation.name).join(' and ')} both hold ${owner}`)
    await attempt(target, timeline, patience(), async () => target.readLocal(owner))
  }

  async function scheduleLater(): Promise<void> {
    const target = await anyTarget()
    const owner = rng.pick(options.owners)
    const inMs = rng.chance(0.8) ? Math.floor(rng.between(100, longestTimerMs)) : undefined
    await attempt(target, timeline, patience(), () => target.engine.execute(owner, touch, { owner, inMs }))
  }

  async function tryPoison(): Promise<void> {
    const target = await anyTarget()
    const owner = rng.pick(options.owners)
    const how = rng.pick(['throw', 'refuse'] as const)
    const ask = { owner, value: `poison-${name}.${made++}`, how }
    const outcome = await attempt(target, timeline, patience(), () => target.engine.execute(owner, poison, ask))
    note(`${name} poisons ${owner} at ${target.incarnation.name}: ${textOf(outcome)}`)
    if (outcome.kind === 'answered') history.addViolation('a poisonous command was answered')
    if (outcome.kind === 'refused' && !isAway(outcome.refusal) && how === 'throw') {
      history.addViolation(`a command that throws was refused: ${outcome.refusal.refused}`)
    }
    if (outcome.kind === 'threw' && how === 'refuse' && !isOfDisk(outcome.error)) {
      history.addViolation(`a command that refuses threw ${outcome.error}`)
    }
  }

  const does: Record<Step, () => Promise<void>> = {
    append: appendOne,
    burst: appendMany,
    twin: appendTwice,
    read,
    checkLocal,
    readAll,
    touch: scheduleLater,
    poison: tryPoison,
  }
  for (let step = 0; step < options.steps && !options.over(); step++) {
    await timeline.sleep(rng.between(0, options.thinkMs * 2))
    await does[rng.pick(steps)]()
  }
}

/** No process could be reached: the only refusal of the engine itself. */
function isAway(refusal: Refusal): boolean {
  return refusal.refused === 'service.unavailable'
}

/** A failed disk leaves unknown whether the command was decided; over the network an error has only its message. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && error.message.includes('simulated disk')
}

function textOf(outcome: Outcome<unknown>): string {
  if (outcome.kind === 'answered') return JSON.stringify(outcome.answer)
  if (outcome.kind === 'refused') return `refused ${outcome.refusal.refused} ${outcome.refusal.detail ?? ''}`
  if (outcome.kind === 'threw') return `threw ${outcome.error}`
  return outcome.kind
}
