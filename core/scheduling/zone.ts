/** The time zone of a person: the one on record, else the likely one of their phone number, else the business's. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { phoneOf } from '../people/address.js'
import type { Person } from '../people/person.js'
import { isTimeZone } from '../zones.js'
import { zoneOfAreaCode } from './areacodes.js'
import { zoneOfCountry } from './countryzones.js'
import type { Scheduling } from './windows.js'

const northAmerica = '+1'
const areaEnd = northAmerica.length + 3

/** Undefined for a number that says nothing of where its owner is. */
export function likelyTimezone(phone: string): string | undefined {
  const number = phoneOf(phone)
  if (number === undefined) return undefined
  // Numbers of the North American plan take longest to parse, and their area says it.
  if (number.startsWith(northAmerica)) return zoneOfAreaCode(number.slice(northAmerica.length, areaEnd))
  const parsed = parsePhoneNumberFromString(number)
  if (!parsed) return undefined
  // Countries may share a calling code; the first of them is the one with most numbers.
  const country = parsed.country ?? parsed.getPossibleCountries()[0]
  return country === undefined ? undefined : zoneOfCountry(country)
}

/** `address` is that of the conversation, on any channel. `orgZone` is the last resort before UTC. */
export function zoneOfPerson(
  person: Pick<Person, 'timezone' | 'phone'> | undefined,
  address: string,
  scheduling: Pick<Scheduling, 'timezone'> | undefined,
  orgZone: string | undefined,
): string {
  if (person?.timezone !== undefined && isTimeZone(person.timezone)) return person.timezone
  const likely = (person?.phone && likelyTimezone(person.phone)) || likelyTimezone(address)
  return likely || zoneOfAgent(scheduling, orgZone)
}

export function zoneOfAgent(scheduling: Pick<Scheduling, 'timezone'> | undefined, orgZone: string | undefined): string {
  return scheduling?.timezone ?? orgZone ?? 'UTC'
}
