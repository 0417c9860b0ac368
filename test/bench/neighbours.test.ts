/** The neighbours scenario is about every route that takes a body, and its floor is judged by the worst wait. */
import t from 'tap'
import { evaluateRatio } from '../../bench/harness/metrics.js'
import type { Sample } from '../../bench/harness/sample.js'
import { bodyOf, corpusOf, hasBody, kinds } from '../../bench/scenarios/neighbours/corpus.js'
import { costlyRules } from '../../bench/scenarios/neighbours/extracalls.js'
import { neighbours } from '../../bench/scenarios/neighbours/scenario.js'
import { emptyDocument, replaceRules } from '../../core/agent/index.js'
import { http } from '../../core/limits/index.js'
import { must } from '../core/agent/sample.js'
import { openTestNode } from '../harness/node.js'

t.test('Every route with a body is in the corpus, with bodies of the maximum length', async (t) => {
  const test = await openTestNode()
  t.teardown(() => test.close())
  const routes = Object.values(test.node.planes).flatMap((plane) => plane.routes)
  const corpus = corpusOf(routes)
  const covered = new Set(corpus.map(({ plane, method, path }) => `${plane} ${method} ${path}`))
  const bodyRoutes = routes.filter(hasBody)
  t.ok(bodyRoutes.length > 50)
  for (const { plane, method, path } of bodyRoutes) t.ok(covered.has(`${plane} ${method} ${path}`), `${method} ${path}`)
  for (const { path, bytes } of corpus) {
    const route = bodyRoutes.find((each) => each.path === path)!
    t.ok(bytes >= Math.min(http.bodyBytes, route.bodyLimitBytes ?? http.bodyBytes), path)
  }
})

t.test('A body is exactly as long as requested', async (t) => {
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
    const { length } = bodyOf({ kind, bytes: 10_000 })
    t.ok(length > 9_000 && length <= 10_000, `${kind}: ${length}`)
  }
})

t.test('The costly rules are valid for an agent, and hardly larger ones would not be', async (t) => {
  must(replaceRules(emptyDocument, { rules: costlyRules }))
  const [first] = costlyRules
  const more = [...costlyRules, { ...first, id: 'one-more' }]
  t.match(replaceRules(emptyDocument, { rules: more }), { refused: 'request.invalid' })
})

t.test('One wait that is longer than the timer violates the floor, however short the others are', async (t) => {
  const sample = (worst: number): Sample => ({
    operations: 1_000,
    seconds: 1,
    failures: {},
    bytes: 0,
    cpuMicros: 1,
    latencyMs: [
      [50, 1],
      [99, 2],
      [100, worst],
    ],
  })
  const [floor] = neighbours.ratios
  const isMet = (worst: number) => {
    const [timer, ours] = neighbours.candidates.map(({ name }) => name) as [string, string]
    const rounds = new Map([
      [timer, [sample(50.4)]],
      [ours, [sample(worst)]],
    ])
    return evaluateRatio(floor!, rounds).holds
  }
  t.equal(isMet(50), true)
  t.equal(isMet(51), false)
})
