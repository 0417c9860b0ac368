/** The sample clinic books, moves and calls off visits with nothing but its document. */
import t from 'tap'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

const bookedOf = async (
  person: { id: string },
  manage: (method: string, path: string) => Promise<{ data: object[] }>,
) => (await manage('GET', `/people/${person.id}/appointments`)).data

t.test('R27, R44, R45: over SMS a visit is booked, moved and called off by words and numbers alone', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550142')
  t.match((await ann.write('hi')).text, /desk of Harbor Clinic[\s\S]*1\. Book a visit/)
  t.match((await ann.write('1')).text, /Which treatment/)
  t.match((await ann.write('Sports massage')).text, /1\. Tue, Jan 1, 2030, 8:00 AM EST/, 'in the zone of the phone')
  t.match((await ann.write('1')).text, /first name/)
  t.match((await ann.write('Ann')).text, /email/)
  t.match((await ann.write('ann@example.com')).text, /phone number/)
  t.match((await ann.write('skip')).text, /Shall I book Sports massage for Ann: Tue, Jan 1, 8:00/)
  const booked = await ann.write('yes')
  t.match(booked.text, /You are booked, Ann[\s\S]*come five minutes early/)
  t.match(booked.turn, {
    state: 'completed',
    outcomes: ['booked'],
    toolCalls: [
      { name: 'scheduling.book', by: 'flow', state: 'ok' },
      { name: 'people.save', by: 'flow', state: 'ok' },
    ],
  })
  const person = await ann.person()
  t.match(person, { firstName: 'Ann', email: 'ann@example.com' })
  t.match(await bookedOf(person, stage.manage), [
    {
      startUtc: '2030-01-01T13:00:00.000Z',
      durationMinutes: 45,
      prospectTimezone: 'America/New_York',
      status: 'scheduled',
      representativeName: 'Mara Lindqvist',
      notes: 'Sports massage',
    },
  ])
  await ann.write('Move my visit')
  await ann.write('2')
  t.match((await ann.write('yes')).text, /Your visit has moved: Tue, Jan 1, 1:00/)
  t.match(await bookedOf(person, stage.manage), [{ status: 'rescheduled', startUtc: '2030-01-01T18:00:00.000Z' }])
  t.match((await ann.write('I cannot come to my visit')).text, /Shall I call off your visit/)
  t.match((await ann.write('yes')).text, /Your visit is called off/)
  const [appointment] = (await bookedOf(person, stage.manage)) as { history: { action: string }[] }[]
  t.match(appointment, { status: 'cancelled' })
  t.equal(appointment!.history.length, 3)
})

for (const channel of ['rcs', 'messengerA', 'vendorMessages'] as const) {
  t.test(`R27, R45: on ${channel} the same visit is booked with taps`, async (t) => {
    const stage = await openStage(t, clinic, { channels: [channel] })
    const bob = stage.phone(channel, '+12075550143')
    await bob.write('hello')
    await bob.write('Book a visit')
    await bob.tap('Running check')
    t.match((await bob.tap(/8:00/)).text, /first name/, 'ten times are chips or rows')
    await bob.write('Bob')
    await bob.write('bob@example.com')
    const question = await bob.write('skip')
    t.match(question.text, /Shall I book Running check for Bob/)
    const booked = await bob.tap(/yes/i)
    t.match(booked.text, /You are booked, Bob: Running check/)
    t.match(await bookedOf(await bob.person(), stage.manage), [{ status: 'scheduled', notes: 'Running check' }])
  })
}

t.test('R44, R45: two people never get one time of one representative', async (t) => {
  const { representatives: _both, ...hours } = clinic.capabilities.scheduling
  const capabilities = { ...clinic.capabilities, scheduling: { ...hours, representatives: [] } }
  const stage = await openStage(t, { ...clinic, capabilities })
  const people = ['+12075550150', '+12075550151'].map((address) => stage.phone('sms', address))
  for (const [nth, phone] of people.entries()) {
    for (const text of ['Book a visit', 'Sports massage', '1', `Pia`, `p${nth}@example.com`, 'skip'])
      await phone.write(text)
  }
  t.match((await people[0]!.write('yes')).text, /You are booked/)
  const second = await people[1]!.write('yes')
  t.match(second.text, /That time is taken\.[\s\S]*When would you like to come/)
  t.match(second.turn, { outcomes: [], toolCalls: [{ name: 'scheduling.book', state: 'refused' }] })
  await people[1]!.write('1')
  t.match((await people[1]!.write('yes')).text, /You are booked/)
})

t.test('R30, R44: a person who is on file is not asked again, and an occupied time is not offered', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550144')
  for (const text of ['Book a visit', '1', '1', 'Ann', 'ann@example.com', '+12075550144', 'yes']) await ann.write(text)
  await ann.write('Book a visit')
  const times = await ann.write('2')
  t.notMatch(times.text, /^1\. Tue, Jan 1, 2030, 8:00 AM/m)
  t.match((await ann.write('1')).text, /Shall I book Back and neck care for Ann/)
})

t.test(
  'R51: times are offered in the likely zone of the phone number, until the person has a zone on record',
  async (t) => {
    const stage = await openStage(t, clinic)
    const offered = async (address: string) => {
      const phone = stage.phone('sms', address)
      await phone.write('Book a visit')
      return { phone, text: (await phone.write('Sports massage')).text }
    }
    t.match((await offered('+12075550145')).text, /1\. Tue, Jan 1, 2030, 8:00 AM EST/, 'of Maine')
    t.match((await offered('+13105550145')).text, /1\. Tue, Jan 1, 2030, 5:00 AM PST/, 'of California')
    const berlin = await offered('+4930123450')
    t.match(berlin.text, /1\. Tue, Jan 1, 2030, 2:00 PM/, 'of Germany')
    await stage.manage('PATCH', `/people/${(await berlin.phone.person()).id}`, { timezone: 'America/New_York' })
    stage.clock.advance(31 * 60_000)
    t.match((await offered('+4930123450')).text, /1\. Tue, Jan 1, 2030, 8:00 AM EST/)
  },
)
