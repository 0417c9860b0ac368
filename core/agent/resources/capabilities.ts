/** Schemas of an agent's capabilities: scheduling, notifications, integrations, tools, fields of people. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits/index.js'
import {
  anyObject,
  clock,
  closedObject,
  day,
  email,
  endClock,
  key,
  matching,
  nonEmptyText,
  optional,
  orNull,
  qualifiedId,
  slug,
  text,
  webUrl,
} from './schemas.js'

const limits = agentLimits.scheduling
const timezone = nonEmptyText(64)

export const SchedulingWindow = closedObject('SchedulingWindow', {
  dayOfWeek: Type.Integer({ minimum: 0, maximum: 6, description: 'Sunday is 0.' }),
  startTime: clock,
  endTime: endClock,
})
export type SchedulingWindow = Static<typeof SchedulingWindow>
const windows = Type.Array(SchedulingWindow, { maxItems: limits.windows })

export const Representative = closedObject('SchedulingRepresentative', {
  id: matching('^[A-Za-z0-9][A-Za-z0-9_.:-]*$', 'must hold letters, digits and . _ : - only', 200),
  name: nonEmptyText(limits.nameChars),
  title: optional(text(limits.titleChars)),
  phone: optional(text(agentLimits.phoneChars)),
  email: optional(email),
  type: optional(text(limits.typeChars, { description: 'Is sales where it is left out.' })),
  availability: optional(
    closedObject('RepresentativeAvailability', { timezone: optional(timezone), workingHours: optional(windows) }),
  ),
  /** State of the account: accepted in a body and ignored. */
  calendar: optional(Type.Unsafe<unknown>({})),
  calendarLink: optional(Type.Unsafe<unknown>({})),
})
export type Representative = Static<typeof Representative>

const scheduling = {
  timezone: optional(timezone),
  availableHours: optional(windows),
  blackoutDates: optional(Type.Array(day, { maxItems: limits.blackoutDates })),
  disallowSameDayBooking: optional(Type.Boolean()),
  defaultDurationMinutes: optional(
    Type.Integer({ minimum: limits.durationMinMinutes, maximum: limits.durationMaxMinutes }),
  ),
  notificationRecipients: optional(Type.Array(email, { maxItems: limits.recipients })),
  reminders: optional(
    closedObject('SchedulingReminders', {
      enabled: optional(Type.Boolean()),
      leadMinutes: optional(Type.Integer({ minimum: limits.leadMinMinutes, maximum: limits.leadMaxMinutes })),
      includeContactCard: optional(Type.Boolean()),
      ignoreSafeHours: optional(Type.Boolean()),
      playbookId: optional(slug),
    }),
  ),
  defaultRepresentativeIdentity: optional(text(limits.nameChars)),
}
const representatives = Type.Array(Representative, { maxItems: limits.representatives })
export const Scheduling = closedObject('SchedulingConfig', { ...scheduling, representatives })
export type Scheduling = Static<typeof Scheduling>
export const SchedulingBody = closedObject('SchedulingConfigBody', {
  ...scheduling,
  representatives: optional(representatives),
})
export type SchedulingBody = Static<typeof SchedulingBody>

const notificationLimits = agentLimits.notifications
const notifications = {
  operator: optional(
    closedObject('OperatorNotifications', { provider: Type.Enum(['slack', 'email']), toAddress: optional(email) }),
  ),
  email: optional(
    closedObject('EmailNotifications', {
      provider: Type.Enum(['sendgrid', 'mailgun']),
      fromAddress: email,
      fromName: optional(text(notificationLimits.nameChars)),
      mailgunDomain: optional(text(notificationLimits.domainChars)),
    }),
  ),
}
export const Notifications = closedObject('NotificationsConfig', notifications)
export type Notifications = Static<typeof Notifications>

export const notificationSecrets = ['slackWebhookUrl', 'emailApiKey'] as const
export type NotificationSecret = (typeof notificationSecrets)[number]
const secret = orNull(nonEmptyText(notificationLimits.secretChars))
const SecretState = closedObject('SecretState', { set: Type.Boolean(), last4: optional(Type.String()) })

/** Text stores a secret, null clears it; an absent secret stays. */
export const NotificationsBody = closedObject('NotificationsConfigBody', {
  ...notifications,
  slackWebhookUrl: optional(orNull(webUrl(notificationLimits.secretChars, { writeOnly: true }))),
  emailApiKey: optional(Type.Unsafe<string | null>({ ...secret, writeOnly: true })),
  /** Accepted so that a read can be sent back. */
  secrets: optional(anyObject({ readOnly: true })),
})
export type NotificationsBody = Static<typeof NotificationsBody>
export const NotificationsView = closedObject('NotificationsConfigView', {
  ...notifications,
  secrets: closedObject('NotificationSecrets', { slackWebhookUrl: SecretState, emailApiKey: SecretState }),
})

const integrationLimits = agentLimits.integrations
export const integrationIdPattern = '^[A-Za-z0-9_-]+$'
const integrationId = matching(
  integrationIdPattern,
  'must hold letters, digits, underscores and hyphens only',
  integrationLimits.idChars,
)
const integration = {
  name: optional(text(integrationLimits.nameChars)),
  description: nonEmptyText(integrationLimits.descriptionChars),
  parameters: optional(anyObject()),
  endpoint: closedObject('IntegrationEndpoint', {
    url: webUrl(agentLimits.urlChars),
    method: optional(Type.Enum(['POST', 'PUT', 'PATCH'])),
  }),
}
export const Integration = closedObject('IntegrationDef', { ...integration, id: integrationId })
export type Integration = Static<typeof Integration>
export const IntegrationView = closedObject('IntegrationView', { ...integration, id: integrationId, auth: SecretState })
export const IntegrationBody = closedObject('IntegrationBody', {
  ...integration,
  id: optional(integrationId),
  authHeader: optional(
    Type.Unsafe<string | null>({ ...orNull(nonEmptyText(integrationLimits.authChars)), writeOnly: true }),
  ),
  /** Accepted so that a read can be sent back; a credential in here is refused. */
  auth: optional(
    closedObject('IntegrationAuthRead', { set: Type.Boolean(), last4: optional(text(4)) }, { readOnly: true }),
  ),
})
export type IntegrationBody = Static<typeof IntegrationBody>

/** The config is validated by the schema of its tool; its write-only fields are stored apart. */
export const ToolBinding = closedObject('ToolBinding', {
  toolId: qualifiedId,
  config: anyObject(),
  enabled: optional(Type.Boolean()),
})
export type ToolBinding = Static<typeof ToolBinding>

const people = agentLimits.people
export const PeopleField = closedObject('PeopleField', {
  key: key(people.keyChars),
  label: nonEmptyText(people.labelChars),
  type: Type.Enum(['string', 'number', 'boolean', 'date']),
  locked: optional(Type.Boolean()),
})
export type PeopleField = Static<typeof PeopleField>
export const PeopleFieldsBody = closedObject('PeopleFieldsBody', {
  fields: Type.Array(PeopleField, { maxItems: people.fields }),
})

const segment = {
  name: nonEmptyText(people.labelChars),
  filter: anyObject({ description: 'Filters of the list of people.' }),
}
export const Segment = closedObject('PeopleSegment', { id: slug, ...segment })
export type Segment = Static<typeof Segment>
export const SegmentBody = closedObject('PeopleSegmentBody', { id: optional(slug), ...segment })
export type SegmentBody = Static<typeof SegmentBody>
export const SegmentPatch = closedObject('PeopleSegmentPatch', {
  name: optional(segment.name),
  filter: optional(segment.filter),
})
export type SegmentPatch = Static<typeof SegmentPatch>
