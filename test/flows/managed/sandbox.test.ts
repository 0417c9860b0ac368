/** Personas of a managed agent: their turns wait for the answer, and nothing of them leaves Parley. */
import t from 'tap'
import { advanceUntilAnswered } from '../../harness/clock.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

async function openPersona(t: Parameters<typeof openStage>[0], about: object = {}) {
  const stage = await openStage(t, clinic)
  const { id } = await stage.manage('POST', '/personas', { name: 'Ada', ...about })
  const at = `/personas/${id}`
  const does = (directive: object) =>
    advanceUntilAnswered(stage.manage('POST', `${at}/turns`, directive), () => stage.clock.advance(20))
  return { stage, at, does, turns: async () => (await stage.manage('GET', '/turns?includeTest=true&limit=200')).data }
}

t.test(
  'R52, R53, decision 35, 36: a persona books by directives, and what would have left is in the record',
  async (t) => {
    const { stage, does, turns } = await openPersona(t, { channel: 'rcs' })
    t.match(JSON.stringify(await does({ text: 'hi' })), /stage of Harbor Clinic/)
    t.match(JSON.stringify(await does({ chip: 'Book a visit' })), /Which treatment/)
    await does({ chip: 'Sports massage' })
    await does({ slot: 0 })
    await does({ text: 'Ada' })
    await does({ text: 'ada@example.com' })
    await does({ text: 'skip' })
    const booked = await does({ confirm: true })
    t.match(JSON.stringify(booked), /You are booked, Ada/)
    t.notOk(booked.pending)
    const [newest] = await turns()
    t.match(newest, { test: true, emulatedChannel: 'rcs', outcomes: ['booked'] })
    const full = await stage.manage('GET', `/turns/${newest.id}`)
    t.match(full.toolCalls, [{ name: 'scheduling.book' }, { name: 'people.save' }])
    t.same(stage.channels.requests, [], 'no provider was asked')
    t.same((await stage.manage('GET', '/people?limit=200')).data, [], 'R54: nobody of the sandbox is a customer')
  },
)

t.test('R55: turns, traffic and logs of a persona are left out unless they are asked for', async (t) => {
  const { stage, does } = await openPersona(t)
  await does({ text: 'hi' })
  t.same((await stage.manage('GET', '/turns')).data, [])
  t.equal((await stage.manage('GET', '/turns?includeTest=true')).data.length, 1)
})

t.test('R52: a reset persona begins anew', async (t) => {
  const { stage, at, does } = await openPersona(t)
  await does({ text: 'Book a visit' })
  await stage.manage('POST', `${at}/_reset`)
  t.match(JSON.stringify(await does({ text: 'hi' })), /stage of Harbor Clinic/)
})

t.test('R53: STOP of a persona ends the conversation, and START brings it back', async (t) => {
  const { does } = await openPersona(t, { channel: 'sms' })
  await does({ text: 'hi' })
  await does({ system: 'optOut' })
  t.notMatch(JSON.stringify(await does({ text: 'Do you have parking?' })), /six free spaces/)
  await does({ system: 'optIn' })
  t.match(JSON.stringify(await does({ text: 'Do you have parking?' })), /six free spaces/)
})
