/** Things, collections and facts: what is refused, what is read out of what is written, what stays. */
import fc from 'fast-check'
import t from 'tap'
import {
  type AgentDocument,
  addFact,
  addressesToGeocode,
  admit,
  emptyDocument,
  findItem,
  type Geocoded,
  lint,
  patchFact,
  removeFact,
  replaceCollections,
  replaceFacts,
  replaceThings,
  thingView,
  withSection,
} from '../../../core/agent/index.js'
import { parseAddress } from '../../../core/agent/knowledge/locations.js'
import { isRefusal } from '../../../core/errors.js'
import { agentLimits } from '../../../core/limits/index.js'
import { errorsOf, must, readers, sample } from './sample.js'

const collections = ['a', 'b', 'c'].map((id) => ({ id, name: id }))
const shop = withSection(emptyDocument, 'collections', collections)
const put = (things: object[], document: AgentDocument = shop, geocoded?: ReadonlyMap<string, Geocoded>) =>
  replaceThings(document, { things }, { ...readers, ...(geocoded && { geocoded }) })
const thing = (change: object = {}) => ({ id: 't', name: 'T', ...change })
const storedThing = (change: object, document = shop) => must(put([thing(change)], document)).things[0]

t.test('Invalid things are refused as the contract lists, with the path of the field', async (t) => {
  const go = { label: 'Go' }
  const wrong: [object, string][] = [
    [[thing(), { name: 'No id' }], 'things[1].id'],
    [[{ id: 'x' }], 'things[0].name'],
    [[thing(), thing()], 'things[1].id'],
    [[thing({ metadata: { price: 3 } })], 'things[0].metadata.price'],
    [[thing({ actions: [{ ...go, kind: 'dance' }] })], 'things[0].actions[0].kind'],
    [[thing({ actions: [go] })], 'things[0].actions[0].url'],
    [[thing({ actions: [{ ...go, url: 'javascript:alert(1)' }] })], 'things[0].actions[0].url'],
    [[thing({ actions: [{ ...go, kind: 'dial' }] })], 'things[0].actions[0].phone'],
    [[thing({ actions: [{ ...go, kind: 'dial', phone: 'call me' }] })], 'things[0].actions[0].phone'],
    [[thing({ actions: [{ ...go, kind: 'viewLocation' }] })], 'things[0].actions[0].kind'],
    [[thing({ location: { latitude: 1 } })], 'things[0].location.longitude'],
    [[thing({ location: { longitude: 1 } })], 'things[0].location.latitude'],
    [[thing({ location: {} })], 'things[0].location.address'],
    [[thing({ location: { address: '91,0' } })], 'things[0].location.address'],
    [[thing({ location: { address: 'https://maps.app.goo.gl/AbC' } })], 'things[0].location.address'],
    [[thing(), thing({ id: 'u', collections: ['a', 'gone'] })], 'things[1].collections[1]'],
    [[thing({ collection: 'gone' })], 'things[0].collection'],
    [[thing({ colour: 'red' })], 'things[0].colour'],
  ]
  for (const [things, field] of wrong) {
    const { code, fields } = errorsOf(put(things as object[])) ?? {}
    t.same([code, fields?.[0]], ['request.invalid', field], field)
  }
  t.same(errorsOf(replaceThings(shop, {}, readers))?.fields, ['things'])
  t.same(errorsOf(replaceThings(shop, [], readers))?.fields, ['body'])
})

t.test('Fields of another kind of action are dropped, and phones are stored as E.164', async (t) => {
  const all = { label: 'Go', url: 'https://x.io', phone: '(415) 555-0100', value: 'v' }
  const actions = storedThing({
    location: { latitude: 1, longitude: 2 },
    actions: [all, ...['dial', 'reply', 'viewLocation'].map((kind) => ({ ...all, kind }))],
  })?.actions
  t.same(actions, [
    { label: 'Go', url: 'https://x.io' },
    { label: 'Go', kind: 'dial', phone: '+14155550100' },
    { label: 'Go', kind: 'reply', value: 'v' },
    { label: 'Go', kind: 'viewLocation' },
  ])
  const wrong = { url: 'no address', phone: 'no number', value: 7 }
  const good = { url: 'https://x.io', dial: '(415) 555-0100', reply: 'v' }
  t.same(
    storedThing({
      actions: [
        { label: 'Go', ...wrong, url: good.url },
        { label: 'Go', kind: 'dial', ...wrong, phone: good.dial },
        { label: 'Go', kind: 'reply', ...wrong, value: good.reply },
      ],
    })?.actions?.map(({ label: _label, ...action }) => action),
    [{ url: good.url }, { kind: 'dial', phone: '+14155550100' }, { kind: 'reply', value: 'v' }],
    'for any fields',
  )
})

t.test('Media is stored as the bare id', async (t) => {
  t.equal(storedThing({ media: 'image:logo' })?.media, 'logo')
  t.equal(storedThing({ media: 'logo' })?.media, 'logo')
})

t.test('Coordinates come from a pair or a map link, and the address from the place in the link', async (t) => {
  const here = { latitude: 48.8584, longitude: 2.2945 }
  const reads: [string, object][] = [
    ['48.8584, 2.2945', here],
    [' 48.8584;2.2945 ', here],
    ['-33.9,151', { latitude: -33.9, longitude: 151 }],
    [
      'https://www.google.com/maps/place/Eiffel+Tower/@48.85,2.29,17z/data=!3d48.8584!4d2.2945',
      { ...here, address: 'Eiffel Tower' },
    ],
    ['https://www.google.com/maps/@48.8584,2.2945,15z', here],
    ['https://maps.google.com/?q=48.8584,2.2945', here],
    ['https://www.google.com/maps/search/?api=1&query=48.8584%2C2.2945', here],
    ['https://maps.apple.com/?ll=48.8584,2.2945&q=Tour%20Eiffel', { ...here, address: 'Tour Eiffel' }],
    ['https://www.openstreetmap.org/?mlat=48.8584&mlon=2.2945#map=17/48/2', here],
    ['https://www.openstreetmap.org/#map=17/48.8584/2.2945', here],
    ['geo:48.8584,2.2945', here],
  ]
  for (const [address, expected] of reads) t.same(storedThing({ location: { address } })?.location, expected, address)
  t.same(parseAddress('https://maps.google.com/?q=Eiffel+Tower'), { kind: 'text', address: 'Eiffel Tower' })
})

t.test('Parsing an address never throws and gives no place outside the earth', async () => {
  const parts = fc.constantFrom(
    'https://',
    'geo:',
    '/place/',
    '@',
    '%E0',
    ',',
    '48.1',
    '999',
    '-',
    '?q=',
    '&',
    '!3d',
    '!4d',
    ' ',
    'Paris',
    '#map=',
  )
  fc.assert(
    fc.property(
      fc.array(parts, { maxLength: 10 }).map((each) => each.join('')),
      (text) => {
        const read = parseAddress(text)
        return (
          read.kind !== 'place' ||
          (Math.abs(read.coordinates.latitude) <= 90 && Math.abs(read.coordinates.longitude) <= 180)
        )
      },
    ),
  )
})

t.test('A plain address is geocoded: formatted when found, 422 when not, stored alone when unavailable', async (t) => {
  const geocodes = new Map<string, Geocoded>([
    ['Main St 1', { latitude: 1, longitude: 2, address: '1 Main Street, Springfield' }],
    ['Atlantis', 'notFound'],
  ])
  const body = {
    things: [
      thing({ location: { address: 'Main St 1', label: 'Shop' } }),
      thing({ id: 'u', location: { address: '1,2' } }),
      thing({ id: 'v', location: { address: 'Main St 1' } }),
    ],
  }
  t.same(addressesToGeocode(shop, body), ['Main St 1'], 'each address once, and only those that need it')
  const placed = must(put([thing({ location: { address: 'Main St 1', label: 'Shop' } })], shop, geocodes))
  t.same(placed.things[0]?.location, {
    address: '1 Main Street, Springfield',
    latitude: 1,
    longitude: 2,
    label: 'Shop',
  })
  t.same(errorsOf(put([thing(), thing({ id: 'u', location: { address: 'Atlantis' } })], shop, geocodes)), {
    code: 'request.invalid',
    fields: ['things[1].location.address'],
  })
  t.same(storedThing({ location: { address: 'Main St 1' } })?.location, { address: 'Main St 1' })
  const repeated = { things: [thing({ location: { address: '1 Main Street, Springfield' } })] }
  t.same(addressesToGeocode(placed, repeated), [], 'a location with coordinates is not geocoded again')
  t.same(must(replaceThings(placed, repeated, readers)).things[0]?.location, {
    address: '1 Main Street, Springfield',
    latitude: 1,
    longitude: 2,
  })
})

t.test('Without a location key the stored location stays; null clears it', async (t) => {
  const placed = must(put([thing({ location: { latitude: 1, longitude: 2 } })]))
  t.same(must(put([thing()], placed)).things[0]?.location, { latitude: 1, longitude: 2 })
  t.notOk('location' in must(put([thing({ location: null })], placed)).things[0]!)
})

t.test('Collections of a thing are a set, and the old single field is converted', async (t) => {
  const inTwo = must(put([thing({ collections: ['b', 'a', 'b'] })]))
  t.same(inTwo.things[0]?.collections, ['b', 'a'])
  t.equal(thingView(inTwo.things[0]!).collection, 'b', 'a read shows the first')
  const after = (change: object) => must(put([thing(change)], inTwo)).things[0]?.collections
  t.same(after({ collections: ['c'], collection: 'b' }), ['c'], 'collections wins')
  t.same(after({ collection: 'b' }), ['b', 'a'], 'the others stay if it equals what GET returned')
  t.same(after({ collection: 'a' }), ['a'], 'otherwise the thing moves')
  t.same(after({}), undefined, 'with neither it belongs to none')
  t.same(after({ collections: [] }), undefined)
})

t.test('PUT of a GET changes nothing', async (t) => {
  const things = JSON.parse(JSON.stringify(sample.things.map(thingView)))
  t.same(must(replaceThings(sample, { things }, readers)), sample)
  t.same(must(replaceCollections(sample, { collections: sample.collections })), sample)
  t.same(must(replaceFacts(sample, { facts: sample.facts }, '2031-01-01T00:00:00Z')), sample)
})

t.test('Dropping a collection that things belong to is 422, unless by force', async (t) => {
  const withThings = must(
    put([thing({ collections: ['a', 'b'] }), thing({ id: 'u', collections: ['b'] }), thing({ id: 'v' })]),
  )
  const remaining = { collections: [collections[0], collections[2]] }
  t.same(errorsOf(replaceCollections(withThings, remaining)), {
    code: 'request.invalid',
    fields: ['things[0].collections[1]', 'things[1].collections[0]'],
  })
  const forced = must(replaceCollections(withThings, remaining, true))
  t.same(
    forced.things.map((each) => each.collections),
    [['a'], undefined, undefined],
  )
  t.equal(forced.things[2], withThings.things[2], 'things that were not in it are untouched')
  t.same(
    errorsOf(admit(sample, replaceCollections(sample, { collections: [] }, true)))?.fields,
    ['messageTemplates[0].body'],
    'markers hold it by force too',
  )
})

t.test('Invalid collections are refused with their path', async (t) => {
  const wrong: [object, string][] = [
    [{}, 'collections'],
    [{ collections: [{ id: 'x' }] }, 'collections[0].name'],
    [{ collections: [...collections, collections[0]] }, 'collections[3].id'],
    [
      { collections: [{ id: 'x', name: 'X', presentation: { fields: ['smell'] } }] },
      'collections[0].presentation.fields[0]',
    ],
  ]
  for (const [body, field] of wrong)
    t.same(errorsOf(replaceCollections(shop, body)), { code: 'request.invalid', fields: [field] })
})

const at = '2030-01-01T00:00:00Z'
const fact = (change: object = {}) => ({ question: 'Where?', answer: 'Here.', ...change })

t.test('Facts get defaults, verbatim is read as exact, and the server sets the time', async (t) => {
  const { document, id } = must(addFact(emptyDocument, fact({ verbatim: true, updatedAt: '1999-01-01T00:00:00Z' }), at))
  t.same(findItem(document, 'facts', id), {
    exact: true,
    enabled: true,
    source: 'operator',
    confirmed: true,
    alwaysOn: false,
    question: 'Where?',
    answer: 'Here.',
    id: 'where',
    updatedAt: at,
  })
  t.equal(must(addFact(document, fact(), at)).id, 'where-2')
  t.same(errorsOf(addFact(document, fact({ id: 'where' }), at))?.fields, ['id'])
})

t.test('An unchanged fact keeps its time, and a changed one gets a new time', async (t) => {
  const two = must(replaceFacts(emptyDocument, { facts: [fact({ id: 'a' }), fact({ id: 'b' })] }, at))
  const later = '2030-02-02T00:00:00Z'
  const after = must(replaceFacts(two, { facts: [{ ...two.facts[0] }, fact({ id: 'b', answer: 'There.' })] }, later))
  t.same(
    after.facts.map((each) => each.updatedAt),
    [at, later],
  )
})

t.test('Facts are patched and removed', async (t) => {
  const patched = must(patchFact(sample, 'parking', { enabled: false, scope: null, verbatim: true }, at))
  t.match(findItem(patched, 'facts', 'parking'), { enabled: false, exact: true, updatedAt: at })
  t.notOk('scope' in findItem(patched, 'facts', 'parking')!)
  t.same(must(patchFact(sample, 'parking', {}, at)), sample)
  t.same(must(removeFact(sample, 'parking')).facts, [])
  t.equal(errorsOf(removeFact(sample, 'gone'))?.code, 'resource.not_found')
  t.same(errorsOf(patchFact(sample, 'parking', { scope: { playbooks: ['gone'] } }, at))?.fields, ['scope.playbooks[0]'])
  t.same(
    errorsOf(replaceFacts(sample, { facts: [fact({ id: 'x', scope: { playbooks: ['booking', 'gone'] } })] }, at))
      ?.fields,
    ['facts[0].scope.playbooks[1]'],
  )
  t.same(lint(patched).errors, [])
})

t.test('A refusal lists as many faults as a reply can hold, and gives their number', async (t) => {
  const ids = Array.from({ length: 20 }, (_, nth) => `c${nth}`)
  const crowded: AgentDocument = {
    ...emptyDocument,
    collections: ids.map((id) => ({ id, name: id })),
    things: Array.from({ length: 30 }, (_, nth) => ({ id: `t${nth}`, name: 'T', collections: ids })),
  }
  const refused = replaceCollections(crowded, { collections: [] })
  if (!isRefusal(refused)) throw new Error('it was taken')
  t.equal(refused.errors?.length, agentLimits.faults)
  t.match(refused.detail, /^things\[0\]\.collections\[0\]: .*first 50 of 600 /)
  const broken = admit(crowded, { ...crowded, collections: [] })
  if (!isRefusal(broken)) throw new Error('it was taken')
  t.equal(broken.errors?.length, agentLimits.faults)
  t.match(broken.detail, /and 599 more.*first 50 of 600 /)
  const few = replaceCollections({ ...crowded, things: crowded.things.slice(0, 1) }, { collections: [] })
  t.notMatch(isRefusal(few) && few.detail, /listed/)
})
