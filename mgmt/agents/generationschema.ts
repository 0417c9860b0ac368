/** Schemas of flow generation. */
import Type, { type Static } from 'typebox'
import { Flow } from '../../core/agent/resources/flow.js'
import { closedObject, nonEmptyText, optional } from '../../core/agent/resources/schemas.js'
import { agentLimits, languageModel as limits } from '../../core/limits/index.js'

export const GenerateBody = closedObject('FlowGenerateBody', {
  brief: optional(
    nonEmptyText(limits.briefChars, { description: 'What the flow should do. Unsaid: what the body says.' }),
  ),
  uses: optional(
    Type.Array(nonEmptyText(agentLimits.flow.optionChars), {
      maxItems: agentLimits.playbooks.uses,
      description: 'The capabilities it may act through. By default those of the playbook.',
    }),
  ),
  model: optional(
    nonEmptyText(agentLimits.flow.modelChars, {
      description: 'The model to use. By default that of the installation.',
    }),
  ),
})

const Finding = closedObject('FlowFinding', {
  code: Type.String(),
  path: Type.String(),
  message: Type.String(),
  fix: Type.String(),
})
const findings = Type.Array(Finding)

const Turn = closedObject('FlowRehearsalTurn', {
  person: Type.String(),
  agent: Type.Array(Type.String()),
  trace: Type.Array(Type.String()),
})

export const GeneratedFlow = closedObject('GeneratedFlow', {
  ok: Type.Boolean({ description: 'Whether the flow can be written as it is.' }),
  flow: optional(Flow),
  notes: optional(Type.String()),
  brief: Type.String(),
  attempts: Type.Integer(),
  model: Type.String(),
  schema: closedObject('FlowShapeErrors', {
    ok: Type.Boolean(),
    errors: Type.Array(closedObject('FlowShapeError', { field: Type.String(), message: Type.String() })),
  }),
  lint: closedObject('FlowFindings', { errors: findings, warnings: findings, advice: findings }),
  dryRun: optional(
    closedObject('FlowRehearsal', {
      reachedEnd: Type.Boolean(),
      outcome: optional(Type.String()),
      stuckAt: optional(Type.String()),
      turns: Type.Array(Turn),
      toolCalls: Type.Array(
        closedObject('FlowToolCall', {
          action: Type.String(),
          with: optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
        }),
      ),
    }),
  ),
  usage: closedObject('ModelUsage', { input: Type.Integer(), output: Type.Integer() }),
  error: optional(Type.String()),
})
export type Generated = Static<typeof GeneratedFlow>
