/** Merges two records of one person: the survivor takes over what it lacks. */
import { person as limits } from '../limits/index.js'
import { mergeBatches } from './batches.js'
import { distinct } from './change.js'
import { type OutreachHistory, type Person, textFields } from './person.js'

/** The survivor's values win; missing ones come from the duplicate. */
export function mergePeople(survivor: Person, duplicate: Person, at: number): Person {
  const texts = textFields.flatMap((field) => {
    const value = survivor[field] ?? duplicate[field]
    return value === undefined ? [] : [[field, value] as const]
  })
  const tags = distinct([...(survivor.tags ?? []), ...(duplicate.tags ?? [])]).slice(0, limits.tags)
  const lockedFields = distinct([...(survivor.lockedFields ?? []), ...(duplicate.lockedFields ?? [])])
  const custom = Object.entries({ ...duplicate.customFields, ...survivor.customFields })
  const survivorFields = custom.filter(([key]) => Object.hasOwn(survivor.customFields ?? {}, key))
  const duplicateFields = custom.filter(([key]) => !Object.hasOwn(survivor.customFields ?? {}, key))
  const customFields = Object.fromEntries([...survivorFields, ...duplicateFields].slice(0, limits.customFields))
  const lastCallAt = latest(survivor.lastCallAt, duplicate.lastCallAt)
  const scheduledCallAt = survivor.scheduledCallAt ?? duplicate.scheduledCallAt
  const formerIds = [...(survivor.formerIds ?? []), ...(duplicate.formerIds ?? []), duplicate.id].slice(
    -limits.formerIds,
  )
  const outreach = mergeOutreachHistory(survivor.outreach, duplicate.outreach)
  return {
    ...survivor,
    ...Object.fromEntries(texts),
    ...(tags.length > 0 && { tags }),
    ...(lockedFields.length > 0 && { lockedFields: lockedFields.slice(0, limits.lockedFields) }),
    ...(custom.length > 0 && { customFields }),
    consent: mergeConsent(survivor, duplicate),
    identities: [...survivor.identities, ...duplicate.identities],
    ...(lastCallAt !== undefined && { lastCallAt }),
    ...(scheduledCallAt !== undefined && { scheduledCallAt }),
    ...mergeBatches(survivor, duplicate),
    formerIds,
    ...(outreach && { outreach }),
    updatedAt: at,
  }
}

/** A denial on either record wins; otherwise a known status, and of two the later one. */
function mergeConsent({ consent: one }: Person, { consent: other }: Person): Person['consent'] {
  if (one.status === 'denied' || other.status === 'denied') return one.status === 'denied' ? one : other
  if (one.status === 'unknown' || other.status === 'unknown') return one.status === 'unknown' ? other : one
  return (other.updatedAt ?? 0) > (one.updatedAt ?? 0) ? other : one
}

function mergeOutreachHistory(
  one: OutreachHistory | undefined,
  other: OutreachHistory | undefined,
): OutreachHistory | undefined {
  if (!one || !other) return one ?? other
  const marketingAt = latest(one.marketingAt, other.marketingAt)
  const received = distinct([...(one.received ?? []), ...(other.received ?? [])])
  return { ...(marketingAt !== undefined && { marketingAt }), ...(received.length > 0 && { received }) }
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
