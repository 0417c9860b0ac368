/** The events an org webhook can subscribe to, each with the sentence that tells an operator when it happens. */

export const orgEvents = {
  'agent.created': 'An agent was created in the org.',
  'agent.updated': 'The configuration of an agent changed.',
  'agent.deleted': 'An agent was deleted.',
  'channel.status_changed': 'A channel binding moved to another status.',
  'send.state_changed': 'A send moved to another state.',
  'campaign.status_changed': 'A campaign moved to another status.',
  'test.run_completed': 'A test run came to its end.',
  'person.opted_out': 'A person asked to hear no more on a channel.',
  'person.opted_in': 'A person who had opted out wants to hear from the agent again.',
  'api_key.created': 'An API key was created.',
  'api_key.revoked': 'An API key was revoked.',
  'connection.status_changed': 'A connection to an outside system moved to another status.',
} as const satisfies Record<string, string>

export type OrgEventName = keyof typeof orgEvents

export const orgEventNames = Object.keys(orgEvents) as OrgEventName[]

/** An event of an org, from any module, for the org's webhooks. */
export interface OrgEventPayload {
  readonly type: OrgEventName
  readonly orgId: string
  readonly agentId?: string
  readonly data: Readonly<Record<string, unknown>>
}
