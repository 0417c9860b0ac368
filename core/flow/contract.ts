/**
 * The flow engine as a pure function: from the frames of the running flows and what came, to the frames after, what the
 * agent says, and what it waits for. The same input always gives the same progress.
 */
import type { AgentDocument } from '../agent/index.js'
import type { Part } from '../amf/index.js'
import type { Result } from '../conversation/state.js'
import type { Person } from '../people/person.js'
import type { ToolCall, ToolOutcome } from '../tools/contract.js'

export interface TimeslotValue {
  readonly startUtc: number
  /** ISO-8601 with the offset of `zone`. */
  readonly start: string
  readonly zone: string
  /** As the person read it. */
  readonly label: string
  readonly durationMinutes?: number
  readonly representativeId?: string
}

export type SlotValue = string | number | boolean | TimeslotValue

/** A flow that runs: its playbook, its place, and what it has learned. Plain data, stored between turns. */
export interface FlowFrame {
  readonly playbookId: string
  /** The index of the step at which it stands. */
  readonly step: number
  readonly slots: Readonly<Record<string, SlotValue>>
  readonly waiting?: FlowWait
  /** Invalid answers so far, by slot. */
  readonly invalidAnswers?: Readonly<Record<string, number>>
  /** Optional slots that were given up, and slots whose value was read back and confirmed. */
  readonly skipped?: readonly string[]
  readonly confirmed?: readonly string[]
  /** Outcomes of actions by action and arguments: a step that is walked again with the same arguments reuses them. */
  readonly results?: readonly ActionResult[]
  /** The reason why the last action failed, for branches. */
  readonly error?: string
  /** Digressions in a row. */
  readonly digressions?: number
  /**
   * How often each question was asked, by slot or confirmation: the last part of intent ids. The value on file is not
   * taken for a slot that was asked.
   */
  readonly asked?: Readonly<Record<string, number>>
}

export interface ActionResult {
  /** A hash of action and arguments. */
  readonly key: string
  /** `scheduling.book`: read in conditions and texts as `last.scheduling.book.<path>`. */
  readonly name: string
  readonly outcome: ToolOutcome
  /**
   * The step that acted inside Parley, where what is done last holds: once the step has done something else, this
   * outcome is not used again.
   */
  readonly step?: string
}

/** What a frame waits for. Answers to questions name the intent id. */
export type FlowWait =
  | { readonly kind: 'slot'; readonly slot: string; readonly intentId?: string; readonly offered?: readonly Offered[] }
  | { readonly kind: 'slotConfirm'; readonly slot: string; readonly intentId: string }
  | { readonly kind: 'actionConfirm'; readonly key: string; readonly intentId: string }
  | { readonly kind: 'call'; readonly key: string; readonly call: ToolCall; readonly attempt: number }

/** An option of a question that is not among the flow's own options, such as a free time. */
export interface Offered {
  readonly id: string
  readonly label: string
  readonly value: SlotValue
}

export type FlowInput =
  /** The playbook at the top of the stack was entered; the person's words, if any, may have values for slots. */
  | { readonly kind: 'enter'; readonly text?: string }
  | {
      readonly kind: 'message'
      readonly text: string
      /**
       * The caller has an answer to the text (a Fact): a slot that takes any text does not take it, and it counts as a
       * digression.
       */
      readonly isAnswerable: boolean
    }
  | { readonly kind: 'result'; readonly result: Result }
  /** The outcome of the call that the top frame waits for. */
  | { readonly kind: 'outcome'; readonly outcome: ToolOutcome }

/** What a flow reads besides its own frames. */
export interface FlowSubject {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly person?: Person
  readonly now: number
  /** The zone in which the person reads and writes times. */
  readonly zone: string
}

export interface FlowEnvironment extends FlowSubject {
  /** Outcomes of reads that were made for this plan, by `keyOfCall`. */
  readonly reads: ReadonlyMap<string, ToolOutcome>
  /** Why a playbook may not make a call, in a sentence; undefined when it may. Asked before every call and read. */
  readonly refusal: (playbookId: string, call: ToolCall) => string | undefined
}

export interface FlowProgress {
  /** The top frame is the last; empty when the flow has ended. */
  readonly stack: readonly FlowFrame[]
  readonly say: readonly FlowSay[]
  readonly next: FlowNext
  /** Recorded outcomes, in order. */
  readonly outcomes: readonly string[]
  readonly warnings: readonly FlowWarning[]
  /** `<playbook>:<step id or index> <kind>` for each step that was walked. */
  readonly trace: readonly string[]
}

export type FlowSay =
  /** AML of the operator. Values are filled in, and none of them opens a marker or Markdown. */
  | { readonly kind: 'text'; readonly aml: string; readonly chips?: readonly string[] }
  /** A message template, rendered for the person by the caller. */
  | { readonly kind: 'template'; readonly templateId: string; readonly chips?: readonly string[] }
  /** A question of the engine. */
  | { readonly kind: 'part'; readonly part: Part }

export type FlowNext =
  /** For the person. */
  | { readonly kind: 'wait' }
  /** Run again with the same stack and input, and the outcome among `reads`. Nothing else of this progress counts. */
  | { readonly kind: 'read'; readonly call: ToolCall }
  /** For the outcome of an inside or outside call. */
  | { readonly kind: 'call'; readonly call: ToolCall }
  /**
   * The text answers nothing that was asked. If the caller can answer it, this progress holds, and what it says (the
   * question again) follows that answer. Otherwise `otherwise` holds: the question again with the reason, counted.
   */
  | { readonly kind: 'digression'; readonly otherwise: FlowProgress }
  /** Contact options of the business. */
  | { readonly kind: 'human' }
  | { readonly kind: 'playbook'; readonly playbookId: string }
  /** All flows of the stack have ended. `end`: the default playbook is next; `return`: the playbook stays active. */
  | { readonly kind: 'done'; readonly then: 'return' | 'end' }

export interface FlowWarning {
  readonly code: 'flow.stuck' | 'flow.slot.exhausted' | 'flow.missing' | 'tool.refused' | 'tool.failed' | 'tool.unknown'
  readonly message: string
}
