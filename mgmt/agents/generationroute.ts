/**
 * The route that has a language model write the flow of a playbook. It stores nothing: the caller writes the flow if it
 * is good.
 */
import { actorOf } from '../../core/access.js'
import {
  type Fault,
  type FlowMaterial,
  flowPrompt,
  type ModelMessage,
  repairPrompt,
} from '../../core/agent/flows/prompt.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { type FlowCheck, faultsOfFlow } from '../../core/flow/flowcheck.js'
import { languageModel as limits } from '../../core/limits/index.js'
import { readJson } from '../../runtime/http/json.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import { generationEndpoints } from './endpoints/internal.js'
import type { BriefInput, ValidateFlowInput } from './flowbrief.js'
import { GenerateBody, type Generated, GeneratedFlow } from './generationschema.js'
import { routeDefaults, writeAccess } from './schema.js'
import { createViewReader, type ViewOptions } from './views.js'

/** The language model of the installation. */
export interface Model {
  /** The model to ask when the request names none. */
  readonly name: string
  /** Never throws. The text of a failure contains no key and no internal name. */
  complete(request: {
    readonly model: string
    readonly messages: readonly ModelMessage[]
    readonly signal: AbortSignal
  }): Promise<
    | { readonly ok: true; readonly content: string; readonly usage: Generated['usage'] }
    | { readonly ok: false; readonly message: string }
  >
}

export interface GenerateOptions extends ViewOptions {
  /** Absent: the installation has no model. */
  readonly model?: Model
  readonly clock: { now(): number }
}

const noModel = refuse('model.unreachable', { detail: 'No language model is configured here.' })

export function generateRoute(options: GenerateOptions): Route {
  const { model: available, clock } = options
  return route({
    ...routeDefaults,
    tag: 'Playbooks',
    access: writeAccess,
    method: 'POST',
    path: '/orgs/{org}/agents/{agent}/playbooks/{playbookId}/flow:generate',
    summary: 'Have a language model write the flow of a playbook; nothing is kept until the flow is written',
    body: GenerateBody,
    bodyOptional: true,
    malformedStatus: 400,
    reply: { 200: GeneratedFlow },
    errors: ['request.invalid', 'agent.playbook.uses_unknown', 'model.unreachable'],
    async handler({ params: { org: orgId, agent: agentId, playbookId }, body, caller, connection }) {
      const agentRef = { orgId, agentId }
      const { model: requestedModel, ...input } = body ?? {}
      const view = createViewReader(agentRef, options)
      const material = (await view(generationEndpoints.brief, {
        params: { playbookId },
        query: {},
        body: input satisfies BriefInput,
      })) as FlowMaterial | Refusal
      if (isRefusal(material)) return material
      if (!available) return noModel
      const model = requestedModel ?? available.name
      const origin = { by: actorOf(caller).id, at: new Date(clock.now()).toISOString(), model }
      async function validate(flow: unknown): Promise<FlowCheck | Refusal> {
        const sent: ValidateFlowInput = { flow, origin, ...(input.uses && { uses: input.uses }) }
        return (await view(generationEndpoints.validation, {
          params: { playbookId },
          query: {},
          body: sent,
        })) as FlowCheck
      }
      const signal = AbortSignal.any([connection.signal, AbortSignal.timeout(limits.wholeMs)])
      const ask = (messages: readonly ModelMessage[]) => available.complete({ model, messages, signal })
      const result = await generateFlow(ask, model, material, validate)
      return isRefusal(result) ? result : json(200, result)
    },
  })
}

/**
 * Asks the model, checks the flow, and sends the problems back to the model, until the flow can run or the attempts are
 * used up.
 */
async function generateFlow(
  ask: (messages: readonly ModelMessage[]) => ReturnType<Model['complete']>,
  model: string,
  material: FlowMaterial,
  validate: (flow: unknown) => Promise<FlowCheck | Refusal>,
): Promise<Generated | Refusal> {
  const first = flowPrompt(material)
  const usage = { input: 0, output: 0 }
  let messages: ModelMessage[] = first
  let last: { readonly validation: FlowCheck; readonly notes?: string } | undefined
  for (let attempts = 1; ; attempts++) {
    const answer = await ask(messages)
    const common = { brief: material.brief, model, usage }
    if (!answer.ok) {
      if (!last) return refuse('model.unreachable', { detail: answer.message })
      return { ...common, ok: false, attempts: attempts - 1, ...flowFields(last), error: answer.message }
    }
    usage.input += answer.usage.input
    usage.output += answer.usage.output
    const read = parseAnswer(answer.content)
    const validation = 'problem' in read ? parseFailure(read.problem) : await validate(read.flow)
    if (isRefusal(validation)) return validation
    last = { validation, ...('notes' in read && { notes: read.notes }) }
    const faults = faultsOfFlow(validation)
    if (faults.length === 0) return { ...common, ok: true, attempts, ...flowFields(last) }
    if (attempts === limits.attempts)
      return { ...common, ok: false, attempts, ...flowFields(last), error: giveUpMessage(faults) }
    messages = repairPrompt(first, answer.content, faults)
  }
}

function giveUpMessage(faults: readonly Fault[]): string {
  return `The model wrote no flow that can run. ${faults[0]!.path}: ${faults[0]!.message}`
}

function flowFields({ validation, notes }: { readonly validation: FlowCheck; readonly notes?: string }) {
  return { ...validation, ...(notes !== undefined && { notes }) }
}

function parseFailure(message: string): FlowCheck {
  const errors = [{ field: 'flow', message }]
  return { schema: { ok: false, errors }, lint: { errors: [], warnings: [], advice: [] } }
}

const fence = '```'

/** Removes a code fence around the answer, with the language name on its first line. */
function stripFence(content: string): string {
  const text = content.trim()
  if (!text.startsWith(fence) || !text.endsWith(fence) || !text.includes('\n')) return text
  return text.slice(text.indexOf('\n'), -fence.length)
}

function parseAnswer(
  content: string,
): { readonly flow: unknown; readonly notes?: string } | { readonly problem: string } {
  const read = readJson(Buffer.from(stripFence(content)))
  if ('problem' in read) return { problem: `The answer ${read.problem.message}` }
  const { flow, notes } = (read.value ?? {}) as { flow?: unknown; notes?: unknown }
  if (flow === undefined) return { problem: 'The answer holds no member "flow"' }
  return { flow, ...(typeof notes === 'string' && { notes: notes.slice(0, limits.notesChars) }) }
}
