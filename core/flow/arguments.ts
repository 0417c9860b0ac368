/** The arguments of an action: those that its step gives, or those that its tool takes from the slots. */
import type { AnyFlow, AnyStep } from '../agent/flows/steps.js'
import { findItem } from '../agent/index.js'
import { findInCatalog } from '../catalogs/index.js'
import { isRecord } from '../json.js'
import { flow as limits, tools } from '../limits/index.js'
import { catalogToolPrefix, integrationPrefix } from '../tools/builtin.js'
import type { FlowFrame } from './contract.js'
import { createNameReader } from './names.js'
import { dataOfValue, textOfValue } from './slots/reader.js'
import { isTimeslot } from './slots/timeslot.js'
import { readableName } from './slots/words.js'
import { fillArguments } from './texts.js'
import { flowOf, topOf, type Walk } from './walk.js'

type Arguments = Readonly<Record<string, unknown>>

export function argumentsOf(walk: Walk, { with: given }: Pick<AnyStep, 'with'>, toolName: string): Arguments {
  const frame = topOf(walk)
  const flow = flowOf(walk, frame)
  if (!flow) return {}
  return given
    ? shaped(toolName, fillArguments(given, createNameReader(frame, walk.environment)))
    : defaultArguments(walk, flow, frame, toolName)
}

/** Steps name fields of a person, and what the team should know, without the member that holds them. */
function shaped(toolName: string, values: Arguments): Arguments {
  if (toolName === 'people.save' && !isRecord(values.fields)) return { fields: values }
  if (toolName === 'notify.team' && typeof values.text !== 'string') return { text: summaryOf(Object.entries(values)) }
  if (toolName === 'knowledge.search' && typeof values.query !== 'string') return { query: firstText(values) }
  return values
}

function defaultArguments(walk: Walk, flow: AnyFlow, frame: FlowFrame, toolName: string): Arguments {
  switch (toolName) {
    case 'scheduling.book':
    case 'scheduling.reschedule':
      return newestTime(frame, toolName === 'scheduling.book')
    case 'scheduling.availability':
    case 'scheduling.cancel':
      return {}
    case 'people.save':
      return { fields: boundValues(flow, frame) }
    case 'notify.team':
      return { text: summaryOf(Object.entries(frame.slots).map(([name, value]) => [name, textOfValue(value)])) }
    case 'knowledge.search':
      return { query: firstText(Object.fromEntries(Object.entries(frame.slots).reverse())) }
    default:
      return slotsByName(frame, parameterNames(walk, toolName))
  }
}

function newestTime({ slots }: FlowFrame, withDuration: boolean): Arguments {
  const value = Object.values(slots).findLast(isTimeslot)
  if (!value) return {}
  const { start, representativeId, durationMinutes } = value
  return {
    start,
    ...(representativeId !== undefined && { representativeId }),
    ...(withDuration && durationMinutes !== undefined && { durationMinutes }),
  }
}

const personPrefix = 'person.'

function boundValues({ slots = [] }: AnyFlow, frame: FlowFrame): Arguments {
  const fields = slots.flatMap(({ name, bind }) => {
    const value = Object.hasOwn(frame.slots, name) ? frame.slots[name] : undefined
    if (value === undefined || !bind?.startsWith(personPrefix)) return []
    return [[bind.slice(personPrefix.length), dataOfValue(value)] as const]
  })
  return Object.fromEntries(fields)
}

function summaryOf(members: readonly (readonly [string, unknown])[]): string {
  const lines = members.map(([name, value]) => {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
    return `${capitalize(readableName(name))}: ${text}`
  })
  return lines.join('\n').slice(0, tools.notifyChars)
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function firstText(values: Arguments): string {
  const text = Object.values(values).find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof text === 'string' ? text.slice(0, limits.queryChars) : ''
}

/** Of a tool that declares its parameters, those that slots have the names of. */
function slotsByName({ slots }: FlowFrame, names: readonly string[]): Arguments {
  const known = names.filter((name) => Object.hasOwn(slots, name))
  return Object.fromEntries(known.map((name) => [name, dataOfValue(slots[name]!)]))
}

function parameterNames({ environment: { document } }: Walk, toolName: string): readonly string[] {
  const parameters = toolName.startsWith(integrationPrefix)
    ? findItem(document, 'integrations', toolName.slice(integrationPrefix.length))?.parameters
    : findInCatalog('tools', toolName.slice(catalogToolPrefix.length))?.parameters
  const properties = isRecord(parameters) ? parameters.properties : undefined
  return isRecord(properties) ? Object.keys(properties) : []
}
