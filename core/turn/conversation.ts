/**
 * What a managed agent without a model answers: pending question, exact Fact, request for a person, playbook, Fact,
 * passage, flow of the active playbook, and else how to reach the business. The first that fits decides.
 */
import type { AgentDocument } from '../agent/index.js'
import type { Chip, ContentMessage } from '../amf/index.js'
import type { Result } from '../conversation/state.js'
import type { FlowInput, FlowProgress } from '../flow/contract.js'
import { enterFlow, keyOfCall, runFlow } from '../flow/index.js'
import type { Fact } from '../knowledge/facts.js'
import { asksForHuman } from '../knowledge/humanphrases.js'
import { confidentPassage } from '../knowledge/passageanswer.js'
import { turn as limits } from '../limits/index.js'
import { greetingTemplate } from '../links/greeting.js'
import { isDone, type ToolCall, type ToolOutcome } from '../tools/contract.js'
import { refusalOf } from '../tools/gate.js'
import { beginPlay, defaultPlaybookOf, idOf, type Playbook } from './beginplay.js'
import { plainTextToAml, type Say } from './compose.js'
import { contactMessage } from './contact.js'
import type { Findings, PlanInput } from './contract.js'
import type { Play } from './play.js'
import type { TurnWarning } from './record.js'
import { sentences } from './sentences.js'
import type { Trigger } from './trigger.js'

export type Answered =
  | { readonly kind: 'read'; readonly call: ToolCall }
  | { readonly kind: 'said'; readonly call?: ToolCall }

/** A passage of a source, as `knowledge.search` finds it. */
interface Passage {
  readonly sourceId: string
  readonly place: number
  readonly text: string
  readonly score: number
}

const said: Answered = { kind: 'said' }
/** The value of a chip that enters a playbook. */
const playbookValue = 'playbook:'
const chipsOffered = 4
const flowsPerTurn = 8

/** One step of a turn while it is planned. It lives as long as the planning and changes nothing but itself. */
export class TurnConversation {
  play: Play
  say: Say[] = []
  readonly warnings: TurnWarning[] = []
  /** The person waits for a word: they said something, or a tool has answered. */
  readonly isAwaited: boolean
  private readonly found: Findings['found'][number][] = []
  private readonly outcomes: string[] = []
  private readonly trace: string[] = []
  private readonly beforeId: string | undefined
  private readonly isNewSession: boolean
  private why: string
  private entered = 0

  constructor(private readonly input: PlanInput) {
    const { before, came } = input
    this.beforeId = before?.playbookId
    this.isNewSession = came.kind === 'events' && before?.sessionId !== came.trigger.sessionId
    this.isAwaited = came.kind === 'outcome' || came.trigger.text !== '' || came.trigger.result !== undefined
    const { play, why, warnings } = beginPlay(input)
    this.play = play
    this.why = why
    this.warnings.push(...warnings)
  }

  answer(trigger: Trigger): Answered {
    const { result, text, hasStarted } = trigger
    if (result) return this.answerResult(result, text)
    if (text !== '') return this.answerText(text)
    return hasStarted && this.isNewSession ? this.greet() : said
  }

  /** Goes on with the outcome of the call that the flow waits for. */
  resume(outcome: ToolOutcome): Answered {
    if (this.play.stack.length === 0) return said
    return this.runFlow({ kind: 'outcome', outcome })
  }

  contact(lead?: string): ContentMessage {
    const { document } = this.input.prepared
    return contactMessage(document, this.input.subject.agent.name, lead)
  }

  findings(): Omit<Findings, 'warnings'> {
    const { playbookId, stack } = this.play
    const frame = stack.at(-1) ?? this.input.before?.stack.at(-1)
    const flow = frame && this.document.playbooks.find(({ id }) => id === frame.playbookId)?.flow
    const bound = new Set(flow?.slots?.flatMap(({ name, bind }) => (bind === undefined ? [] : [name])))
    const slots = Object.entries(frame?.slots ?? {}).map(([name, value]) => [name, bound.has(name) ? '…' : value])
    const outcome = this.outcomes.at(-1)
    return {
      playbook: {
        ...(this.beforeId !== undefined && { before: this.beforeId }),
        ...(playbookId !== undefined && { after: playbookId }),
        why: this.why,
      },
      ...(frame && {
        flow: {
          ...placeOf('from', this.input.before?.stack.at(-1)),
          ...placeOf('to', stack.at(-1)),
          ...(outcome !== undefined && { outcome }),
          slots: Object.fromEntries(slots),
        },
      }),
      found: this.found,
      outcomes: this.outcomes,
      trace: this.trace.slice(0, limits.traceLines),
    }
  }

  private get document(): AgentDocument {
    return this.input.prepared.document
  }

  private get active(): Playbook | undefined {
    return this.playbook(this.play.playbookId)
  }

  private playbook(id: string | undefined): Playbook | undefined {
    return this.document.playbooks.find((each) => each.id === id)
  }

  private get defaultPlaybook(): Playbook | undefined {
    return defaultPlaybookOf(this.document)
  }

  private answerResult(result: Result, text: string): Answered {
    const [optionId = ''] = result.optionIds
    if (result.intent === 'chips' && optionId.startsWith(playbookValue)) {
      const playbook = this.playbook(optionId.slice(playbookValue.length))
      if (playbook && this.isOpen(playbook)) return this.enter(playbook, 'chip')
    }
    if (this.play.stack.length > 0) {
      const progress = this.flowProgress({ kind: 'result', result })
      if (progress.next.kind !== 'digression') return this.apply(progress)
    }
    // A chip returns its value; an option of a question that nobody waits for is read as its label.
    const words = result.intent === 'chips' ? optionId : (result.labels[0] ?? optionId)
    return this.answerText([words, text].filter(Boolean).join('\n'))
  }

  private answerText(text: string): Answered {
    if (this.play.stack.length > 0) return this.answerInFlow(text)
    const exact = this.knowledge.exactFact(text, this.play.playbookId)
    if (exact) return this.sayFact(exact, 'fact.exact', 1)
    if (asksForHuman(text)) return this.handOver('human')
    const routed = this.route(text)
    if (routed) {
      if (this.isNewSession && routed.id === this.play.playbookId) this.sayGreeting()
      return this.enter(routed, 'route', text)
    }
    const fact = this.knowledge.confidentFact(text, this.play.playbookId)
    if (fact) return this.sayFact(fact.fact, 'fact', fact.score)
    const passage = this.passageFor(text)
    if (passage.kind === 'read') return passage
    if (passage.text !== undefined) return this.sayText(plainTextToAml(passage.text))
    const { active } = this
    if (active?.flow && !this.play.summary.playbooks.includes(active.id)) {
      if (this.isNewSession) this.sayGreeting()
      return this.enter(active, this.why, text)
    }
    return this.isNewSession && this.sayGreeting() ? this.offer() : this.sayNoAnswer()
  }

  /** A pending question is asked first; what does not answer it may be answered besides, and the question returns. */
  private answerInFlow(text: string): Answered {
    const { playbookId } = this.play
    const isQuestion = text.trimEnd().endsWith('?')
    const wantsHuman = asksForHuman(text)
    const exact = this.knowledge.exactFact(text, playbookId)
    const asked = isQuestion && !exact ? this.knowledge.confidentFact(text, playbookId) : undefined
    const isAnswerable = exact !== undefined || asked !== undefined || wantsHuman
    const progress = this.flowProgress({ kind: 'message', text, isAnswerable })
    if (progress.next.kind !== 'digression') return this.apply(progress)
    const { otherwise } = progress.next
    if (wantsHuman) {
      this.say.push({ kind: 'message', message: this.contact() })
      return this.apply(progress)
    }
    const allows = this.playbook(this.play.stack.at(-1)?.playbookId)?.flow?.allowDigressions !== false
    // Only now: a text that fills the slot needs no search.
    const confident = isQuestion || exact ? asked : this.knowledge.confidentFact(text, playbookId)
    const fact = exact ?? confident?.fact
    if (allows && fact) {
      this.sayFact(fact, exact ? 'fact.exact' : 'fact', confident?.score ?? 1)
      return this.apply(progress)
    }
    const routed = allows ? this.route(text) : undefined
    if (routed && !this.play.stack.some(({ playbookId }) => playbookId === routed.id)) {
      this.recordOutcome('abandoned')
      this.play = { ...this.play, stack: [] }
      return this.enter(routed, 'route', text)
    }
    return this.apply(otherwise)
  }

  private get knowledge() {
    return this.input.prepared.knowledge
  }

  /** A playbook with a flow that the text clearly asks for. */
  private route(text: string): Playbook | undefined {
    const { stack, outreachId } = this.play
    const named = this.playbookNamed(text)
    if (named) return named
    // A playbook that runs is not entered again; one whose flow has ended may be.
    const active = stack.at(-1)?.playbookId
    const { entered, ranking } = this.input.prepared.playbooks.route(text, { active, outreachId })
    for (const { playbookId, score } of ranking.slice(0, 2)) this.trace.push(`route ${playbookId} ${score.toFixed(2)}`)
    const playbook = this.playbook(entered?.playbookId)
    return playbook?.flow ? playbook : undefined
  }

  /** The playbook whose name is the whole text, as chips of the operator spell it. */
  private playbookNamed(text: string): Playbook | undefined {
    return this.input.prepared.playbooks.named(text).find((each) => each.flow && this.isOpen(each))
  }

  /** The playbook of an outreach is hidden from every other conversation. */
  private isOpen({ outreachId }: Playbook): boolean {
    return outreachId === undefined || outreachId === this.play.outreachId
  }

  private passageFor(
    text: string,
  ): Extract<Answered, { kind: 'read' }> | { readonly kind: 'none'; readonly text?: string } {
    if (this.document.sources.length === 0) return { kind: 'none' }
    const call: ToolCall = { name: 'knowledge.search', arguments: { query: text.slice(0, limits.queryChars) } }
    const outcome = this.input.reads.get(keyOfCall(call))
    if (!outcome) return { kind: 'read', call }
    const { passages = [] } = (isDone(outcome) ? outcome.result : {}) as { passages?: readonly Passage[] }
    const best = confidentPassage(text, passages)
    if (!best) return { kind: 'none' }
    this.found.push({ kind: 'passage', id: `${best.sourceId}/${best.place}`, score: best.score })
    return { kind: 'none', text: best.text }
  }

  private enter(playbook: Playbook, why: string, text?: string): Answered {
    this.why = why
    this.entered++
    const { summary } = this.play
    const playbooks = summary.playbooks.includes(playbook.id) ? summary.playbooks : [...summary.playbooks, playbook.id]
    this.play = { ...this.play, playbookId: playbook.id, stack: [], summary: { ...summary, playbooks } }
    this.trace.push(`playbook ${playbook.id}`)
    if (!playbook.flow) return this.sayNoAnswer()
    if (this.entered > flowsPerTurn) {
      this.warnings.push({ code: 'flow.stuck', message: `${flowsPerTurn} playbooks handed over to each other.` })
      return this.handOver('stuck')
    }
    this.play = { ...this.play, stack: [enterFlow(playbook)] }
    return this.runFlow({ kind: 'enter', ...(text !== undefined && { text }) })
  }

  private runFlow(flowInput: FlowInput): Answered {
    return this.apply(this.flowProgress(flowInput))
  }

  private flowProgress(flowInput: FlowInput): FlowProgress {
    const { subject, now, zone, reads } = this.input
    const { document } = this
    const { unavailableTools } = subject
    return runFlow(this.play.stack, flowInput, {
      document,
      agent: subject.agent,
      ...(subject.person && { person: subject.person }),
      now,
      zone,
      reads,
      refusal: (playbookId, call) => refusalOf({ document, playbookId, call, unavailableTools }),
    })
  }

  private apply(progress: FlowProgress): Answered {
    const { stack, say, next, outcomes, warnings, trace } = progress
    if (next.kind === 'read') return next
    this.say.push(...say)
    this.warnings.push(...warnings)
    this.trace.push(...trace)
    for (const outcome of outcomes) this.recordOutcome(outcome)
    this.play = { ...this.play, stack }
    switch (next.kind) {
      case 'wait':
      case 'digression':
        return said
      case 'call':
        return { kind: 'said', call: next.call }
      case 'human':
        return this.handOver('human')
      case 'playbook': {
        const playbook = this.playbook(next.playbookId)
        if (playbook) return this.enter(playbook, 'handoff')
        this.warnings.push({ code: 'flow.missing', message: `There is no playbook ${next.playbookId}.` })
        return this.handOver('missing')
      }
      case 'done':
        return this.leave(next.then, outcomes.at(-1))
    }
  }

  private recordOutcome(outcome: string): void {
    this.outcomes.push(outcome)
    const { summary } = this.play
    this.play = { ...this.play, summary: { ...summary, outcomes: [...summary.outcomes, outcome] } }
  }

  private leave(then: 'return' | 'end', outcome: string | undefined): Answered {
    this.play = { ...this.play, stack: [] }
    if (then === 'end') this.play = { ...this.play, ...idOf(this.defaultPlaybook) }
    if (outcome === 'cancelled' && this.say.length === 0) {
      this.say.push({ kind: 'text', aml: sentences.cancelled })
      return this.offer()
    }
    return said
  }

  private handOver(why: string): Answered {
    this.trace.push(`contact ${why}`)
    this.play = { ...this.play, stack: [] }
    this.say.push({ kind: 'message', message: this.contact() })
    return said
  }

  private sayFact(fact: Fact, rule: string, score: number): Answered {
    this.found.push({ kind: 'fact', id: fact.id, score })
    this.trace.push(`${rule} ${fact.id} ${score.toFixed(2)}`)
    return this.sayText(plainTextToAml(fact.answer))
  }

  private sayText(aml: string): Answered {
    this.say.push({ kind: 'text', aml })
    return said
  }

  private greet(): Answered {
    const { active } = this
    this.sayGreeting()
    if (active?.flow) return this.enter(active, this.why)
    if (this.say.length === 0) return said
    return this.offer()
  }

  /** Whether the playbook has a greeting. */
  private sayGreeting(): boolean {
    const greets = this.active?.messageTemplateRefs?.includes(greetingTemplate) === true
    if (greets) this.say.push({ kind: 'template', templateId: greetingTemplate })
    return greets
  }

  /** How to reach the business, and what the agent can do, in one message. */
  private sayNoAnswer(): Answered {
    this.warnings.push({ code: 'model.absent', message: 'Only a language model could answer this, and there is none.' })
    const contact = this.contact(sentences.noAnswer)
    const chips = this.offeredChips()
    if (chips.length === 0) this.say.push({ kind: 'message', message: contact })
    else {
      const parts = [...contact.parts, { type: 'text' as const, text: sentences.offer }]
      this.say.push({ kind: 'message', message: { ...contact, parts, chips: [...chips, ...(contact.chips ?? [])] } })
    }
    return said
  }

  private offer(): Answered {
    const chips = this.offeredChips()
    const parts = [{ type: 'text' as const, text: sentences.offer }]
    if (chips.length > 0) this.say.push({ kind: 'message', message: { spec: 'amf/1', parts, chips } })
    return said
  }

  /** What the agent can do: the playbooks with flows that are open to this conversation. */
  private offeredChips(): Chip[] {
    return this.document.playbooks
      .filter(({ id, flow, outreachId }) => flow && outreachId === undefined && id !== this.defaultPlaybook?.id)
      .slice(0, chipsOffered)
      .map(({ id, name }) => ({ label: name, value: `${playbookValue}${id}` }))
  }
}

function placeOf(name: 'from' | 'to', frame: Play['stack'][number] | undefined) {
  return frame ? { [name]: `${frame.playbookId}:${frame.step}` } : {}
}
