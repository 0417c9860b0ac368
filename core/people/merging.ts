/** Two records that turn out to be one person: one stays and takes over what it lacks. */
import { person as limits } from '../limits.js'
import { mergedBatches } from './batches.js'
import { distinct } from './change.js'
import { type OutreachMemory, type Person, textFields } from './person.js'

/** What the one who stays says counts; what it does not say is taken from the other. */
export function mergedPeople(stays: Person, goes: Person, at: number): Person {
  const texts = textFields.flatMap((field) => {
    const value = stays[field] ?? goes[field]
    return value === undefined ? [] : [[field, value] as const]
  })
  const tags = distinct([...(stays.tags ?? []), ...(goes.tags ?? [])]).slice(0, limits.tags)
  const lockedFields = distinct([...(stays.lockedFields ?? []), ...(goes.lockedFields ?? [])])
  const custom = Object.entries({ ...goes.customFields, ...stays.customFields })
  const mine = custom.filter(([key]) => Object.hasOwn(stays.customFields ?? {}, key))
  const theirs = custom.filter(([key]) => !Object.hasOwn(stays.customFields ?? {}, key))
  const customFields = Object.fromEntries([...mine, ...theirs].slice(0, limits.customFields))
  const lastCallAt = latest(stays.lastCallAt, goes.lastCallAt)
  const scheduledCallAt = stays.scheduledCallAt ?? goes.scheduledCallAt
  const formerIds = [...(stays.formerIds ?? []), ...(goes.formerIds ?? []), goes.id].slice(-limits.formerIds)
  const outreach = memoryOf(stays.outreach, goes.outreach)
  return {
    ...stays,
    ...Object.fromEntries(texts),
    ...(tags.length > 0 && { tags }),
    ...(lockedFields.length > 0 && { lockedFields: lockedFields.slice(0, limits.lockedFields) }),
    ...(custom.length > 0 && { customFields }),
    consent: consentOf(stays, goes),
    identities: [...stays.identities, ...goes.identities],
    ...(lastCallAt !== undefined && { lastCallAt }),
    ...(scheduledCallAt !== undefined && { scheduledCallAt }),
    ...mergedBatches(stays, goes),
    formerIds,
    ...(outreach && { outreach }),
    updatedAt: at,
  }
}

/** A no is a no, on whichever record it stands; otherwise what was said last. */
function consentOf({ consent: one }: Person, { consent: other }: Person): Person['consent'] {
  if (one.status === 'denied' || other.status === 'denied') return one.status === 'denied' ? one : other
  if (one.status === 'unknown' || other.status === 'unknown') return one.status === 'unknown' ? other : one
  return (other.updatedAt ?? 0) > (one.updatedAt ?? 0) ? other : one
}

function memoryOf(one: OutreachMemory | undefined, other: OutreachMemory | undefined): OutreachMemory | undefined {
  if (!one || !other) return one ?? other
  const marketingAt = latest(one.marketingAt, other.marketingAt)
  const received = distinct([...(one.received ?? []), ...(other.received ?? [])])
  return { ...(marketingAt !== undefined && { marketingAt }), ...(received.length > 0 && { received }) }
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
