/**
 * Writes of scheduling, notifications and integrations: each is replaced as a whole, secrets are returned beside the
 * document.
 */
import { type FieldError, invalid, type Refusal, refuse } from '../errors.js'
import { agentLimits as limits } from '../limits/index.js'
import { isTimeZone } from '../zones.js'
import { type AgentDocument, findItem, withItem, withoutItem, withSection } from './document.js'
import { invalidFields, type Outcome, schemaError, withoutUndefined } from './outcome.js'
import {
  type Integration,
  IntegrationBody,
  type NotificationSecret,
  type Notifications,
  NotificationsBody,
  notificationSecrets,
  SchedulingBody,
  type SchedulingWindow,
} from './resources/capabilities.js'

/** PUT: removes what the body leaves out. A calendar link is state of the account and is never stored from a body. */
export function replaceScheduling(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(SchedulingBody, body, 'scheduling')
  if (error) return error
  const input = body as SchedulingBody
  const { representatives = [], ...rest } = input
  const faults = [...zoneFaults(input), ...windowFaults(input), ...dayFaults(rest.blackoutDates)]
  const reply = rest.reminders?.playbookId
  if (reply !== undefined && !findItem(document, 'playbooks', reply)) {
    faults.push({ field: 'scheduling.reminders.playbookId', message: `There is no playbook ${reply}` })
  }
  if (faults.length > 0) return invalidFields(faults)
  const normalizedRepresentatives = representatives.map(
    ({ calendar: _calendar, calendarLink: _link, type = 'sales', ...each }) => ({
      ...each,
      type,
    }),
  )
  return withSection(document, 'scheduling', withoutUndefined({ ...rest, representatives: normalizedRepresentatives }))
}

function zoneFaults({ timezone, representatives = [] }: SchedulingBody): FieldError[] {
  const zones: [string, string | undefined][] = [
    ['scheduling.timezone', timezone],
    ...representatives.map(({ availability }, index): [string, string | undefined] => [
      `scheduling.representatives[${index}].availability.timezone`,
      availability?.timezone,
    ]),
  ]
  return zones.flatMap(([field, zone]) =>
    zone === undefined || isTimeZone(zone)
      ? []
      : [{ field, message: 'must be an IANA time zone, such as Europe/Paris' }],
  )
}

function windowFaults({ availableHours, representatives = [] }: SchedulingBody): FieldError[] {
  const lists: [string, readonly SchedulingWindow[] | undefined][] = [
    ['scheduling.availableHours', availableHours],
    ...representatives.map(({ availability }, index): [string, readonly SchedulingWindow[] | undefined] => [
      `scheduling.representatives[${index}].availability.workingHours`,
      availability?.workingHours,
    ]),
  ]
  return lists.flatMap(([at, windows = []]) =>
    windows.flatMap(({ startTime, endTime }, index) =>
      endTime > startTime ? [] : [{ field: `${at}[${index}].endTime`, message: 'must be later than startTime' }],
    ),
  )
}

const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function dayFaults(days: readonly string[] = []): FieldError[] {
  return days.flatMap((day, index) => {
    const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
    const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
    const isDay = date <= monthDays[month - 1]! && (month !== 2 || date < 29 || isLeap)
    return isDay ? [] : [{ field: `scheduling.blackoutDates[${index}]`, message: 'is a day that does not exist' }]
  })
}

/** The view for reads: `representatives` is always present. */
export function schedulingView({ scheduling }: AgentDocument) {
  return scheduling ?? { representatives: [] }
}

/** Text stores a secret, null clears it; a secret that does not change is absent. */
export type SecretChanges<N extends string = string> = { readonly [K in N]?: string | null }

export function replaceNotifications(
  document: AgentDocument,
  body: unknown,
): { document: AgentDocument; secrets: SecretChanges<NotificationSecret> } | Refusal {
  const error = schemaError(NotificationsBody, body, 'notifications')
  if (error) return error
  const { operator, email, ...secretInputs } = body as NotificationsBody
  const faults = notificationFaults({ operator, email })
  if (faults.length > 0) return invalidFields(faults)
  const secretNames = notificationSecrets.filter((name) => secretInputs[name] !== undefined)
  const config = withoutUndefined({ operator, email })
  return {
    document: withSection(document, 'notifications', Object.keys(config).length > 0 ? config : undefined),
    secrets: Object.fromEntries(secretNames.map((name) => [name, secretInputs[name] ?? null])),
  }
}

export function notificationFaults({ operator, email }: Notifications): FieldError[] {
  const faults: FieldError[] = []
  if (operator?.provider === 'email' && operator.toAddress === undefined) {
    faults.push({ field: 'notifications.operator.toAddress', message: 'is required for email' })
  }
  if (email?.provider === 'mailgun' && !email.mailgunDomain) {
    faults.push({ field: 'notifications.email.mailgunDomain', message: 'is required for mailgun' })
  }
  return faults
}

export interface IntegrationWrite {
  readonly document: AgentDocument
  readonly isNew: boolean
  /** Absent when the header does not change. */
  readonly authHeader?: string | null
}

/** PUT: creates the integration, or replaces the one with that id. */
export function putIntegration(document: AgentDocument, id: string, body: unknown): IntegrationWrite | Refusal {
  const error = schemaError(IntegrationBody, body, 'integration')
  if (error) return error
  const { authHeader, auth: _read, ...input } = body as IntegrationBody
  if (input.id !== undefined && input.id !== id) return invalid('integration.id', 'must be the id of the path')
  const integration = withIntegrationDefaults({ ...input, id })
  const faults = integrationFaults(integration, 'integration')
  if (faults.length > 0) return invalidFields(faults)
  const isNew = findItem(document, 'integrations', id) === undefined
  const { max } = limits.integrations
  if (isNew && document.integrations.length >= max)
    return invalid('integration.id', `is one more than the ${max} there may be`)
  const changed = withItem(document, 'integrations', integration)
  return { document: changed, isNew, ...(authHeader !== undefined && { authHeader }) }
}

export function integrationFaults({ id, parameters }: Integration, at: string): FieldError[] {
  const faults: FieldError[] = []
  const { idChars, parametersBytes } = limits.integrations
  if (!/^[A-Za-z0-9_-]+$/.test(id) || id.length > idChars) {
    faults.push({ field: `${at}.id`, message: `must have 1 to ${idChars} letters, digits, underscores or hyphens` })
  }
  if (parameters && JSON.stringify(parameters).length > parametersBytes) {
    faults.push({ field: `${at}.parameters`, message: `must take at most ${parametersBytes} bytes` })
  }
  if (parameters?.type !== undefined && parameters.type !== 'object') {
    faults.push({ field: `${at}.parameters.type`, message: 'must be object: arguments have names' })
  }
  return faults
}

/** Does not delete the credential: the caller deletes it from the secret store. */
export function removeIntegration(document: AgentDocument, id: string): Outcome {
  return findItem(document, 'integrations', id) ? withoutItem(document, 'integrations', id) : refuse('tool.not_found')
}

/** An integration as it is stored, with defaults filled in. */
export function withIntegrationDefaults({ id, name, description, parameters, endpoint }: Integration): Integration {
  const { url, method = 'POST' } = endpoint
  return { id, name: name || id, description, parameters: parameters ?? {}, endpoint: { url, method } }
}
