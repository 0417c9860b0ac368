/** Whole turns of a document without a node: reads and calls are answered by the test, and the play goes on. */
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import type { ContentMessage } from '../../../core/amf/index.js'
import type { ConversationStart, Result } from '../../../core/conversation/state.js'
import { keyOfCall } from '../../../core/flow/index.js'
import { turn as limits } from '../../../core/limits/index.js'
import type { Person } from '../../../core/people/person.js'
import { runToEnd } from '../../../core/steps.js'
import type { ToolCall, ToolOutcome } from '../../../core/tools/contract.js'
import type { Came, PlanInput, PlannedStep } from '../../../core/turn/contract.js'
import { planTurn } from '../../../core/turn/plan.js'
import type { Play } from '../../../core/turn/play.js'
import { prepareAgentInSteps } from '../../../core/turn/prepare.js'
import type { Trigger } from '../../../core/turn/trigger.js'

export const now = Date.UTC(2030, 0, 1, 12)

export const documentWith = (sections: object): AgentDocument => ({ ...emptyDocument, ...sections }) as AgentDocument

export interface Turned {
  readonly messages: readonly ContentMessage[]
  readonly steps: readonly PlannedStep[]
  readonly calls: readonly ToolCall[]
  readonly play: Play
  /** Of the last step. */
  readonly findings: PlannedStep['findings']
  /** All texts. */
  readonly text: string
}

export interface TalkOptions {
  readonly person?: Person
  readonly start?: ConversationStart
  readonly tools?: (call: ToolCall) => ToolOutcome
}

export interface Talk {
  write(text: string, more?: Partial<Trigger>): Turned
  tap(intent: Result['intent'], optionId: string): Turned
}

const failed: ToolOutcome = { state: 'failed', reason: 'Nobody answers.' }

/** Every plan is made twice: the same input gives the same plan. */
export function createTalk(document: AgentDocument, options: TalkOptions = {}): Talk {
  const prepared = runToEnd(prepareAgentInSteps(document, 'd1'))
  const { person, start, tools = () => failed } = options
  let play: Play | undefined

  function plan(came: Came, before: Play | undefined): PlannedStep {
    const reads = new Map<string, ToolOutcome>()
    for (;;) {
      const input: PlanInput = {
        prepared,
        subject: {
          agent: { name: 'Desk', updatedAt: now },
          digest: 'd1',
          appointments: [],
          unavailableTools: {},
          ...(person && { person }),
        },
        channel: 'sms',
        ...(before && { before }),
        ...(start && { start }),
        came,
        now,
        reader: { locale: 'en-US', zone: 'UTC' },
        zone: 'UTC',
        reads,
      }
      const [one, other] = [planTurn(input), planTurn(input)].map((each) => JSON.stringify(each))
      if (one !== other) throw new Error('one input has two plans')
      const planned = planTurn(input)
      if (planned.kind === 'step') return planned
      if (reads.size > limits.readsPerPlan) throw new Error('a plan reads without end')
      const isOver = reads.size === limits.readsPerPlan
      reads.set(keyOfCall(planned.call), isOver ? failed : tools(planned.call))
    }
  }

  function run(trigger: Partial<Trigger>): Turned {
    const full = { eventIds: ['e1'], at: now, sessionId: 's1', text: '', hasStarted: false, ...trigger }
    const steps = [plan({ kind: 'events', trigger: full }, play)]
    const calls: ToolCall[] = []
    for (;;) {
      const last = steps.at(-1)!
      play = last.play
      if (!last.call || calls.length === limits.toolCalls) break
      calls.push(last.call)
      steps.push(plan({ kind: 'outcome', call: last.call, outcome: tools(last.call) }, play))
    }
    const messages = steps.flatMap((step) => step.messages)
    const texts = messages.flatMap(({ parts }) =>
      parts.map((part) => ('text' in part ? String(part.text) : 'prompt' in part ? String(part.prompt) : '')),
    )
    return { messages, steps, calls, play, findings: steps.at(-1)!.findings, text: texts.join('\n') }
  }

  return {
    write: (text, more = {}) => run({ text, ...more }),
    tap: (intent, optionId) => {
      const result = { intent, intentId: 'i1', messageId: 'm1', optionIds: [optionId], labels: [optionId], via: 'tap' }
      return run({ result: result as unknown as Result })
    },
  }
}
