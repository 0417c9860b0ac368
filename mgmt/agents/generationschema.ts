/** Flow generation as callers ask for it and read what came of it. */
import Type, { type Static } from 'typebox'
import { Flow } from '../../core/agent/resources/flow.js'
import { closed, optional, words } from '../../core/agent/resources/words.js'
import { agentLimits, languageModel as limits } from '../../core/limits.js'

export const GenerateBody = closed('FlowGenerateBody', {
  brief: optional(words(limits.briefChars, { description: 'What the flow should do. Unsaid: what the body says.' })),
  uses: optional(
    Type.Array(words(agentLimits.flow.optionChars), {
      maxItems: agentLimits.playbooks.uses,
      description: 'The capabilities it may act through. Unsaid: those of the playbook.',
    }),
  ),
  model: optional(words(agentLimits.flow.modelChars, { description: 'The model to ask. Unsaid: that of the house.' })),
})

const Finding = closed('FlowFinding', {
  code: Type.String(),
  path: Type.String(),
  message: Type.String(),
  fix: Type.String(),
})
const findings = Type.Array(Finding)

const Turn = closed('FlowRehearsalTurn', {
  person: Type.String(),
  agent: Type.Array(Type.String()),
  trace: Type.Array(Type.String()),
})

export const GeneratedFlow = closed('GeneratedFlow', {
  ok: Type.Boolean({ description: 'Whether the flow can be written as it is.' }),
  flow: optional(Flow),
  notes: optional(Type.String()),
  brief: Type.String(),
  attempts: Type.Integer(),
  model: Type.String(),
  schema: closed('FlowShapeErrors', {
    ok: Type.Boolean(),
    errors: Type.Array(closed('FlowShapeError', { field: Type.String(), message: Type.String() })),
  }),
  lint: closed('FlowFindings', { errors: findings, warnings: findings, advice: findings }),
  dryRun: optional(
    closed('FlowRehearsal', {
      reachedEnd: Type.Boolean(),
      outcome: optional(Type.String()),
      stuckAt: optional(Type.String()),
      turns: Type.Array(Turn),
      toolCalls: Type.Array(
        closed('FlowToolCall', {
          action: Type.String(),
          with: optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
        }),
      ),
    }),
  ),
  usage: closed('ModelUsage', { input: Type.Integer(), output: Type.Integer() }),
  error: optional(Type.String()),
})
export type Generated = Static<typeof GeneratedFlow>
