/** The request of every journey candidate: a step of a journey for a profile without an earlier send. */

export const outreachId = 'renewal'
export const agentName = 'Bench Shop'
export const agentId = 'bench-shop'

export const peopleFields = [
  { key: 'plan', label: 'Plan', type: 'string' },
  { key: 'renewsOn', label: 'Renews on', type: 'string' },
]
export const template = {
  id: 'renewal-opening',
  name: 'Renewal opening',
  body: 'Hello {person.firstName|there}, your plan {person.customFields.plan} renews on {person.customFields.renewsOn}.',
}
export const outreach = {
  id: outreachId,
  name: 'Renewal',
  class: 'service',
  openerTemplateId: template.id,
  inputs: peopleFields.map(({ key }) => key),
}

/** People on record before a measurement have numbers above all numbers that are sent. */
const numbersBegin = 2_000_000_000
const numbersFilled = 9_000_000_000
const profiles = numbersFilled - numbersBegin

export const phoneOf = (profile: number) => `+1${numbersBegin + profile}`
export const filledPhoneOf = (person: number) => `+1${numbersFilled + person}`
export const instanceOf = (profile: number) => `entry-${String(profile).padStart(10, '0')}`

export const step = { versionId: '7d1f6a52-0c1e-4c51-9a6f-3f0f1f6f2b11', nodeId: 'renewal-reminder' }

export function bodyOf(profile: number): string {
  return JSON.stringify({
    profile: {
      phone: phoneOf(profile),
      channel: 'rcs',
      id: `profile-${profile}`,
      firstName: 'Ada',
      lastName: `Lovelace ${profile}`,
      email: `ada.${profile}@example.com`,
    },
    consent: { sms: 'y' },
    journey: Object.assign({}, step, { instanceId: instanceOf(profile) }),
    inputs: { plan: 'Household 500', renewsOn: '1 December' },
  })
}

/** The first profile number of a load, from the clock: time is faster than any load, so no two windows share one. */
export function firstProfile(): number {
  return Number((process.hrtime.bigint() / 1_000n) % BigInt(profiles / 2))
}
