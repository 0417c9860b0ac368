/** Places of addresses, from a geocoder that answers as Nominatim does and from ones that do not. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { agentLimits, geocoder as limits } from '../../../core/limits/index.js'
import { type GeocoderOptions, openGeocoder } from '../../../runtime/geocode/geocoder.js'
import { manualClock } from '../../harness/clock.js'

type Answer = (response: ServerResponse, query: URLSearchParams, request: IncomingMessage) => void

async function openAt(t: Test, answer: Answer, given: GeocoderOptions['limits'] = {}, suffix = '/search') {
  const requests: { query: URLSearchParams; headers: IncomingMessage['headers'] }[] = []
  let now = 0
  let maxConcurrent = 0
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    requests.push({ query, headers: request.headers })
    maxConcurrent = Math.max(maxConcurrent, ++now)
    response.on('close', () => now--)
    answer(response, query, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = manualClock()
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}${suffix}`
  const geocoder = openGeocoder({ url, clock, publicUrl: () => 'http://us.example', limits: given })
  t.teardown(async () => {
    await geocoder.close()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return {
    ...geocoder,
    requests,
    clock,
    atOnce: () => maxConcurrent,
    find: async (...all: string[]) => new Map(await geocoder.geocode(all)),
  }
}

const jsonAnswer =
  (body: unknown, status = 200): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

/** For machines that have much else to do. */
const patient = { wholeMs: 600_000, totalMs: 60_000, headersMs: 60_000, connectMs: 60_000 }

const tower = { lat: '48.8584', lon: '2.2945', display_name: 'Eiffel Tower, Paris, France' }
const location = { latitude: 48.8584, longitude: 2.2945, address: 'Eiffel Tower, Paris, France' }

t.test(
  'An address is geocoded to its place and formatted address, and the request identifies the caller',
  async (t) => {
    const at = await openAt(t, jsonAnswer([tower]), {}, '/search?key=k&format=xml')
    t.same(await at.find('eiffel tower & more'), new Map([['eiffel tower & more', location]]))
    const [{ query, headers }] = at.requests as [(typeof at.requests)[0]]
    t.same(Object.fromEntries(query), { key: 'k', format: 'jsonv2', q: 'eiffel tower & more', limit: '1' })
    t.equal(headers['user-agent'], 'Parley-Geocoder/1 (+http://us.example)')
  },
)

t.test('An address without a match is nowhere; one that could not be looked up is omitted', async (t) => {
  t.same(await (await openAt(t, jsonAnswer([]))).find('x'), new Map([['x', 'notFound']]))
  for (const answer of [
    jsonAnswer([tower], 500),
    jsonAnswer([tower], 404),
    jsonAnswer('', 204),
    jsonAnswer('<html>'),
    jsonAnswer({ error: 'quota' }),
    jsonAnswer([{ ...tower, lat: '91' }]),
    jsonAnswer([{ ...tower, lon: '1e2' }]),
    jsonAnswer([{ ...tower, lat: null }]),
    jsonAnswer([null]),
    jsonAnswer('[{"lat":"1","lat":"2","lon":"3"}]'),
    jsonAnswer(`[${' '.repeat(limits.answerBytes)}]`),
    (response: ServerResponse) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    (response: ServerResponse) => void response.destroy(),
  ]) {
    t.same(await (await openAt(t, answer)).find('x'), new Map())
  }
})

t.test('Any response of a geocoder gives a result that can be stored', async (t) => {
  let body: unknown
  const at = await openAt(t, (response, ...rest) => jsonAnswer(body as object)(response, ...rest), { cachedMs: -1 })
  const member = fc.oneof(
    fc.string(),
    fc.double(),
    fc.constant(null),
    fc.constantFrom('1.5', '-90', '180', 12, ' 1', 'NaN'),
  )
  await fc.assert(
    fc.asyncProperty(fc.record({ lat: member, lon: member, display_name: member }), async (place) => {
      body = [place]
      const echoed = (await at.find('x')).get('x')
      if (echoed === undefined) return
      if (echoed === 'notFound') throw new Error('a place is not nowhere')
      t.ok(Math.abs(echoed.latitude) <= 90 && Math.abs(echoed.longitude) <= 180)
      t.ok(echoed.address !== '' && [...echoed.address].length <= agentLimits.things.addressChars)
    }),
    { numRuns: 60 },
  )
  body = [{ ...tower, display_name: 'é'.repeat(900) }]
  const long = (await at.find('y')).get('y') as typeof location
  t.equal(long.address.length, agentLimits.things.addressChars)
  body = [{ ...tower, display_name: ' ' }]
  t.match((await at.find('z')).get('z'), { address: 'z' })
})

t.test('Results are cached for a day, misses included; failures are not', async (t) => {
  let answer = jsonAnswer([tower])
  const at = await openAt(t, (...call) => answer(...call), { cachedAddresses: 2 })
  await at.find('a')
  await at.find('a', 'a')
  t.equal(at.requests.length, 1)
  answer = jsonAnswer([])
  t.same([...(await at.find('a', 'b')).values()], [location, 'notFound'])
  t.equal(at.requests.length, 2)
  answer = jsonAnswer('', 500)
  await at.find('c')
  await at.find('c')
  t.equal(at.requests.length, 4)
  await at.clock.advance(limits.cachedMs)
  t.same(await at.find('a'), new Map())
})

t.test(
  'Hundreds of addresses are geocoded a few at a time, and an unreachable geocoder is not called for all',
  async (t) => {
    const all = Array.from({ length: 300 }, (_, nth) => `Street ${nth}`)
    const at = await openAt(
      t,
      (response, ...rest) => void setImmediate(() => jsonAnswer([tower])(response, ...rest)),
      patient,
    )
    t.equal((await at.find(...all)).size, all.length)
    t.equal(at.requests.length, all.length)
    t.ok(at.atOnce() <= limits.callsInFlight, `${at.atOnce()} at once`)
    const away = await openAt(t, jsonAnswer('', 503))
    t.same(await away.find(...all), new Map())
    t.ok(away.requests.length < limits.failuresInRow + limits.callsInFlight)
  },
)

t.test('When the total time is over, the remaining addresses count as not looked up', async (t) => {
  const at = await openAt(
    t,
    (response, query, request) => void (query.get('q') === 'quick' && jsonAnswer([tower])(response, query, request)),
    { wholeMs: 2_000 },
  )
  t.same(await at.find('quick', 'a', 'b', 'c', 'd', 'e'), new Map([['quick', location]]))
})
