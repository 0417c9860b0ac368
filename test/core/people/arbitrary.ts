/** People of all kinds, for properties that hold for everybody. */
import fc from 'fast-check'
import { personIdAt } from '../../../core/people/ids.js'
import { consentStatuses, type Person, personStatuses } from '../../../core/people/person.js'

const few = (...texts: string[]) => fc.option(fc.constantFrom(...texts), { nil: undefined })

export const startAt = Date.parse('2026-03-01T12:00:00.000Z')

/** Texts as operators and files hold them. */
export const someText = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .filter((text) => text.trim() !== '' && text.length <= maxLength && !text.includes('\0'))

/** From few values, so that filters find some and not all. */
export const anyPerson: fc.Arbitrary<Person> = fc
  .record({
    drawn: fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{16}$/),
    minutes: fc.integer({ min: 0, max: 5 }),
    fullName: few('Ann Smith', 'José Núñez'),
    firstName: few('Ann', 'Bo'),
    email: few('ann@example.com', 'BO@example.com', 'no address'),
    phone: few('+1 415 555 0100', '+14155550101', '+551187654321', '+5511987654321'),
    company: few('Acme', 'Ann & Sons'),
    status: fc.constantFrom(...personStatuses),
    source: fc.constantFrom('api', 'import'),
    tags: fc.option(fc.uniqueArray(fc.constantFrom('vip', 'old', 'VIP'), { maxLength: 2 }), { nil: undefined }),
    level: few('gold', 'blue'),
    consent: fc.constantFrom(...consentStatuses),
    sandbox: fc.constantFrom(undefined, undefined, undefined, true as const),
  })
  .map(({ drawn, minutes, level, consent, ...rest }) => {
    const createdAt = startAt + minutes * 60_000
    const there = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    return {
      id: personIdAt(createdAt, drawn),
      ...(there as typeof rest),
      ...(level && { customFields: { level } }),
      consent: { status: consent },
      identities: [],
      createdAt,
      updatedAt: createdAt,
    } as Person
  })

export const someFilter = fc
  .record(
    {
      q: fc.constantFrom(
        'ann',
        'ANN smith',
        'nunez',
        'acme',
        '+5511987654321',
        '+55 11 8765-4321',
        'ann@EXAMPLE.com',
        'zz',
      ),
      status: fc.constantFrom(...personStatuses),
      tag: fc.constantFrom('vip', 'VIP', 'none'),
      consent: fc.constantFrom(...consentStatuses),
      source: fc.constantFrom('api', 'import'),
      createdAfter: fc.integer({ min: -1, max: 5 }).map(momentAt),
      createdBefore: fc.integer({ min: 0, max: 6 }).map(momentAt),
      'customFields.level': fc.constantFrom('gold', 'blue'),
    },
    { requiredKeys: [] },
  )
  .filter((filter) => Object.keys(filter).length <= 3)

function momentAt(minutes: number): string {
  return new Date(startAt + minutes * 60_000).toISOString()
}
