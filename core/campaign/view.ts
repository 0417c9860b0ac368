/** Campaigns, their recipients and their reports as callers read them. */

import Type, { type Static } from 'typebox'
import { anyObject, closedObject, optional } from '../agent/resources/schemas.js'
import type { ContentMessage } from '../amf/index.js'
import { channelNames } from '../channelnames.js'
import { sendReasons } from '../outreach/send.js'
import { SendingHours } from '../outreach/settings.js'
import { describePattern } from '../patterndescriptions.js'
import type { Person } from '../people/person.js'
import { type Campaign, includesContacted, isTest } from './campaign.js'
import type { Eligibility } from './eligibility.js'
import { exclusions, type Recipient, type RecipientState, type RecipientStatus, recipientStates } from './recipient.js'
import { campaignStatuses } from './status.js'

const moment = Type.String({ format: 'date-time' })
const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const reason = Type.Enum([...sendReasons, 'previously_contacted', 'in-conversation'])

function each<N extends string, S extends ReturnType<typeof Type.Integer>>(names: readonly N[], schema: S) {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<N, S>
}

export const CampaignCounts = closedObject('CampaignCounts', {
  total: count,
  sendable: count,
  exclusions: closedObject('CampaignExclusions', each(exclusions, count)),
})

export const CampaignView = closedObject('Campaign', {
  id: text,
  name: text,
  outreachId: text,
  audience: closedObject('CampaignAudienceRead', {
    segmentId: optional(text),
    filter: optional(anyObject()),
    importBatchId: optional(text),
    personIds: optional(Type.Array(text, { description: 'Where one campaign is read; elsewhere their number only.' })),
    personCount: optional(count),
    personaIds: optional(Type.Array(text)),
  }),
  includePreviouslyContacted: Type.Boolean({ description: 'As it is in force.' }),
  sendWindow: optional(SendingHours),
  status: Type.Enum([...campaignStatuses]),
  failReason: optional(Type.Enum([...sendReasons])),
  test: Type.Boolean({ description: 'A test, sent to personas.' }),
  counts: optional(CampaignCounts),
  createdAt: moment,
  updatedAt: moment,
  stagedAt: optional(moment),
  startedAt: optional(moment),
  endedAt: optional(moment),
  waitsUntil: optional(Type.String({ format: 'date-time', description: 'Its hours are closed, and open then.' })),
  holdReason: optional(
    Type.Enum(['binding'], {
      description: 'It waits although it runs: its binding carries nothing before its operator has seen to it.',
    }),
  ),
})
export type CampaignView = Static<typeof CampaignView>

const iso = (at: number) => new Date(at).toISOString()
const moments = ['createdAt', 'updatedAt', 'stagedAt', 'startedAt', 'endedAt'] as const

export interface CampaignViewContext {
  readonly outreachClass?: 'marketing' | 'service'
  readonly personIds?: readonly string[]
  readonly waitsUntil?: number
  readonly holdReason?: 'binding'
}

export function campaignView(campaign: Campaign, context: CampaignViewContext): CampaignView {
  const { outreachClass, personIds, waitsUntil, holdReason } = context
  const { id, name, outreachId, sendWindow, status, failReason, counts } = campaign
  const times = moments.flatMap((each) => (campaign[each] === undefined ? [] : [[each, iso(campaign[each]!)]]))
  return {
    id,
    name,
    outreachId,
    audience: audienceView(campaign.audience, personIds),
    includePreviouslyContacted: includesContacted(campaign, outreachClass),
    ...(sendWindow && { sendWindow }),
    status,
    ...(failReason && { failReason }),
    test: isTest(campaign),
    ...(counts && { counts }),
    ...(Object.fromEntries(times) as Pick<CampaignView, 'createdAt' | 'updatedAt'>),
    ...(waitsUntil !== undefined && { waitsUntil: iso(waitsUntil) }),
    ...(holdReason && { holdReason }),
  }
}

function audienceView(audience: Campaign['audience'], personIds?: readonly string[]): CampaignView['audience'] {
  switch (audience.kind) {
    case 'segment':
      return { segmentId: audience.segmentId }
    case 'filter':
      return { filter: audience.filter }
    case 'importBatch':
      return { importBatchId: audience.importBatchId }
    case 'personas':
      return { personaIds: [...audience.personaIds] }
    case 'people':
      return { ...(personIds && { personIds: [...personIds] }), personCount: audience.personCount }
  }
}

export const CampaignPreview = closedObject('CampaignPreview', {
  personId: Type.String({ description: 'In a test campaign, the persona.' }),
  channel: optional(Type.Enum([...channelNames])),
  asid: optional(text),
  exclusion: optional(Type.Enum([...exclusions], { description: 'Why they would be left out.' })),
  detail: optional(text),
  text: optional(Type.String({ description: 'What the opening says, without what can be tapped.' })),
  message: optional(anyObject({ description: 'The opening in AMF.' })),
})
export type CampaignPreview = Static<typeof CampaignPreview>

/** A sandbox preview shows no identity: a persona's is not real. */
export function previewOf(person: Person, eligibility: Eligibility, personaId?: string): CampaignPreview {
  const { exclusion, detail, opener } = eligibility
  const identity = personaId === undefined ? eligibility.identity : undefined
  const message: ContentMessage | undefined = opener && 'message' in opener ? opener.message : undefined
  return {
    personId: personaId ?? person.id,
    ...(identity && { channel: identity.channel, asid: identity.asid }),
    ...(exclusion && { exclusion }),
    ...(detail !== undefined && { detail }),
    ...(message && { text: textOf(message), message: message as unknown as Record<string, unknown> }),
  }
}

function textOf({ parts }: ContentMessage): string {
  const texts = parts.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
  return texts.join('\n')
}

export const CampaignStaged = closedObject('CampaignStaged', {
  id: text,
  status: Type.Enum([...campaignStatuses]),
  stagedAt: moment,
  counts: CampaignCounts,
  durationEstimate: Type.Array(
    closedObject('CampaignDuration', {
      provider: text,
      channel: Type.Enum([...channelNames]),
      recipients: count,
      perSecond: optional(Type.Number()),
      seconds: optional(Type.Integer({ minimum: 0, description: 'Without a rate, as long as the provider takes.' })),
    }),
    { description: 'By provider, at the rate of its queue, while hours are open. A test campaign has none.' },
  ),
  previews: Type.Array(CampaignPreview),
})
export type CampaignStaged = Static<typeof CampaignStaged>

export const CampaignRecipient = closedObject('CampaignRecipient', {
  id: text,
  personId: text,
  personaId: optional(text),
  state: Type.Enum([...recipientStates]),
  reason: optional(reason),
  detail: optional(text),
  channel: optional(Type.Enum([...channelNames])),
  asid: optional(text),
  sendId: optional(text),
  nextAttemptAt: optional(Type.String({ format: 'date-time', description: 'When a queued row is tried next.' })),
})
export type CampaignRecipient = Static<typeof CampaignRecipient>

const idPrefix = 'rc_'
export const recipientIdPattern = describePattern(`^${idPrefix}[0-9]{1,9}$`, 'must be the id of a recipient')
export const indexOfRecipient = (id: string): number => Number(id.slice(idPrefix.length))

export function recipientView(
  index: number,
  { personId, personaId, channel, asid, sendId, detail: storedDetail }: Recipient,
  { state, reason }: RecipientStatus,
  detail = storedDetail,
  nextAttemptAt?: number,
): CampaignRecipient {
  return {
    id: `${idPrefix}${index}`,
    personId,
    ...(personaId !== undefined && { personaId }),
    state,
    ...(reason && { reason }),
    ...(detail !== undefined && { detail }),
    ...(personaId === undefined && channel && { channel }),
    ...(personaId === undefined && asid !== undefined && { asid }),
    ...(sendId !== undefined && { sendId }),
    ...(state === 'queued' && nextAttemptAt !== undefined && { nextAttemptAt: iso(nextAttemptAt) }),
  }
}

export const CampaignReport = closedObject('CampaignReport', {
  states: closedObject('CampaignReportStates', each(recipientStates as readonly RecipientState[], count), {
    description: 'Everybody in one: what was delivered is not counted as sent, and what was read as neither.',
  }),
  reasons: Type.Record(Type.String(), count),
  total: count,
  test: Type.Boolean(),
})
export type CampaignReport = Static<typeof CampaignReport>
