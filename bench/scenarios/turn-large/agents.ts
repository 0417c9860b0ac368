/**
 * The agents of the turn-large scenario: the large agent of `config` and one a hundredth as large, with one more flow.
 */
import { exportOf } from '../config/agent.js'
import { orderText, trackingPlaybook } from '../turn-flow/agent.js'

const shares = { small: 0.01, large: 1 } as const
export type AgentSize = keyof typeof shares

const delivery = { id: 'delivery', question: 'Do you deliver on Sundays?', answer: 'We do, until noon.' }

/** Both begin with the flow that asks for an order. Every fact is about Sundays. */
export function documentOf(size: AgentSize): object {
  const { playbooks, capabilities, ...rest } = exportOf(shares[size])
  const { knowledge } = capabilities
  return {
    ...rest,
    playbooks: [trackingPlaybook, ...playbooks.map((each) => ({ ...each, isDefault: false }))],
    capabilities: { knowledge: { ...knowledge, facts: [...knowledge.facts, delivery] } },
  }
}

/**
 * An answer to the question of the flow, a question that a fact answers in other words, and one that nothing answers.
 * Their number does not divide that of the people, so each person writes all of them.
 */
export const texts = [orderText, 'Would you deliver on a Sunday too?', 'May my dog come along to the harbor?']
