/** The walk through a flow, held against walking it by hand. */
import fc from 'fast-check'
import t from 'tap'
import { type AnyStep, indexesById, nextIndexes } from '../../../core/agent/flows/steps.js'
import { analyzeFlow, findCycles } from '../../../core/agent/lint/graph.js'

const size = 7
const target = fc.integer({ min: 0, max: size - 1 }).map((index) => `s${index}`)
const step: fc.Arbitrary<AnyStep> = fc.oneof(
  fc.constant({ say: 'Hi' }),
  fc.constant({ collect: 'a' }),
  fc.constant({ end: { outcome: 'x' } }),
  fc.constant({ handoff: 'human' }),
  fc.record(
    {
      branch: fc.array(fc.record({ if: fc.constant('a'), goto: target }), { minLength: 1, maxLength: 2 }),
      else: target,
    },
    { requiredKeys: ['branch'] },
  ),
)
const flows = fc
  .array(step, { minLength: size, maxLength: size })
  .map((steps) => steps.map((each, index) => ({ ...each, id: `s${index}` })))

/** Every place that can be walked to from one, the end of the flow being `size`. */
function walkedFrom(steps: readonly AnyStep[], from: number): Set<number> {
  const indexes = indexesById(steps)
  const seen = new Set<number>([from])
  for (const index of seen)
    if (index < steps.length) for (const next of nextIndexes(steps, index, indexes)) seen.add(next)
  return seen
}

const isEnd = (steps: readonly AnyStep[], index: number) =>
  index === steps.length || steps[index]!.end !== undefined || steps[index]!.handoff !== undefined

t.test('A step is unreachable exactly when no walk reaches it', async () => {
  fc.assert(
    fc.property(flows, (steps) => {
      const walked = walkedFrom(steps, 0)
      const expected = steps.map((_, index) => index).filter((index) => !walked.has(index))
      return JSON.stringify(analyzeFlow(steps).unreachable) === JSON.stringify(expected)
    }),
    { numRuns: 500 },
  )
})

t.test('A loop without an exit is reported exactly when a reachable step leads to no end', async () => {
  fc.assert(
    fc.property(flows, (steps) => {
      const stuck = [...walkedFrom(steps, 0)].filter(
        (index) => index < size && ![...walkedFrom(steps, index)].some((each) => isEnd(steps, each)),
      )
      const { endless } = analyzeFlow(steps)
      return endless.every((index) => stuck.includes(index)) && endless.length > 0 === stuck.length > 0
    }),
    { numRuns: 500 },
  )
})

t.test('A cycle is found exactly when an item leads back to itself', async () => {
  const graph = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 })), { maxLength: 8 })
  fc.assert(
    fc.property(graph, (pairs) => {
      const next = new Map<string, string[]>()
      for (const [from, to] of pairs) next.set(`${from}`, [...(next.get(`${from}`) ?? []), `${to}`])
      const leadsBack = [...next.keys()].some((start) => {
        const seen = new Set(next.get(start))
        for (const each of seen) for (const onward of next.get(each) ?? []) seen.add(onward)
        return seen.has(start)
      })
      return findCycles(next).length > 0 === leadsBack
    }),
    { numRuns: 500 },
  )
})

t.test('A branch without else continues with the next step', async (t) => {
  t.same(analyzeFlow([{ branch: [{ if: 'a', goto: 'z' }] }, { say: 'b' }, { id: 'z', end: { outcome: 'x' } }]), {
    unreachable: [],
    endless: [],
    idle: [],
  })
})

t.test('A loop is idle exactly when no step in it asks or acts', async (t) => {
  const loopFrom = (first: AnyStep): AnyStep[] => [
    { ...first, id: 'x' },
    { branch: [{ if: 'a', goto: 'x' }] },
    { end: { outcome: 'done' } },
  ]
  t.same(analyzeFlow(loopFrom({ say: 'Hm' })).idle, [0])
  for (const step of [{ collect: 'a' }, { action: 'people.save' }, { call: 'other' }])
    t.same(analyzeFlow(loopFrom(step)).idle, [])
})
