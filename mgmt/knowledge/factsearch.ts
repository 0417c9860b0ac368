/** Search of an agent's facts in slices, so that other work runs between them. */
import type { Fact } from '../../core/agent/resources/knowledge.js'
import { createFactIndex } from '../../core/knowledge/facts.js'
import { knowledge as limits } from '../../core/limits/index.js'
import { systemClock } from '../../runtime/clock.js'
import { nextSlice } from '../../runtime/slices.js'
import type { FactFound } from './schema.js'

export async function searchFacts(facts: readonly Fact[], query: string, maxHits: number): Promise<FactFound[]> {
  const index = createFactIndex()
  for (const [at, fact] of facts.entries()) {
    if (at > 0 && at % limits.factsPerTurn === 0) await nextSlice(systemClock)
    index.add(fact)
  }
  return index.rank(query, maxHits).map(({ fact: { id, question, answer, exact = false }, score }) => {
    return { factId: id, question, answer, exact, score }
  })
}
