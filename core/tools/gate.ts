/** The gate before every call of a tool: may this playbook make it, now and with these arguments? */
import { type AgentDocument, findItem, type Item } from '../agent/index.js'
import { findInCatalog } from '../catalogs/index.js'
import { argumentProblem } from './arguments.js'
import { bindingProblem } from './availability.js'
import { builtInTool, catalogToolPrefix, integrationPrefix } from './builtin.js'
import { configProblem } from './configrules.js'
import type { ToolCall } from './contract.js'

export interface GateQuestion {
  readonly document: AgentDocument
  readonly playbookId: string
  readonly call: ToolCall
  /** Reasons by catalog tool id, and by `notify.team`. */
  readonly unavailableTools: Readonly<Record<string, string>>
}

/** A sentence that says what is missing; undefined for a call that may be made. The same for flows and models. */
export function refusalOf(question: GateQuestion): string | undefined {
  const { document, playbookId, call } = question
  const playbook = findItem(document, 'playbooks', playbookId)
  if (!playbook) return `There is no playbook ${playbookId}.`
  const { name } = call
  if (name.startsWith(integrationPrefix)) return integrationRefusal(question, playbook)
  if (name.startsWith(catalogToolPrefix)) return catalogRefusal(question, playbook)
  const tool = builtInTool(name)
  if (!tool) return `There is no tool ${name}.`
  const { capability, parameters } = tool
  if (capability !== undefined && !playbook.uses.includes(capability)) return notUsed(playbook, capability)
  return setupProblem(question, capability) ?? argumentProblem(parameters, call.arguments)
}

type Playbook = Item<'playbooks'>

function notUsed({ name }: Playbook, what: string): string {
  return `The playbook ${name} does not use ${what}.`
}

function setupProblem({ document, unavailableTools }: GateQuestion, capability?: string): string | undefined {
  if (capability === 'scheduling' && !document.scheduling) return 'Scheduling is not set up for the agent.'
  if (capability !== 'notify') return undefined
  return document.notifications?.operator
    ? unavailableTools['notify.team']
    : 'Notifications to the team are not set up for the agent.'
}

function integrationRefusal({ document, call }: GateQuestion, playbook: Playbook): string | undefined {
  const id = call.name.slice(integrationPrefix.length)
  const integration = findItem(document, 'integrations', id)
  if (!integration) return `There is no integration ${id}.`
  if (!playbook.uses.includes(call.name)) return notUsed(playbook, call.name)
  return argumentProblem(integration.parameters ?? {}, call.arguments)
}

function catalogRefusal({ document, call, unavailableTools }: GateQuestion, playbook: Playbook): string | undefined {
  const toolId = call.name.slice(catalogToolPrefix.length)
  const tool = findInCatalog('tools', toolId)
  if (!tool) return `The catalog has no tool ${toolId}.`
  if (!playbook.toolRefs?.includes(toolId)) return notUsed(playbook, tool.name)
  return (
    bindingProblem(document, toolId) ??
    unavailableTools[toolId] ??
    argumentProblem(tool.parameters, call.arguments) ??
    configProblem(toolId, call.arguments, findItem(document, 'toolBindings', toolId)!.config)
  )
}
