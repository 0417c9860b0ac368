/** A campaign: one outreach to many people at once. What callers say of one, and what is made of it. */
import Type, { type Static } from 'typebox'
import type { AgentDocument } from '../agent/index.js'
import { anyObject, closed, optional, orNull, slug, words } from '../agent/resources/words.js'
import { invalidFields } from '../agent/writing.js'
import { type FieldError, isRefusal, type Refusal, refuse } from '../errors.js'
import { campaign as limits } from '../limits.js'
import type { Hours } from '../outreach/hours.js'
import { outreachIn } from '../outreach/judge.js'
import type { SendReason } from '../outreach/send.js'
import { SendingHours, wrongHours } from '../outreach/settings.js'
import { filterFaults, type PersonFilter } from '../people/filter.js'
import type { CampaignStatus } from './status.js'
import type { Counts } from './tally.js'

const id = words(limits.personIdChars)

/** Whom it goes to, as callers say it: one of these. */
export const CampaignAudience = closed(
  'CampaignAudience',
  {
    segmentId: optional(slug),
    filter: optional(anyObject({ description: 'Filters of the list of people.' })),
    importBatchId: optional(words(limits.batchIdChars)),
    personIds: optional(Type.Array(id, { minItems: 1, maxItems: limits.personIds })),
    personaIds: optional(
      Type.Array(id, { minItems: 1, maxItems: limits.personaIds, description: 'A rehearsal: nobody is written to.' }),
    ),
  },
  { description: 'Exactly one of its members.' },
)
export type CampaignAudience = Static<typeof CampaignAudience>

export const audienceForms = ['segmentId', 'filter', 'importBatchId', 'personIds', 'personaIds'] as const

const fields = {
  name: words(limits.nameChars),
  outreachId: slug,
  audience: CampaignAudience,
  includePreviouslyContacted: Type.Boolean({
    description:
      'Whether people are sent to who have received this outreach before. Usually of a service outreach only.',
  }),
  sendWindow: SendingHours,
}

export const CampaignBody = closed('CampaignBody', {
  ...fields,
  includePreviouslyContacted: optional(fields.includePreviouslyContacted),
  sendWindow: optional(fields.sendWindow),
})
export type CampaignBody = Static<typeof CampaignBody>

export const CampaignPatch = closed('CampaignPatch', {
  name: optional(fields.name),
  outreachId: optional(fields.outreachId),
  audience: optional(fields.audience),
  includePreviouslyContacted: optional(orNull(fields.includePreviouslyContacted)),
  sendWindow: optional(orNull(fields.sendWindow)),
})
export type CampaignPatch = Static<typeof CampaignPatch>

/** Whom it goes to, as it is kept. A list of people is long, so it stands elsewhere, under a key. */
export type Audience =
  | { readonly kind: 'segment'; readonly segmentId: string }
  | { readonly kind: 'filter'; readonly filter: PersonFilter }
  | { readonly kind: 'importBatch'; readonly importBatchId: string }
  | { readonly kind: 'people'; readonly list: string; readonly personCount: number }
  | { readonly kind: 'personas'; readonly personaIds: readonly string[] }

export interface Campaign {
  readonly id: string
  readonly name: string
  readonly outreachId: string
  readonly audience: Audience
  /** Absent: as the class of the outreach has it. */
  readonly includePreviouslyContacted?: boolean
  readonly sendWindow?: Hours
  readonly status: CampaignStatus
  readonly failReason?: SendReason
  readonly createdAt: number
  readonly updatedAt: number
  readonly stagedAt?: number
  readonly startedAt?: number
  readonly endedAt?: number
  /** Under which its recipients are kept; absent before it was staged. */
  readonly snapshot?: string
  readonly counts?: Counts
}

/** What a caller says of a campaign, judged: the record without its life, and the people of a list by their ids. */
export interface Judged
  extends Pick<Campaign, 'name' | 'outreachId' | 'audience' | 'includePreviouslyContacted' | 'sendWindow'> {
  readonly personIds?: readonly string[]
}

export interface JudgedBy {
  readonly document: AgentDocument
  readonly hasPersona: (personaId: string) => boolean
  /** Whether that import read in a person who is still there. */
  readonly hasBatch: (importBatchId: string) => boolean
  /** Under which a list of people is kept. */
  readonly list: string
}

export function campaignJudged(by: JudgedBy, body: CampaignBody): Judged | Refusal {
  const { name, outreachId, includePreviouslyContacted, sendWindow } = body
  const faults = audienceFaults(by, body.audience)
  if (faults.length > 0) return invalidFields(faults)
  const wrong = wrongHours(sendWindow, 'sendWindow') ?? wrongOutreach(by.document, outreachId)
  if (isRefusal(wrong)) return wrong
  return {
    name,
    outreachId,
    ...audienceKept(by, body.audience),
    ...(includePreviouslyContacted !== undefined && { includePreviouslyContacted }),
    ...(sendWindow && { sendWindow }),
  }
}

/** What is not said stays; null takes a field away. */
export function campaignPatched(by: JudgedBy, kept: Campaign, patch: CampaignPatch): Judged | Refusal {
  const { audience, ...said } = patch
  const { name, outreachId, includePreviouslyContacted, sendWindow } = kept
  const laid = Object.entries({ name, outreachId, includePreviouslyContacted, sendWindow, ...said }).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  // Any that is right will do: what was kept was judged, and is not judged again.
  const judged = campaignJudged(by, {
    ...Object.fromEntries(laid),
    audience: audience ?? { filter: {} },
  } as CampaignBody)
  return isRefusal(judged) || audience ? judged : { ...judged, audience: kept.audience }
}

function wrongOutreach(document: AgentDocument, outreachId: string): Refusal | undefined {
  if (outreachIn(document, outreachId)?.enabled) return undefined
  const message = `There is no outreach ${outreachId} that is switched on`
  return refuse('agent.outreach.not_found', { detail: message, errors: [{ field: 'outreachId', message }] })
}

function audienceFaults({ document, hasPersona, hasBatch }: JudgedBy, audience: CampaignAudience): FieldError[] {
  const named = audienceForms.filter((form) => audience[form] !== undefined)
  if (named.length !== 1)
    return [{ field: 'audience', message: `must have exactly one of ${audienceForms.join(', ')}` }]
  const { segmentId, filter, importBatchId, personaIds = [] } = audience
  if (importBatchId !== undefined && !hasBatch(importBatchId)) {
    return [{ field: 'audience.importBatchId', message: `no person was read in by an import ${importBatchId}` }]
  }
  if (segmentId !== undefined && !document.segments.some(({ id }) => id === segmentId)) {
    return [{ field: 'audience.segmentId', message: `there is no segment ${segmentId}` }]
  }
  if (filter) return filterFaults(filter, 'audience.filter')
  return personaIds.flatMap((personaId, place) =>
    hasPersona(personaId)
      ? []
      : [{ field: `audience.personaIds[${place}]`, message: `there is no persona ${personaId}` }],
  )
}

/** Who is named twice is meant once. */
function audienceKept({ list }: JudgedBy, audience: CampaignAudience): Pick<Judged, 'audience' | 'personIds'> {
  const { segmentId, filter, importBatchId, personIds, personaIds } = audience
  if (segmentId !== undefined) return { audience: { kind: 'segment', segmentId } }
  if (filter) return { audience: { kind: 'filter', filter: filter as PersonFilter } }
  if (importBatchId !== undefined) return { audience: { kind: 'importBatch', importBatchId } }
  if (personaIds) return { audience: { kind: 'personas', personaIds: [...new Set(personaIds)] } }
  const once = [...new Set(personIds)]
  return { audience: { kind: 'people', list, personCount: once.length }, personIds: once }
}

/** It rehearses with personas, and nobody is written to. */
export function isTest({ audience }: Pick<Campaign, 'audience'>): boolean {
  return audience.kind === 'personas'
}

/** As it is in force: whoever says nothing follows the class of the outreach. */
export function includesContacted(
  { includePreviouslyContacted }: Pick<Campaign, 'includePreviouslyContacted'>,
  outreachClass: 'marketing' | 'service' | undefined,
): boolean {
  return includePreviouslyContacted ?? outreachClass === 'service'
}
