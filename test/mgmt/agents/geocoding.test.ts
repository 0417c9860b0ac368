/** Locations of things whose addresses are looked up when they are written. */
import t from 'tap'
import { openReceiver } from '../../harness/receiver.js'
import { type Call, fieldsOf, openAgentsFixture } from './fixture.js'

const geocoder = await openReceiver(t)
const fixture = await openAgentsFixture({ env: { PARLEY_GEOCODER_URL: geocoder.url('/search') } })
t.teardown(() => fixture.node.close())

const put = (call: Call, ...things: object[]) => call('PUT', '/knowledge/things', { things })
const requestCount = (address: string) => geocoder.at(pathOf(address)).length
const pathOf = (address: string) => `/search?${new URLSearchParams({ q: address, format: 'jsonv2', limit: '1' })}`

function addPlaces(address: string, ...places: object[]): void {
  geocoder.setBehavior(pathOf(address), (response) => void response.writeHead(200).end(JSON.stringify(places)))
}

const main = { lat: '1.5', lon: '-2.5', display_name: '1 Main Street, Springfield' }

t.test('A plain address is geocoded on write: coordinates and the formatted address are stored', async (t) => {
  const { call } = await fixture.agent()
  addPlaces('main st 1', main)
  const stored = await put(call, { id: 'a', name: 'A', location: { address: 'main st 1', label: 'Shop' } })
  t.strictSame(stored.json.data[0].location, {
    address: '1 Main Street, Springfield',
    latitude: 1.5,
    longitude: -2.5,
    label: 'Shop',
  })
})

t.test('An address that matches no place is 422 at its path, and nothing is stored', async (t) => {
  const { call } = await fixture.agent()
  addPlaces('atlantis')
  const good = { id: 'a', name: 'A', location: { address: '1, 2' } }
  const refused = await put(call, good, { id: 'b', name: 'B', location: { address: 'atlantis' } })
  t.equal(refused.status, 422)
  t.equal(refused.json.code, 'request.invalid')
  t.same(fieldsOf(refused), ['things[1].location.address'])
  t.same((await call('GET', '/knowledge/things')).json.data, [])
})

t.test('Without geocoding an address is stored without coordinates, and geocoded when it is sent again', async (t) => {
  const { call } = await fixture.agent()
  geocoder.setBehavior(pathOf('elm st 2'), (response) => void response.writeHead(503).end())
  const thing = { id: 'a', name: 'A', location: { address: 'elm st 2' } }
  t.strictSame((await put(call, thing)).json.data[0].location, { address: 'elm st 2' })
  addPlaces('elm st 2', { ...main, display_name: '2 Elm Street' })
  t.match((await put(call, thing)).json.data[0].location, { address: '2 Elm Street', latitude: 1.5 })
})

t.test('A location with coordinates, a pair, a map link or a stored place is not geocoded', async (t) => {
  const { call } = await fixture.agent()
  addPlaces('oak st 3', { ...main, display_name: '3 Oak Street' })
  await put(
    call,
    { id: 'a', name: 'A', location: { address: 'oak st 3', latitude: 5, longitude: 6 } },
    { id: 'b', name: 'B', location: { address: '48.85, 2.29' } },
    { id: 'c', name: 'C', location: { address: 'https://maps.example/@48.85,2.29,17z' } },
  )
  t.equal(requestCount('oak st 3'), 0)
  const stored = (await call('GET', '/knowledge/things')).json
  t.match(stored.data[0].location, { address: 'oak st 3', latitude: 5 })
  const repeated = await put(call, { id: 'a', name: 'A', location: { address: 'oak st 3' } })
  t.match(repeated.json.data[0].location, { address: 'oak st 3', latitude: 5 }, 'the address it has already')
  t.equal(requestCount('oak st 3'), 0)
  t.match((await put(call, { id: 'a', name: 'A' })).json.data[0].location, { latitude: 5 })
  t.equal(requestCount('oak st 3'), 0)
})

t.test('An address is geocoded once, for any number of things and writes', async (t) => {
  const { call } = await fixture.agent()
  addPlaces('fir st 4', main)
  const things = Array.from({ length: 50 }, (_, nth) => ({
    id: `t${nth}`,
    name: 'T',
    location: { address: 'fir st 4' },
  }))
  const stored = await put(call, ...things)
  t.ok(stored.json.data.every(({ location }: { location: object }) => 'latitude' in location))
  t.equal(requestCount('fir st 4'), 1)
})

t.test('A refused body, or a missing agent, causes no geocoding', async (t) => {
  const { call } = await fixture.agent()
  const location = { address: 'birch st 5' }
  t.equal((await put(call, { id: 'a', name: 'A', location }, { id: 'a', name: 'B' })).status, 422)
  t.equal((await put(fixture.callAs(fixture.node.key, 'nobody'), { id: 'a', name: 'A', location })).status, 404)
  t.equal(requestCount('birch st 5'), 0)
})

const imports = (call: Call, ...things: object[]) =>
  call('POST', '/import', { capabilities: { knowledge: { things } } })

t.test('An import geocodes the addresses of things as their own route does', async (t) => {
  const { call } = await fixture.agent()
  addPlaces('ash st 6', { ...main, display_name: '6 Ash Street' })
  const placed = { id: 'b', name: 'B', location: { address: 'yew st 7', latitude: 3, longitude: 4 } }
  const stored = await imports(call, { id: 'a', name: 'A', location: { address: 'ash st 6' } }, placed)
  t.equal(stored.status, 200)
  t.strictSame(
    (await call('GET', '/knowledge/things')).json.data.map(({ location }: { location: object }) => location),
    [{ address: '6 Ash Street', latitude: 1.5, longitude: -2.5 }, placed.location],
  )
  t.equal(requestCount('yew st 7'), 0, 'a location with coordinates is not geocoded')
  const repeated = await call('GET', '/export?format=json')
  t.equal((await call('POST', '/import', repeated.json)).status, 200)
  t.equal(requestCount('ash st 6'), 1, 'nor is one from an export')
  t.strictSame((await call('GET', '/export?format=json')).json, repeated.json)
})

t.test('An import with an address that matches no place is 422 at the path in the import', async (t) => {
  const { call } = await fixture.agent()
  addPlaces('lemuria')
  const location = { address: 'lemuria' }
  const refused = await imports(
    call,
    { id: 'a', name: 'A', location: { address: '1, 2' } },
    { id: 'b', name: 'B', location },
  )
  t.equal(refused.status, 422)
  t.same(fieldsOf(refused), ['capabilities.knowledge.things[1].location.address'])
  const older = await call('POST', '/import', { products: [{ id: 'b', name: 'B', location }] })
  t.same(fieldsOf(older), ['products[0].location.address'])
  t.same((await call('GET', '/knowledge/things')).json.data, [])
})

t.test('While geocoding is unavailable an import stores addresses without coordinates', async (t) => {
  const { call } = await fixture.agent()
  geocoder.setBehavior(pathOf('gum st 8'), (response) => void response.writeHead(503).end())
  t.equal((await imports(call, { id: 'a', name: 'A', location: { address: 'gum st 8' } })).status, 200)
  t.strictSame((await call('GET', '/knowledge/things')).json.data[0].location, { address: 'gum st 8' })
})

t.test('A refused import, or a missing agent, causes no geocoding', async (t) => {
  const { call } = await fixture.agent()
  const thing = { id: 'a', name: 'A', location: { address: 'box st 9' } }
  t.same(fieldsOf(await imports(call, thing, { id: 'c', name: 'C', collections: ['none'] })), [
    'capabilities.knowledge.things[1].collections[0]',
  ])
  const wrong = { things: [thing], goals: [{ id: 'g' }] }
  t.equal((await call('POST', '/import', wrong)).status, 422)
  t.equal((await imports(fixture.callAs(fixture.node.key, 'nobody'), thing)).status, 404)
  t.equal(requestCount('box st 9'), 0)
})
