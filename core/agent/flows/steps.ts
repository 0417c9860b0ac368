/** Reads the steps of a flow: kind, references, and the steps that may follow. */
import type { Flow, FlowStep, StepKind } from '../resources/flow.js'
import { stepKindNames } from '../resources/flow.js'
import { usesPrefix } from '../uses.js'

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T
export type AnyFlow = DeepReadonly<Flow>
export type AnyStep = DeepReadonly<FlowStep>

/** Undefined when the step has no kind or more than one. */
export function kindOf(step: AnyStep): StepKind | undefined {
  const kinds = stepKindNames.filter((kind) => step[kind] !== undefined)
  return kinds.length === 1 ? kinds[0] : undefined
}

export function collectedSlots(step: AnyStep): readonly string[] {
  if (step.collect === undefined) return []
  return typeof step.collect === 'string' ? [step.collect] : step.collect
}

export function stepText({ say }: AnyStep): string | undefined {
  return say === undefined || typeof say === 'string' ? say : say.text
}

export function suggestionsOf({ say }: AnyStep): readonly string[] {
  return typeof say === 'object' ? (say.suggestions ?? []) : []
}

const templatePrefix = 'template:'
const playbookPrefix = 'playbook:'

/** The message template that makes up the whole text of a step. */
export function stepTemplateId(step: AnyStep): string | undefined {
  const text = stepText(step)
  return text?.startsWith(templatePrefix) ? text.slice(templatePrefix.length).trim() : undefined
}

/** The playbook that takes over the conversation; undefined when a human does. */
export function handoffPlaybookId(handoff: string): string | undefined {
  if (handoff === 'human') return undefined
  return handoff.startsWith(playbookPrefix) ? handoff.slice(playbookPrefix.length) : handoff
}

export const capabilityTools = {
  scheduling: ['availability', 'book', 'reschedule', 'cancel'],
  people: ['save'],
  notify: ['team'],
  knowledge: ['search'],
} as const
export type Capability = keyof typeof capabilityTools

export type Action =
  | { readonly capability: Capability; readonly tool: string }
  | { readonly integration: string }
  | { readonly catalogTool: string }
  /** The action starts with something that is no capability. */
  | { readonly unknown: string }

export const toolPrefix = 'tool:'

/**
 * Parses `scheduling.book`; a custom integration is `integration:<id>` or `integration.<id>`, any tool name after it is
 * ignored; a tool of the catalog is `tool:<catalog id>`.
 */
export function readAction(action: string): Action {
  const match = /^integrations?[:.]([A-Za-z0-9_-]+)(\..*)?$/.exec(action)
  if (match) return { integration: match[1]! }
  if (action.startsWith(toolPrefix)) return { catalogTool: action.slice(toolPrefix.length).trim() }
  const dot = action.indexOf('.')
  const capability = dot < 0 ? action : action.slice(0, dot)
  if (!Object.hasOwn(capabilityTools, capability)) return { unknown: capability }
  return { capability: capability as Capability, tool: dot < 0 ? '' : action.slice(dot + 1) }
}

/** The name by which the tool of an action is called; undefined when there is no such tool. */
export function toolNameOf(action: Action): string | undefined {
  if ('integration' in action) return `${usesPrefix}${action.integration}`
  if ('catalogTool' in action) return `${toolPrefix}${action.catalogTool}`
  if ('unknown' in action) return undefined
  const tools: readonly string[] = capabilityTools[action.capability]
  return tools.includes(action.tool) ? `${action.capability}.${action.tool}` : undefined
}

/**
 * The name of a tool in `last.<name>.<path>`: `integration.crm` for `integration:crm`, and `tool.order-lookup` for
 * `tool:@svc/tool.order-lookup`.
 */
export function dottedName(toolName: string): string {
  if (!toolName.startsWith(toolPrefix)) return toolName.replace(':', '.')
  return toolName.slice(toolName.lastIndexOf('/') + 1).replace(':', '.')
}

/** Indexes of the steps that may follow; `length` stands for the end of the flow. Unknown targets are left out. */
export function nextIndexes(
  steps: readonly AnyStep[],
  index: number,
  indexById: ReadonlyMap<string, number>,
): number[] {
  const step = steps[index]!
  if (step.end !== undefined || step.handoff !== undefined) return []
  if (step.branch === undefined) return [index + 1]
  const targets = step.branch.map((way) => indexById.get(way.goto))
  targets.push(step.else === undefined ? index + 1 : indexById.get(step.else))
  return targets.filter((target) => target !== undefined)
}

export function indexesById(steps: readonly AnyStep[]): Map<string, number> {
  const indexById = new Map<string, number>()
  steps.forEach((step, index) => {
    if (step.id !== undefined && !indexById.has(step.id)) indexById.set(step.id, index)
  })
  return indexById
}
