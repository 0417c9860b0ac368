/** Schema of a flow: its slots and its steps. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits/index.js'
import { expressionSubset } from '../pattern/index.js'
import { anyObject, closedObject, key, matching, nonEmptyText, optional, slug, text } from './schemas.js'

const limits = agentLimits.flow
const name = key(limits.slotNameChars)
const stepId = matching(
  '^[A-Za-z0-9_][A-Za-z0-9_.-]*$',
  'must hold letters, digits and . _ - only',
  limits.slotNameChars,
)

export const slotTypes = ['string', 'email', 'phone', 'number', 'date', 'timeslot', 'enum', 'boolean'] as const

export const FlowSlot = closedObject('FlowSlot', {
  name,
  type: Type.Enum([...slotTypes]),
  required: optional(Type.Boolean()),
  /** A field of the Person; a slot whose field is on file is not asked for. */
  bind: optional(nonEmptyText(limits.optionChars)),
  options: optional(Type.Array(nonEmptyText(limits.optionChars), { minItems: 1, maxItems: limits.options })),
  /** The source of options that are not fixed, such as `scheduling.availability`. */
  source: optional(nonEmptyText(limits.optionChars)),
  prompt: optional(text(limits.promptChars)),
  /** An expression between slashes, or a predicate; an invalid answer is asked for again. */
  validate: optional(
    nonEmptyText(limits.validateChars, { description: `A predicate, or an expression. ${expressionSubset}` }),
  ),
  /** The agent reads the value back once. */
  confirm: optional(Type.Boolean()),
})
export type FlowSlot = Static<typeof FlowSlot>

const Say = Type.Union([
  nonEmptyText(limits.sayChars),
  closedObject('FlowSay', {
    text: nonEmptyText(limits.sayChars),
    suggestions: optional(
      Type.Array(nonEmptyText(limits.suggestionChars), {
        minItems: limits.suggestionsMin,
        maxItems: limits.suggestionsMax,
      }),
    ),
  }),
])

const Branch = closedObject('FlowWay', { if: nonEmptyText(limits.conditionChars), goto: stepId })

/** Lint checks that a step has exactly one kind, since the kinds are sibling members. */
export const FlowStep = closedObject('FlowStep', {
  id: optional(stepId),
  collect: optional(Type.Union([name, Type.Array(name, { minItems: 1, maxItems: limits.slots })])),
  say: optional(Say),
  action: optional(nonEmptyText(limits.optionChars)),
  with: optional(anyObject()),
  confirm: optional(nonEmptyText(limits.sayChars)),
  on_error: optional(Type.Enum(['retry', 'handoff', 'branch'])),
  branch: optional(Type.Array(Branch, { minItems: 1, maxItems: limits.branches })),
  else: optional(stepId),
  call: optional(slug),
  handoff: optional(nonEmptyText(limits.optionChars)),
  end: optional(
    closedObject('FlowEnd', {
      outcome: nonEmptyText(limits.outcomeChars),
      handoff: optional(nonEmptyText(limits.optionChars)),
    }),
  ),
})
export type FlowStep = Static<typeof FlowStep>

/** Each kind of step with the members that only it may have. */
export const stepKinds = {
  collect: [],
  say: [],
  action: ['with', 'confirm', 'on_error'],
  branch: ['else'],
  call: [],
  handoff: [],
  end: [],
} as const satisfies Record<string, readonly (keyof FlowStep)[]>
export type StepKind = keyof typeof stepKinds
export const stepKindNames = Object.keys(stepKinds) as StepKind[]

export const Flow = closedObject('AgentFlow', {
  id: optional(stepId),
  name: optional(text(limits.nameChars)),
  description: optional(text(limits.descriptionChars)),
  slots: optional(Type.Array(FlowSlot, { maxItems: limits.slots })),
  steps: Type.Array(FlowStep, { maxItems: limits.steps }),
  onComplete: optional(Type.Enum(['return', 'end'])),
  allowDigressions: optional(Type.Boolean()),
  generatedFrom: optional(
    closedObject('FlowOrigin', {
      bodyHash: nonEmptyText(limits.modelChars),
      by: optional(text(limits.modelChars)),
      at: optional(text(40)),
      model: optional(text(limits.modelChars)),
    }),
  ),
})
export type Flow = Static<typeof Flow>
