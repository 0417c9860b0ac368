/** Texts and colours before they are elements: what may be opened, and what can be read on what. */
import fc from 'fast-check'
import t from 'tap'
import { reconnectDelayMs } from '../../../../adapters/webchat/widget/backoff.js'
import { openable, splitLinks } from '../../../../adapters/webchat/widget/urls.js'
import { brandOf, contrast, minContrast, parseColor } from '../../../../core/brand.js'

t.test('Only web, mail and phone addresses are opened', async (t) => {
  for (const good of ['https://harbor.example/a', 'HTTP://x.example', 'mailto:a@b.example', 'tel:+15550100'])
    t.equal(openable(good), good)
  for (const bad of [
    'javascript:alert(1)',
    'data:text/html,x',
    ' javascript:x',
    'vbscript:x',
    'file:///etc',
    '//x',
    '',
  ])
    t.equal(openable(bad), undefined, bad)
})

t.test('Addresses in plain text are found, without the punctuation that ends the sentence', async (t) => {
  const urlsIn = (text: string) => splitLinks(text).flatMap(({ url }) => (url ? [url] : []))
  t.same(urlsIn('See https://harbor.example/a_(b), or write to desk@harbor.example.'), [
    'https://harbor.example/a_(b)',
    'mailto:desk@harbor.example',
  ])
  t.same(urlsIn('(https://harbor.example)'), ['https://harbor.example'])
  t.same(urlsIn('Call +1 (555) 010-0199!'), ['tel:+15550100199'])
  t.same(urlsIn('1+1=2, room 12345678, javascript:alert(1)'), [])
})

t.test('Finding addresses loses no character of a text', async (t) => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('https://a.example', 'a@b.example', '+15550100', '(', ')', '.', ' '),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('')
      const segments = splitLinks(text)
      t.equal(segments.map((segment) => segment.text).join(''), text)
      t.ok(segments.every(({ url }) => url === undefined || openable(url)))
    }),
  )
})

t.test('Text in and on any brand colour is readable', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const brand = brandOf(`#${number.toString(16).padStart(6, '0')}`)
      const between = (a: string, b: string) => contrast(parseColor(a)!, parseColor(b)!)
      t.ok(between(brand.fill, brand.ink) >= minContrast)
      t.ok(between(brand.onLight, '#eef1f6') >= minContrast)
      t.ok(between(brand.onDark, '#2c323e') >= minContrast)
    }),
  )
  t.same(brandOf('no colour'), brandOf(undefined), 'an invalid colour counts as missing')
})

t.test('Waits between reconnects double, never exceed half a minute, and differ from page to page', async (t) => {
  fc.assert(
    fc.property(fc.nat(1000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const wait = reconnectDelayMs(failures, random)
      t.ok(wait >= 250 && wait <= 30_000)
      t.ok(reconnectDelayMs(failures + 1, random) >= wait)
    }),
  )
  t.not(reconnectDelayMs(3, 0), reconnectDelayMs(3, 1))
})
