/** Schemas of campaign requests and lists. */
import Type from 'typebox'
import { recipientStates } from '../../core/campaign/recipient.js'
import { campaignStatuses } from '../../core/campaign/status.js'
import { CampaignRecipient, CampaignView, recipientIdPattern } from '../../core/campaign/view.js'
import { campaign as limits, page } from '../../core/limits/index.js'
import type { CampaignId } from './load.js'

export const routeDefaults = { plane: 'mgmt', tag: 'Campaigns' } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const closed = { additionalProperties: false } as const
const optional = Type.Optional
const limit = optional(Type.Integer({ minimum: 1, maximum: page.maxRows, default: page.defaultRows }))

export const CampaignQuery = Type.Object(
  {
    status: optional(Type.Enum([...campaignStatuses])),
    limit,
    pageToken: optional(Type.String({ minLength: 1, maxLength: page.tokenChars })),
  },
  closed,
)
export const CampaignList = Type.Object(
  { data: Type.Array(CampaignView), nextPageToken: optional(Type.String()) },
  { ...closed, title: 'CampaignList' },
)

export const RecipientQuery = Type.Object(
  {
    state: optional(Type.Enum([...recipientStates])),
    startingAfter: optional(Type.String({ pattern: recipientIdPattern, description: 'The id of a recipient.' })),
    limit,
  },
  closed,
)
export const RecipientList = Type.Object(
  { data: Type.Array(CampaignRecipient), hasMore: Type.Boolean() },
  { ...closed, title: 'CampaignRecipientList' },
)

export const PreviewQuery = Type.Object(
  {
    personId: Type.String({
      minLength: 1,
      maxLength: limits.personIdChars,
      description: 'Any person of the agent; in a test campaign, a persona.',
    }),
  },
  closed,
)
export const ExportQuery = Type.Object({ state: optional(Type.Enum([...recipientStates])) }, closed)

export const collectionPath = '/orgs/{org}/agents/{agent}/campaigns'
export const itemPath = `${collectionPath}/{campaignId}` as const

export type ItemParams = { readonly org: string; readonly agent: string; readonly campaignId: string }

export function campaignIdOf({ org: orgId, agent: agentId, campaignId }: ItemParams): CampaignId {
  return { orgId, agentId, campaignId }
}
