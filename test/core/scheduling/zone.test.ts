/** R51: the likely time zone of a phone number, and the zone in which a person reads times. */

import fc from 'fast-check'
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import t from 'tap'
import { zoneOfAreaCode } from '../../../core/scheduling/areacodes.js'
import { likelyTimezone, zoneOfPerson } from '../../../core/scheduling/zone.js'
import { isTimeZone } from '../../../core/zones.js'
import { anyText } from '../../harness/arbitraries.js'

t.test('R51: a number of any country has a zone that exists', async (t) => {
  for (const country of getCountries()) {
    const number = getExampleNumber(country, examples)!.number
    const zone = likelyTimezone(number)
    t.ok(zone !== undefined && isTimeZone(zone), `${country} ${number} ${zone}`)
  }
})

t.test('R51: every area code of the North American plan that a phone may have has a zone that exists', async (t) => {
  const endings = ['2345678', '3345678', '4565555', '2002345', '7215555', '9005555', '2222222']
  const withoutPlace = new Set(['TOLL_FREE', 'PREMIUM_RATE', 'PERSONAL_NUMBER', 'VOIP', 'SHARED_COST', 'UAN'])
  let count = 0
  for (let code = 200; code < 1_000; code++) {
    const numbers = endings.map((ending) => parsePhoneNumberFromString(`+1${code}${ending}`))
    const valid = numbers.find((number) => number?.isValid())
    if (!valid || withoutPlace.has(valid.getType() ?? '')) continue
    const zone = zoneOfAreaCode(String(code))
    t.ok(zone !== undefined && isTimeZone(zone), `${code} ${valid.country} ${zone}`)
    count++
  }
  t.ok(count > 400, 'the codes were found')
})

t.test('R51: numbers of known places are in the zones of those places', async (t) => {
  for (const [number, zone] of [
    ['+12125550123', 'America/New_York'],
    ['+13125550123', 'America/Chicago'],
    ['+17205550123', 'America/Denver'],
    ['+14155550123', 'America/Los_Angeles'],
    ['+16025550123', 'America/Phoenix'],
    ['+19075550123', 'America/Anchorage'],
    ['+18085550123', 'Pacific/Honolulu'],
    ['+14165550123', 'America/Toronto'],
    ['+17095550123', 'America/St_Johns'],
    ['+13065550123', 'America/Regina'],
    ['+18765550123', 'America/Jamaica'],
    ['+447911123456', 'Europe/Guernsey'],
    ['+442071234567', 'Europe/London'],
    ['+351912345678', 'Europe/Lisbon'],
    ['+919812345678', 'Asia/Kolkata'],
    ['+61412345678', 'Australia/Sydney'],
    ['+5511987654321', 'America/Sao_Paulo'],
    ['+77011234567', 'Asia/Almaty'],
    ['+79161234567', 'Europe/Moscow'],
    ['(0) no number', undefined],
    ['+18005550123', undefined],
    ['+80012345678', undefined],
  ] as const) {
    t.equal(likelyTimezone(number), zone, number)
  }
})

t.test(
  'Decision 21: the zone on record, else that of the phone, else that of the address, else the business’s',
  async (t) => {
    const lisbon = { timezone: 'Europe/Lisbon' }
    const phone = '+919812345678'
    t.equal(zoneOfPerson({ timezone: 'Asia/Tokyo', phone }, '+12125550123', lisbon, 'Europe/Oslo'), 'Asia/Tokyo')
    t.equal(zoneOfPerson({ timezone: 'Mars/Base', phone }, '+12125550123', lisbon, 'Europe/Oslo'), 'Asia/Kolkata')
    t.equal(zoneOfPerson({}, '+12125550123', lisbon, 'Europe/Oslo'), 'America/New_York')
    t.equal(zoneOfPerson({ phone: '+18005550123' }, 'visitor', lisbon, 'Europe/Oslo'), 'Europe/Lisbon')
    t.equal(zoneOfPerson(undefined, 'visitor', {}, 'Europe/Oslo'), 'Europe/Oslo')
    t.equal(zoneOfPerson(undefined, 'visitor', undefined, undefined), 'UTC')
  },
)

t.test('Any text has a zone that exists, or none', async (t) => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.stringMatching(/^\+[0-9]{1,20}$/)), (text) => {
      const zone = likelyTimezone(text)
      if (zone !== undefined && !isTimeZone(zone)) throw new Error(zone)
      return isTimeZone(zoneOfPerson({ phone: text, timezone: text }, text, undefined, undefined))
    }),
  )
  t.pass()
})
