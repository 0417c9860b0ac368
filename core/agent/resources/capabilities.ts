/** What an agent can do beyond talking: scheduling, notifications, integrations, tools, fields of people. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits.js'
import {
  anyObject,
  clock,
  closed,
  day,
  email,
  endClock,
  key,
  matching,
  optional,
  orNull,
  qualifiedId,
  slug,
  text,
  webUrl,
  words,
} from './words.js'

const limits = agentLimits.scheduling
const timezone = words(64)

export const SchedulingWindow = closed('SchedulingWindow', {
  dayOfWeek: Type.Integer({ minimum: 0, maximum: 6, description: 'Sunday is 0.' }),
  startTime: clock,
  endTime: endClock,
})
export type SchedulingWindow = Static<typeof SchedulingWindow>
const windows = Type.Array(SchedulingWindow, { maxItems: limits.windows })

export const Representative = closed('SchedulingRepresentative', {
  id: matching('^[A-Za-z0-9][A-Za-z0-9_.:-]*$', 'must hold letters, digits and . _ : - only', 200),
  name: words(limits.nameChars),
  title: optional(text(limits.titleChars)),
  phone: optional(text(agentLimits.phoneChars)),
  email: optional(email),
  type: optional(text(limits.typeChars, { description: 'Is sales where it is left out.' })),
  availability: optional(
    closed('RepresentativeAvailability', { timezone: optional(timezone), workingHours: optional(windows) }),
  ),
  /** State of the account: whatever is sent does not count. */
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
    Type.Integer({ minimum: limits.durationLeastMinutes, maximum: limits.durationMostMinutes }),
  ),
  notificationRecipients: optional(Type.Array(email, { maxItems: limits.recipients })),
  reminders: optional(
    closed('SchedulingReminders', {
      enabled: optional(Type.Boolean()),
      leadMinutes: optional(Type.Integer({ minimum: limits.leadLeastMinutes, maximum: limits.leadMostMinutes })),
      includeContactCard: optional(Type.Boolean()),
      ignoreSafeHours: optional(Type.Boolean()),
      playbookId: optional(slug),
    }),
  ),
  defaultRepresentativeIdentity: optional(text(limits.nameChars)),
}
const representatives = Type.Array(Representative, { maxItems: limits.representatives })
export const Scheduling = closed('SchedulingConfig', { ...scheduling, representatives })
export type Scheduling = Static<typeof Scheduling>
export const SchedulingBody = closed('SchedulingConfigBody', {
  ...scheduling,
  representatives: optional(representatives),
})
export type SchedulingBody = Static<typeof SchedulingBody>

const news = agentLimits.notifications
const notifications = {
  operator: optional(
    closed('OperatorNotifications', { provider: Type.Enum(['slack', 'email']), toAddress: optional(email) }),
  ),
  email: optional(
    closed('EmailNotifications', {
      provider: Type.Enum(['sendgrid', 'mailgun']),
      fromAddress: email,
      fromName: optional(text(news.nameChars)),
      mailgunDomain: optional(text(news.domainChars)),
    }),
  ),
}
export const Notifications = closed('NotificationsConfig', notifications)
export type Notifications = Static<typeof Notifications>

export const notificationSecrets = ['slackWebhookUrl', 'emailApiKey'] as const
export type NotificationSecret = (typeof notificationSecrets)[number]
const secret = orNull(words(news.secretChars))
const SecretState = closed('SecretState', { set: Type.Boolean(), last4: optional(Type.String()) })

/** Text stores a secret, null clears it, and one that is left out stays. */
export const NotificationsBody = closed('NotificationsConfigBody', {
  ...notifications,
  slackWebhookUrl: optional(orNull(webUrl(news.secretChars, { writeOnly: true }))),
  emailApiKey: optional(Type.Unsafe<string | null>({ ...secret, writeOnly: true })),
  /** A read, sent back as it was. */
  secrets: optional(anyObject({ readOnly: true })),
})
export type NotificationsBody = Static<typeof NotificationsBody>
export const NotificationsView = closed('NotificationsConfigView', {
  ...notifications,
  secrets: closed('NotificationSecrets', { slackWebhookUrl: SecretState, emailApiKey: SecretState }),
})

const custom = agentLimits.integrations
export const integrationIdPattern = '^[A-Za-z0-9_-]+$'
const integrationId = matching(
  integrationIdPattern,
  'must hold letters, digits, underscores and hyphens only',
  custom.idChars,
)
const integration = {
  name: optional(text(custom.nameChars)),
  description: words(custom.descriptionChars),
  parameters: optional(anyObject()),
  endpoint: closed('IntegrationEndpoint', {
    url: webUrl(agentLimits.urlChars),
    method: optional(Type.Enum(['POST', 'PUT', 'PATCH'])),
  }),
}
export const Integration = closed('IntegrationDef', { ...integration, id: integrationId })
export type Integration = Static<typeof Integration>
export const IntegrationView = closed('IntegrationView', { ...integration, id: integrationId, auth: SecretState })
export const IntegrationBody = closed('IntegrationBody', {
  ...integration,
  id: optional(integrationId),
  authHeader: optional(Type.Unsafe<string | null>({ ...orNull(words(custom.authChars)), writeOnly: true })),
  /** A read, sent back as it was; a credential in here is refused. */
  auth: optional(closed('IntegrationAuthRead', { set: Type.Boolean(), last4: optional(text(4)) }, { readOnly: true })),
})
export type IntegrationBody = Static<typeof IntegrationBody>

/** The config is held to the schema of its tool; its write-only fields are kept apart. */
export const ToolBinding = closed('ToolBinding', {
  toolId: qualifiedId,
  config: anyObject(),
  enabled: optional(Type.Boolean()),
})
export type ToolBinding = Static<typeof ToolBinding>

const people = agentLimits.people
export const PeopleField = closed('PeopleField', {
  key: key(people.keyChars),
  label: words(people.labelChars),
  type: Type.Enum(['string', 'number', 'boolean', 'date']),
  locked: optional(Type.Boolean()),
})
export type PeopleField = Static<typeof PeopleField>
export const PeopleFieldsBody = closed('PeopleFieldsBody', {
  fields: Type.Array(PeopleField, { maxItems: people.fields }),
})

const segment = { name: words(people.labelChars), filter: anyObject({ description: 'Filters of the list of people.' }) }
export const Segment = closed('PeopleSegment', { id: slug, ...segment })
export type Segment = Static<typeof Segment>
export const SegmentBody = closed('PeopleSegmentBody', { id: optional(slug), ...segment })
export type SegmentBody = Static<typeof SegmentBody>
export const SegmentPatch = closed('PeopleSegmentPatch', {
  name: optional(segment.name),
  filter: optional(segment.filter),
})
export type SegmentPatch = Static<typeof SegmentPatch>
