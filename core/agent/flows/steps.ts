/** How the steps of a flow are read: their kind, what they name, and where the walk goes from each. */
import type { Flow, FlowStep, StepKind } from '../resources/flow.js'
import { stepKindNames } from '../resources/flow.js'

type Deep<T> = T extends readonly (infer E)[]
  ? readonly Deep<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Deep<T[K]> }
    : T
export type AnyFlow = Deep<Flow>
export type AnyStep = Deep<FlowStep>

/** Undefined when it has none, or more than one. */
export function kindOf(step: AnyStep): StepKind | undefined {
  const kinds = stepKindNames.filter((kind) => step[kind] !== undefined)
  return kinds.length === 1 ? kinds[0] : undefined
}

export function collected(step: AnyStep): readonly string[] {
  if (step.collect === undefined) return []
  return typeof step.collect === 'string' ? [step.collect] : step.collect
}

export function spoken({ say }: AnyStep): string | undefined {
  return say === undefined || typeof say === 'string' ? say : say.text
}

export function suggestionsOf({ say }: AnyStep): readonly string[] {
  return typeof say === 'object' ? (say.suggestions ?? []) : []
}

const templatePrefix = 'template:'
const playbookPrefix = 'playbook:'

/** The message template that a step says as a whole. */
export function templateSaid(step: AnyStep): string | undefined {
  const said = spoken(step)
  return said?.startsWith(templatePrefix) ? said.slice(templatePrefix.length).trim() : undefined
}

/** The playbook a conversation is handed to; undefined for a person. */
export function playbookHandedTo(handoff: string): string | undefined {
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
  /** What it begins with is no capability. */
  | { readonly unknown: string }

/** `scheduling.book`; a custom integration is `integration:<id>` or `integration.<id>`, whatever tool is said behind it. */
export function readAction(action: string): Action {
  const custom = /^integrations?[:.]([A-Za-z0-9_-]+)(\..*)?$/.exec(action)
  if (custom) return { integration: custom[1]! }
  const dot = action.indexOf('.')
  const capability = dot < 0 ? action : action.slice(0, dot)
  if (!Object.hasOwn(capabilityTools, capability)) return { unknown: capability }
  return { capability: capability as Capability, tool: dot < 0 ? '' : action.slice(dot + 1) }
}

/** The steps that may come after this one, by place; `length` stands for the end of the flow. Unknown targets are left out. */
export function nextPlaces(steps: readonly AnyStep[], place: number, placeOf: ReadonlyMap<string, number>): number[] {
  const step = steps[place]!
  if (step.end !== undefined || step.handoff !== undefined) return []
  if (step.branch === undefined) return [place + 1]
  const targets = step.branch.map((way) => placeOf.get(way.goto))
  targets.push(step.else === undefined ? place + 1 : placeOf.get(step.else))
  return targets.filter((target) => target !== undefined)
}

export function placesOf(steps: readonly AnyStep[]): Map<string, number> {
  const places = new Map<string, number>()
  steps.forEach((step, place) => {
    if (step.id !== undefined && !places.has(step.id)) places.set(step.id, place)
  })
  return places
}
