/** A person who talks with a flow: runs the engine as a turn does, with tools and a caller that answers questions. */
import { type AgentDocument, addPlaybook, emptyDocument, type Item } from '../../../core/agent/index.js'
import { type Part, validateMessage } from '../../../core/amf/index.js'
import type { Result } from '../../../core/conversation/state.js'
import { isRefusal } from '../../../core/errors.js'
import type {
  FlowEnvironment,
  FlowFrame,
  FlowInput,
  FlowNext,
  FlowProgress,
  FlowSay,
} from '../../../core/flow/contract.js'
import { enterFlow, keyOfCall, runFlow } from '../../../core/flow/index.js'
import type { Person } from '../../../core/people/person.js'
import type { ToolCall, ToolOutcome } from '../../../core/tools/contract.js'

export type Playbook = Item<'playbooks'>
export type Flow = NonNullable<Playbook['flow']>
export type Step = Flow['steps'][number]
export type Slot = NonNullable<Flow['slots']>[number]

/** A Monday, 11:00 in Paris. */
export const now = Date.UTC(2030, 4, 13, 9)

export const person: Person = {
  id: 'p1',
  status: 'new',
  source: 'test',
  firstName: 'Ada',
  consent: { status: 'granted' },
  identities: [],
  createdAt: now,
  updatedAt: now,
}

export function documentWith(flows: Readonly<Record<string, Flow | undefined>>, more: Partial<AgentDocument> = {}) {
  const playbooks = Object.entries(flows).map(([id, flow]): Playbook => {
    const added = addPlaybook(emptyDocument, { id, name: id, body: '' })
    if (isRefusal(added)) throw new Error(added.detail)
    return { ...added.document.playbooks[0]!, ...(flow && { flow }) }
  })
  return { ...emptyDocument, playbooks, ...more }
}

export const done = (result: unknown = {}): ToolOutcome => ({ state: 'ok', result })

export interface TalkOptions extends Partial<Omit<FlowEnvironment, 'reads'>> {
  readonly slots?: readonly Slot[]
  readonly steps?: readonly Step[]
  readonly flow?: Partial<Flow>
  /** The flows of other playbooks. */
  readonly flows?: Readonly<Record<string, Flow | undefined>>
  readonly tools?: (call: ToolCall) => ToolOutcome
  /** Frames of an earlier turn. */
  readonly stack?: readonly FlowFrame[]
}

/** What came of one input. */
export interface Turn extends Pick<FlowProgress, 'outcomes' | 'trace'> {
  /** Texts, prompts with their options in brackets, and templates. */
  readonly said: readonly string[]
  readonly parts: readonly Part[]
  readonly next: FlowNext['kind']
  readonly ending: FlowNext
  readonly warnings: readonly string[]
  readonly calls: readonly ToolCall[]
  readonly frames: readonly FlowFrame[]
  readonly slots: FlowFrame['slots']
}

/** The flow `main` of an agent. */
export function createTalk(options: TalkOptions) {
  const { slots = [], steps = [], flow, flows = {}, tools = () => done(), stack: before, ...environment } = options
  const document = options.document ?? documentWith({ main: { slots, steps, ...flow } as Flow, ...flows })
  let stack: readonly FlowFrame[] = before ?? [enterFlow({ id: 'main' })]

  function run(input: FlowInput, isAnswered = false): Turn {
    const calls: ToolCall[] = []
    const parts: FlowSay[] = []
    const outcomes: string[] = []
    const warnings: string[] = []
    const trace: string[] = []
    let next: FlowInput | undefined = input
    let ending: FlowNext = { kind: 'wait' }
    while (next) {
      const progress = settle(stack, next, isAnswered)
      if (progress.next.kind === 'read') throw new Error('a read that was made is asked for again')
      stack = progress.stack
      parts.push(...progress.say)
      outcomes.push(...progress.outcomes)
      warnings.push(...progress.warnings.map(({ code }) => code))
      trace.push(...progress.trace)
      ending = progress.next
      next = undefined
      if (progress.next.kind === 'call') {
        calls.push(progress.next.call)
        next = { kind: 'outcome', outcome: tools(progress.next.call) }
      }
    }
    for (const say of parts) checkSay(say)
    return {
      said: parts.map(lineOf),
      parts: parts.flatMap((say) => (say.kind === 'part' ? [say.part] : [])),
      next: ending.kind,
      ending,
      outcomes,
      warnings,
      trace,
      calls,
      frames: stack,
      slots: stack.at(-1)?.slots ?? {},
    }

    function settle(from: readonly FlowFrame[], settled: FlowInput, takesDigression: boolean): FlowProgress {
      const reads = new Map<string, ToolOutcome>()
      for (;;) {
        const progress = runFlow(from, settled, {
          agent: { name: 'Salon' },
          now,
          zone: 'Europe/Paris',
          refusal: () => undefined,
          ...environment,
          document,
          reads,
        })
        const isDigression = progress.next.kind === 'digression'
        const held = progress.next.kind === 'digression' && !takesDigression ? progress.next.otherwise : progress
        if (isDigression && takesDigression) return { ...progress, next: { kind: 'wait' } }
        if (held.next.kind !== 'read' || reads.has(keyOfCall(held.next.call))) return held
        calls.push(held.next.call)
        reads.set(keyOfCall(held.next.call), tools(held.next.call))
      }
    }
  }

  return {
    enter: (text?: string) => run({ kind: 'enter', ...(text !== undefined && { text }) }),
    write: (text: string, isAnswerable = false) => run({ kind: 'message', text, isAnswerable }),
    /** A text that the caller answers when it is a digression. */
    digress: (text: string, isAnswerable = true) => run({ kind: 'message', text, isAnswerable }, true),
    tap: (part: Part | undefined, optionId: string) => run({ kind: 'result', result: tapOn(part, optionId) }),
    result: (result: Result) => run({ kind: 'result', result }),
    outcome: (outcome: ToolOutcome) => run({ kind: 'outcome', outcome }),
    stack: () => stack,
  }
}

export function tapOn(part: Part | undefined, optionId: string): Result {
  if (!part || !('intentId' in part)) throw new Error('nothing can be tapped')
  return { intent: part.type, intentId: part.intentId, optionIds: [optionId], labels: [], via: 'tap' }
}

export function lineOf(say: FlowSay): string {
  const chips = 'chips' in say ? (say.chips ?? []) : []
  const text = say.kind === 'text' ? say.aml : say.kind === 'template' ? `template:${say.templateId}` : ''
  if (say.kind !== 'part') return [text, ...chips.map((chip) => `[${chip}]`)].join(' ')
  const { part } = say
  if (part.type === 'ask.choice') return [part.prompt, ...part.options.map(({ label }) => `[${label}]`)].join(' ')
  if (part.type === 'ask.time') return [part.prompt, ...part.slots.map(({ id }) => `[${id}]`)].join(' ')
  if (part.type !== 'confirm') return part.type
  const details = (part.details ?? []).map(({ label, value }) => `(${label}: ${JSON.stringify(value)})`)
  return [part.prompt, ...details, '[yes] [no]'].join(' ')
}

/** Every part of the engine is a valid message. */
export function checkSay(say: FlowSay): void {
  if (say.kind !== 'part') return
  const checked = validateMessage({ spec: 'amf/1', parts: [say.part] })
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
}
