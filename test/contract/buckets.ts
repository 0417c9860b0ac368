/** What every backend of the token buckets promises: one suite, run on each of them. */
import fc from 'fast-check'
import type { Test } from 'tap'
import { type BudgetName, budgets } from '../../core/limits/index.js'
import type { Buckets, SpendResult } from '../../runtime/ratelimit/contract.js'

/**
 * A backend as the suite sees it. Time is the backend's: a clock that stands still makes every bound below exact, and
 * on a running one the bounds are those that no delay of the machine can break.
 */
export interface BucketsBackend {
  readonly name: string
  readonly propertyRuns: number
  /** Nodes that share one backend; at least one. */
  open(): Promise<readonly Buckets[]>
  /** Milliseconds on the clock that refills the buckets, or on one beside it that runs alike. */
  nowMs(): number
  pass(ms: number): Promise<void>
}

/** The others are the same code in another shape, and some refill so slowly that a running clock would take hours. */
const inTheContract: readonly BudgetName[] = ['send', 'journey']

interface Volley {
  readonly spents: readonly SpendResult[]
  readonly admitted: number
  readonly fromMs: number
  readonly tillMs: number
}

export function bucketsContract(t: Test, backend: BucketsBackend): void {
  t.test(`${backend.name} fulfils the contract of the buckets`, async (t) => {
    const nodes = await backend.open()
    t.teardown(() => Promise.all(nodes.map((node) => node.close())))
    const volley = volleysOf(backend, nodes)

    for (const budget of Object.keys(budgets) as BudgetName[]) {
      const { burstCalls, refillPerSecond } = budgets[budget]
      const bucketsCase = { ...budgets[budget], budget, volley, backend }
      t.test(`The ${budget} budget`, async (t) => {
        t.test(`A full bucket admits ${burstCalls} calls at once and not one more`, (t) => burst(t, bucketsCase))
        if (!inTheContract.includes(budget)) return
        t.test('An admitted call learns what is left of the budget', (t) => figures(t, bucketsCase))
        t.test(`An empty bucket refills at ${refillPerSecond} calls a second`, (t) => refill(t, bucketsCase))
        t.test('A refused call spends nothing', (t) => refusals(t, bucketsCase))
        t.test('Calls admitted in any span stay within burst and refill', (t) => spans(t, bucketsCase))
      })
    }

    t.test('Every subject has its own bucket in every budget', async (t) => {
      const { spents } = await volley('send', 'first subject', budgets.send.burstCalls + 1)
      t.ok(
        spents.some((spent) => !spent.allowed),
        'the first subject has nothing left',
      )
      const [other] = (await volley('send', 'second subject', 1)).spents
      t.match(other, { allowed: true, remaining: budgets.send.burstCalls - 1 })
      const [journey] = (await volley('journey', 'first subject', 1)).spents
      t.match(journey, { allowed: true, remaining: budgets.journey.burstCalls - 1 })
    })

    t.test('A working backend is not degraded', async (t) => {
      for (const node of nodes) t.equal(node.degraded(), undefined)
    })
  })
}

interface BucketsCase {
  readonly budget: BudgetName
  readonly burstCalls: number
  readonly refillPerSecond: number
  readonly volley: ReturnType<typeof volleysOf>
  readonly backend: BucketsBackend
}

async function burst(t: Test, { budget, burstCalls, refillPerSecond, volley }: BucketsCase): Promise<void> {
  const { spents, admitted, fromMs, tillMs } = await volley(budget, 'burst', burstCalls * 1.5)
  within(t, admitted, burstCalls, burstCalls + (refillPerSecond * (tillMs - fromMs)) / 1000, 'admitted')
  t.ok(spents.every((spent) => spent.limit === burstCalls))
  // Less than one call is left, so these figures do not depend on when within the span a refusal fell.
  const resetSeconds = Math.ceil(burstCalls / refillPerSecond)
  const retryAfterSeconds = Math.max(1, Math.ceil(1 / refillPerSecond))
  const refusedAnswers = new Set(spents.filter((spent) => !spent.allowed).map((spent) => JSON.stringify(spent)))
  const refusal: SpendResult = { allowed: false, limit: burstCalls, remaining: 0, resetSeconds, retryAfterSeconds }
  t.same([...refusedAnswers], [JSON.stringify(refusal)], 'every refusal is the same')
}

async function figures(t: Test, { budget, burstCalls, refillPerSecond, volley, backend }: BucketsCase): Promise<void> {
  const fromMs = backend.nowMs()
  for (let calls = 1; calls <= 12; calls++) {
    const [spent] = (await volley(budget, 'figures', 1)).spents as [SpendResult]
    const min = burstCalls - calls
    const max = Math.min(burstCalls - 1, min + (refillPerSecond * (backend.nowMs() - fromMs)) / 1000)
    t.match(spent, { allowed: true, retryAfterSeconds: 0 })
    within(t, spent.remaining, min, Math.floor(max), 'remaining')
    const fullAfter = (calls: number) => Math.ceil((burstCalls - calls) / refillPerSecond)
    within(t, spent.resetSeconds, fullAfter(max), fullAfter(min), 'reset')
  }
}

async function refill(t: Test, { budget, burstCalls, refillPerSecond, volley, backend }: BucketsCase): Promise<void> {
  const drained = await volley(budget, 'refill', burstCalls * 1.5)
  await backend.pass(5_500 / refillPerSecond)
  const later = await volley(budget, 'refill', burstCalls)
  const [min, max] = refilledRange(refillPerSecond, drained, later)
  within(t, later.admitted, min, max, 'admitted')
}

async function refusals(t: Test, { budget, burstCalls, refillPerSecond, volley, backend }: BucketsCase): Promise<void> {
  const drained = await volley(budget, 'refusals', burstCalls * 1.5)
  let admitted = 0
  for (let round = 0; round < 4; round++) {
    admitted += (await volley(budget, 'refusals', 50)).admitted
    await backend.pass(1_500 / refillPerSecond)
  }
  const last = await volley(budget, 'refusals', burstCalls)
  const [min, max] = refilledRange(refillPerSecond, drained, last)
  within(t, admitted + last.admitted, min, max, 'admitted')
}

/** Calls that a bucket gets back from the volley that emptied it to a later one; it was left with less than one. */
function refilledRange(refillPerSecond: number, drained: Volley, later: Volley): [least: number, most: number] {
  const min = Math.floor((refillPerSecond * (later.fromMs - drained.tillMs)) / 1000)
  return [min, 1 + (refillPerSecond * (later.tillMs - drained.fromMs)) / 1000]
}

async function spans(t: Test, { budget, burstCalls, refillPerSecond, volley, backend }: BucketsCase): Promise<void> {
  const step = fc.record({
    subject: fc.constantFrom('a', 'b'),
    calls: fc.integer({ min: 1, max: Math.ceil(burstCalls * 0.7) }),
    passMs: fc.integer({ min: 0, max: Math.ceil(1_000 / refillPerSecond) }),
  })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      runs++
      const fired: Record<string, Volley[]> = { a: [], b: [] }
      for (const { subject, calls, passMs } of steps) {
        fired[subject]?.push(await volley(budget, `spans ${runs} ${subject}`, calls))
        await backend.pass(passMs)
      }
      for (const [subject, volleys] of Object.entries(fired)) {
        const excess = excessOf(volleys, burstCalls, refillPerSecond)
        if (excess > 0) throw new Error(`${subject} got ${excess} calls more than burst and refill allow`)
      }
    }),
    { numRuns: backend.propertyRuns },
  )
  t.ok(runs >= backend.propertyRuns, `held in ${runs} runs`)
}

/** By how much the worst of all spans of volleys passes its bound; zero when none does. */
function excessOf(volleys: readonly Volley[], burstCalls: number, refillPerSecond: number): number {
  let worst = 0
  for (const [index, first] of volleys.entries()) {
    let admitted = 0
    for (const last of volleys.slice(index)) {
      admitted += last.admitted
      worst = Math.max(worst, admitted - burstCalls - (refillPerSecond * (last.tillMs - first.fromMs)) / 1000)
    }
  }
  return worst
}

/** Fires calls all at once, spread over the nodes. Each test names its own subject, so none meets another's bucket. */
function volleysOf(backend: BucketsBackend, nodes: readonly Buckets[]) {
  return async (budget: BudgetName, subject: string, calls: number): Promise<Volley> => {
    const fromMs = backend.nowMs()
    const spents = await Promise.all(
      Array.from({ length: calls }, (_, call) => (nodes[call % nodes.length] as Buckets).spend(budget, subject)),
    )
    return { spents, admitted: spents.filter((spent) => spent.allowed).length, fromMs, tillMs: backend.nowMs() }
  }
}

function within(t: Test, actual: number, min: number, max: number, what: string): void {
  t.ok(actual >= min && actual <= max, `${what} is ${actual}, within ${min} to ${max}`)
}
