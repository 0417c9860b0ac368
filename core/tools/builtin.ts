/** The built-in tools: their names, the capability that offers them, their kind, and the schema of their arguments. */
import type { ToolKind } from './contract.js'

export interface BuiltInTool {
  readonly name: string
  /** The capability that a playbook's uses must have; absent: every playbook has the tool. */
  readonly capability?: 'scheduling' | 'people' | 'notify'
  readonly kind: ToolKind
  readonly description: string
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>
}

const text = (maxLength: number, description: string) => ({ type: 'string', minLength: 1, maxLength, description })
const moment = (description: string) => ({ type: 'string', format: 'date-time', maxLength: 40, description })
const closed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const duration = { type: 'integer', minimum: 5, maximum: 1_440, description: 'Minutes; the agent’s own by default.' }
const representative = text(200, 'Id of the representative; any by default.')
const appointment = text(100, 'Id of the appointment; needed when the person has several ahead.')

export const builtInTools: readonly BuiltInTool[] = [
  {
    name: 'knowledge.search',
    kind: 'read',
    description: 'Finds what is known about a question: facts, things, and passages of sources.',
    parameters: closed({ query: text(500, 'The question, in a few words.') }, ['query']),
  },
  {
    name: 'scheduling.availability',
    capability: 'scheduling',
    kind: 'read',
    description: 'Lists free times for an appointment.',
    parameters: closed({
      from: { type: 'string', format: 'date', description: 'The first day, in the person’s zone; today by default.' },
      to: { type: 'string', format: 'date', description: 'The last day.' },
      partOfDay: { type: 'string', enum: ['morning', 'afternoon', 'evening'] },
      durationMinutes: duration,
      representativeId: representative,
    }),
  },
  {
    name: 'scheduling.book',
    capability: 'scheduling',
    kind: 'inside',
    description: 'Books an appointment at a free time.',
    parameters: closed(
      {
        start: moment('When it begins, with its offset.'),
        durationMinutes: duration,
        representativeId: representative,
        notes: text(2_000, 'What it is about.'),
      },
      ['start'],
    ),
  },
  {
    name: 'scheduling.reschedule',
    capability: 'scheduling',
    kind: 'inside',
    description: 'Moves an appointment to another free time.',
    parameters: closed(
      {
        appointmentId: appointment,
        start: moment('When it begins now, with its offset.'),
        representativeId: representative,
        reason: text(500, 'Why.'),
      },
      ['start'],
    ),
  },
  {
    name: 'scheduling.cancel',
    capability: 'scheduling',
    kind: 'inside',
    description: 'Cancels an appointment.',
    parameters: closed({ appointmentId: appointment, reason: text(500, 'Why.') }),
  },
  {
    name: 'people.save',
    capability: 'people',
    kind: 'inside',
    description: 'Saves fields of the person, by name: firstName, email, customFields.<key> and so on.',
    parameters: closed(
      {
        fields: {
          type: 'object',
          maxProperties: 50,
          additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 4_000 },
        },
      },
      ['fields'],
    ),
  },
  {
    name: 'notify.team',
    capability: 'notify',
    kind: 'outside',
    description: 'Alerts the team.',
    parameters: closed({ text: text(2_000, 'What the team should know.') }, ['text']),
  },
]

const byName = new Map(builtInTools.map((tool) => [tool.name, tool]))

export function builtInTool(name: string): BuiltInTool | undefined {
  return byName.get(name)
}

export const integrationPrefix = 'integration:'
export const catalogToolPrefix = 'tool:'

export function kindOfTool(name: string): ToolKind {
  return builtInTool(name)?.kind ?? 'outside'
}
