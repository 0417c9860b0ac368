/** The route that has a language model write the flow of a playbook. Nothing is kept: whoever likes the flow writes it. */
import { actorOf } from '../../core/access.js'
import { faultsOfFlow, type JudgedFlow } from '../../core/agent/flows/generated.js'
import {
  type Fault,
  type FlowMaterial,
  flowPrompt,
  flowRepair,
  type ModelMessage,
} from '../../core/agent/flows/prompt.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { languageModel as limits } from '../../core/limits.js'
import { readJson } from '../../runtime/http/json.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { BriefAsked, JudgeAsked } from './generation.js'
import { GenerateBody, type Generated, GeneratedFlow } from './generationschema.js'
import { generationRows } from './resources/inner.js'
import { ofAgents, writing } from './schema.js'
import { type ViewOptions, viewOf } from './views.js'

/** The language model of the installation. */
export interface Model {
  /** Which one is asked when nobody says. */
  readonly name: string
  /** Never throws. What went wrong is told in words that name nothing of our side and no key. */
  complete(asked: {
    readonly model: string
    readonly messages: readonly ModelMessage[]
    readonly signal: AbortSignal
  }): Promise<
    | { readonly ok: true; readonly content: string; readonly usage: Generated['usage'] }
    | { readonly ok: false; readonly message: string }
  >
}

export interface GenerateOptions extends ViewOptions {
  /** Absent: the installation has none. */
  readonly model?: Model
  readonly clock: { now(): number }
}

const noModel = refuse('model.unreachable', { detail: 'No language model is configured here.' })

export function generateRoute(options: GenerateOptions): Route {
  const { model: available, clock } = options
  return route({
    ...ofAgents,
    tag: 'Playbooks',
    access: writing,
    method: 'POST',
    path: '/orgs/{org}/agents/{agent}/playbooks/{playbookId}/flow:generate',
    summary: 'Have a language model write the flow of a playbook; nothing is kept until the flow is written',
    body: GenerateBody,
    bodyOptional: true,
    malformedStatus: 400,
    reply: { 200: GeneratedFlow },
    errors: ['request.invalid', 'agent.playbook.uses_unknown', 'model.unreachable'],
    async handler({ params: { org: orgId, agent: agentId, playbookId }, body, caller, connection }) {
      const place = { orgId, agentId }
      const { model: wanted, ...asked } = body ?? {}
      const view = viewOf(place, options)
      const material = (await view(generationRows.brief, {
        params: { playbookId },
        query: {},
        body: asked satisfies BriefAsked,
      })) as FlowMaterial | Refusal
      if (isRefusal(material)) return material
      if (!available) return noModel
      const model = wanted ?? available.name
      const origin = { by: actorOf(caller).id, at: new Date(clock.now()).toISOString(), model }
      async function judge(flow: unknown): Promise<JudgedFlow | Refusal> {
        const sent: JudgeAsked = { flow, origin, ...(asked.uses && { uses: asked.uses }) }
        return (await view(generationRows.judged, { params: { playbookId }, query: {}, body: sent })) as JudgedFlow
      }
      const signal = AbortSignal.any([connection.signal, AbortSignal.timeout(limits.wholeMs)])
      const ask = (messages: readonly ModelMessage[]) => available.complete({ model, messages, signal })
      const made = await generated(ask, model, material, judge)
      return isRefusal(made) ? made : json(200, made)
    },
  })
}

/** Asks, judges, and tells the model what is wrong, until the flow can run or there have been enough attempts. */
async function generated(
  ask: (messages: readonly ModelMessage[]) => ReturnType<Model['complete']>,
  model: string,
  material: FlowMaterial,
  judge: (flow: unknown) => Promise<JudgedFlow | Refusal>,
): Promise<Generated | Refusal> {
  const first = flowPrompt(material)
  const usage = { input: 0, output: 0 }
  let messages: ModelMessage[] = first
  let last: { readonly judged: JudgedFlow; readonly notes?: string } | undefined
  for (let attempts = 1; ; attempts++) {
    const answer = await ask(messages)
    const about = { brief: material.brief, model, usage }
    if (!answer.ok) {
      if (!last) return refuse('model.unreachable', { detail: answer.message })
      return { ...about, ok: false, attempts: attempts - 1, ...shown(last), error: answer.message }
    }
    usage.input += answer.usage.input
    usage.output += answer.usage.output
    const read = answerOf(answer.content)
    const judged = 'problem' in read ? unread(read.problem) : await judge(read.flow)
    if (isRefusal(judged)) return judged
    last = { judged, ...('notes' in read && { notes: read.notes }) }
    const faults = faultsOfFlow(judged)
    if (faults.length === 0) return { ...about, ok: true, attempts, ...shown(last) }
    if (attempts === limits.attempts) return { ...about, ok: false, attempts, ...shown(last), error: givenUp(faults) }
    messages = flowRepair(first, answer.content, faults)
  }
}

function givenUp(faults: readonly Fault[]): string {
  return `The model wrote no flow that can run. ${faults[0]!.path}: ${faults[0]!.message}`
}

function shown({ judged, notes }: { readonly judged: JudgedFlow; readonly notes?: string }) {
  return { ...judged, ...(notes !== undefined && { notes }) }
}

function unread(message: string): JudgedFlow {
  const errors = [{ field: 'flow', message }]
  return { schema: { ok: false, errors }, lint: { errors: [], warnings: [], advice: [] } }
}

const fence = '```'

/** Models like to fence what they write, with a word for its kind on the first line. */
function unfenced(content: string): string {
  const text = content.trim()
  if (!text.startsWith(fence) || !text.endsWith(fence) || !text.includes('\n')) return text
  return text.slice(text.indexOf('\n'), -fence.length)
}

function answerOf(content: string): { readonly flow: unknown; readonly notes?: string } | { readonly problem: string } {
  const read = readJson(Buffer.from(unfenced(content)))
  if ('problem' in read) return { problem: `The answer ${read.problem.message}` }
  const { flow, notes } = (read.value ?? {}) as { flow?: unknown; notes?: unknown }
  if (flow === undefined) return { problem: 'The answer holds no member "flow"' }
  return { flow, ...(typeof notes === 'string' && { notes: notes.slice(0, limits.notesChars) }) }
}
