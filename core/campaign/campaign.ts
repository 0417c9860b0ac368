/** A campaign, one outreach to many people: its schemas, its record, and the validation of both. */
import Type, { type Static } from 'typebox'
import type { AgentDocument } from '../agent/index.js'
import { invalidFields } from '../agent/outcome.js'
import { anyObject, closedObject, nonEmptyText, optional, orNull, slug } from '../agent/resources/schemas.js'
import { type FieldError, isRefusal, type Refusal, refuse } from '../errors.js'
import { campaign as limits } from '../limits/index.js'
import { findOutreach } from '../outreach/admission.js'
import type { Hours } from '../outreach/hours.js'
import type { SendReason } from '../outreach/send.js'
import { hoursError, SendingHours } from '../outreach/settings.js'
import { filterFaults, type PersonFilter } from '../people/filter.js'
import type { Counts } from './counts.js'
import type { CampaignStatus } from './status.js'

const id = nonEmptyText(limits.personIdChars)

/** The recipients in a request: exactly one of these. */
export const CampaignAudience = closedObject(
  'CampaignAudience',
  {
    segmentId: optional(slug),
    filter: optional(anyObject({ description: 'Filters of the list of people.' })),
    importBatchId: optional(nonEmptyText(limits.batchIdChars)),
    personIds: optional(Type.Array(id, { minItems: 1, maxItems: limits.personIds })),
    personaIds: optional(
      Type.Array(id, {
        minItems: 1,
        maxItems: limits.personaIds,
        description: 'A sandbox campaign: no real person gets a message.',
      }),
    ),
  },
  { description: 'Exactly one of its members.' },
)
export type CampaignAudience = Static<typeof CampaignAudience>

export const audienceForms = ['segmentId', 'filter', 'importBatchId', 'personIds', 'personaIds'] as const

const fields = {
  name: nonEmptyText(limits.nameChars),
  outreachId: slug,
  audience: CampaignAudience,
  includePreviouslyContacted: Type.Boolean({
    description:
      'Whether people are sent to who have received this outreach before. Usually of a service outreach only.',
  }),
  sendWindow: SendingHours,
}

export const CampaignBody = closedObject('CampaignBody', {
  ...fields,
  includePreviouslyContacted: optional(fields.includePreviouslyContacted),
  sendWindow: optional(fields.sendWindow),
})
export type CampaignBody = Static<typeof CampaignBody>

export const CampaignPatch = closedObject('CampaignPatch', {
  name: optional(fields.name),
  outreachId: optional(fields.outreachId),
  audience: optional(fields.audience),
  includePreviouslyContacted: optional(orNull(fields.includePreviouslyContacted)),
  sendWindow: optional(orNull(fields.sendWindow)),
})
export type CampaignPatch = Static<typeof CampaignPatch>

/** The recipients as stored. A list of people may be long, so it is stored apart, under a key. */
export type Audience =
  | { readonly kind: 'segment'; readonly segmentId: string }
  | { readonly kind: 'filter'; readonly filter: PersonFilter }
  | { readonly kind: 'importBatch'; readonly importBatchId: string }
  | { readonly kind: 'people'; readonly listKey: string; readonly personCount: number }
  | { readonly kind: 'personas'; readonly personaIds: readonly string[] }

export interface Campaign {
  readonly id: string
  readonly name: string
  readonly outreachId: string
  readonly audience: Audience
  /** Absent: the default of the outreach's class applies. */
  readonly includePreviouslyContacted?: boolean
  readonly sendWindow?: Hours
  readonly status: CampaignStatus
  readonly failReason?: SendReason
  readonly createdAt: number
  readonly updatedAt: number
  readonly stagedAt?: number
  readonly startedAt?: number
  readonly endedAt?: number
  /** Key of its staged recipients; absent before staging. */
  readonly snapshot?: string
  readonly counts?: Counts
}

/** A validated request: the record without its lifecycle fields, and the ids of a list of people. */
export interface ValidatedCampaign
  extends Pick<Campaign, 'name' | 'outreachId' | 'audience' | 'includePreviouslyContacted' | 'sendWindow'> {
  readonly personIds?: readonly string[]
}

export interface CampaignValidationContext {
  readonly document: AgentDocument
  readonly hasPersona: (personaId: string) => boolean
  /** Whether that import contained a person who still exists. */
  readonly hasBatch: (importBatchId: string) => boolean
  /** Key under which a list of people is stored. */
  readonly listKey: string
}

export function validateCampaign(context: CampaignValidationContext, body: CampaignBody): ValidatedCampaign | Refusal {
  const { name, outreachId, includePreviouslyContacted, sendWindow } = body
  const faults = audienceFaults(context, body.audience)
  if (faults.length > 0) return invalidFields(faults)
  const refusal = hoursError(sendWindow, 'sendWindow') ?? outreachRefusal(context.document, outreachId)
  if (isRefusal(refusal)) return refusal
  return {
    name,
    outreachId,
    ...storedAudience(context, body.audience),
    ...(includePreviouslyContacted !== undefined && { includePreviouslyContacted }),
    ...(sendWindow && { sendWindow }),
  }
}

/** A field that is left out stays; null removes one. */
export function patchCampaign(
  context: CampaignValidationContext,
  current: Campaign,
  patch: CampaignPatch,
): ValidatedCampaign | Refusal {
  const { audience, ...changes } = patch
  const { name, outreachId, includePreviouslyContacted, sendWindow } = current
  const merged = Object.entries({ name, outreachId, includePreviouslyContacted, sendWindow, ...changes }).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  // A placeholder audience that is valid: the stored one has been validated and is not checked again.
  const validated = validateCampaign(context, {
    ...Object.fromEntries(merged),
    audience: audience ?? { filter: {} },
  } as CampaignBody)
  return isRefusal(validated) || audience ? validated : { ...validated, audience: current.audience }
}

function outreachRefusal(document: AgentDocument, outreachId: string): Refusal | undefined {
  if (findOutreach(document, outreachId)?.enabled) return undefined
  const message = `There is no outreach ${outreachId} that is switched on`
  return refuse('agent.outreach.not_found', { detail: message, errors: [{ field: 'outreachId', message }] })
}

function audienceFaults(
  { document, hasPersona, hasBatch }: CampaignValidationContext,
  audience: CampaignAudience,
): FieldError[] {
  const forms = audienceForms.filter((form) => audience[form] !== undefined)
  if (forms.length !== 1)
    return [{ field: 'audience', message: `must have exactly one of ${audienceForms.join(', ')}` }]
  const { segmentId, filter, importBatchId, personaIds = [] } = audience
  if (importBatchId !== undefined && !hasBatch(importBatchId)) {
    return [{ field: 'audience.importBatchId', message: `no person was read in by an import ${importBatchId}` }]
  }
  if (segmentId !== undefined && !document.segments.some(({ id }) => id === segmentId)) {
    return [{ field: 'audience.segmentId', message: `there is no segment ${segmentId}` }]
  }
  if (filter) return filterFaults(filter, 'audience.filter')
  return personaIds.flatMap((personaId, index) =>
    hasPersona(personaId)
      ? []
      : [{ field: `audience.personaIds[${index}]`, message: `there is no persona ${personaId}` }],
  )
}

/** Removes duplicates from lists of ids. */
function storedAudience(
  { listKey }: CampaignValidationContext,
  audience: CampaignAudience,
): Pick<ValidatedCampaign, 'audience' | 'personIds'> {
  const { segmentId, filter, importBatchId, personIds, personaIds } = audience
  if (segmentId !== undefined) return { audience: { kind: 'segment', segmentId } }
  if (filter) return { audience: { kind: 'filter', filter: filter as PersonFilter } }
  if (importBatchId !== undefined) return { audience: { kind: 'importBatch', importBatchId } }
  if (personaIds) return { audience: { kind: 'personas', personaIds: [...new Set(personaIds)] } }
  const uniqueIds = [...new Set(personIds)]
  return { audience: { kind: 'people', listKey, personCount: uniqueIds.length }, personIds: uniqueIds }
}

/** A campaign for personas runs in the sandbox and sends to no real person. */
export function isTest({ audience }: Pick<Campaign, 'audience'>): boolean {
  return audience.kind === 'personas'
}

/** The setting in force: by default that of the outreach's class. */
export function includesContacted(
  { includePreviouslyContacted }: Pick<Campaign, 'includePreviouslyContacted'>,
  outreachClass: 'marketing' | 'service' | undefined,
): boolean {
  return includePreviouslyContacted ?? outreachClass === 'service'
}
