/** What media is found to be, by its first bytes alone. */
import fc from 'fast-check'
import t from 'tap'
import { isAllowed, mediaTypes, typeOf, typeOfName } from '../../../runtime/media/types.js'
import { documents, samples, strangers } from './samples.js'

t.test('The first bytes decide the type, and every type of the table has a sample', async (t) => {
  const byBytes = mediaTypes.filter(({ fileExtensions: endings }) => !endings)
  t.same(Object.keys(samples).sort(), byBytes.map(({ type }) => type).sort())
  for (const [type, heads] of Object.entries(samples)) {
    for (const head of heads) {
      const matching = byBytes.filter(({ matches }) => matches(head)).map((each) => each.type)
      t.same(matching, [type], `${type}: ${head.toString('latin1').slice(0, 12)}`)
    }
  }
})

t.test('Types with equal first bytes are distinguished by extension, and never by that alone', async (t) => {
  const named = mediaTypes.filter(({ fileExtensions: endings }) => endings)
  t.same(Object.keys(documents).sort(), named.map(({ extension }) => extension).sort())
  for (const { type, extension } of named) {
    t.equal(typeOf(documents[extension]!, {}, `https://x.example/a.${extension.toUpperCase()}?v=1`)?.type, type)
    t.equal(typeOf(strangers['a program']!, {}, `https://x.example/a.${extension}`), undefined, extension)
  }
  for (const head of [strangers.html!, strangers.svg!]) t.equal(typeOf(head, {}, 'https://x.example/a.txt'), undefined)
  t.equal(
    typeOf(documents.txt!.subarray(0, documents.txt!.length - 1), {}, 'a.txt')?.type,
    'text/plain',
    'a cut character',
  )
})

t.test('Pages, drawings with scripts, programs and unknown content have no type', async (t) => {
  for (const [name, head] of Object.entries(strangers)) t.equal(typeOf(head), undefined, name)
  t.equal(typeOf(Buffer.alloc(0)), undefined)
})

t.test('Any bytes are classified without an exception, and markup is never media', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      typeOf(Buffer.from(bytes))
    }),
  )
  const heads = Object.values(samples).flat()
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.nat(64), (head, length) => {
      typeOf(head.subarray(0, length))
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => typeOf(Buffer.from(`<${text}`)) === undefined))
})

t.test('A type is accepted by its name or with its whole family', async (t) => {
  t.ok(isAllowed('image/png', { types: ['image/jpeg', 'image/png'] }))
  t.ok(isAllowed('image/png', { types: ['image/*'] }))
  t.notOk(isAllowed('image/png', { types: ['image/jpeg', 'video/*', 'image', 'image/pn'] }))
  t.notOk(isAllowed('image/png', { types: [] }))
})

t.test('One extension stands for one type, and only a given name sets the name of an object', async (t) => {
  t.equal(new Set(mediaTypes.map(({ extension }) => extension)).size, mediaTypes.length)
  const name = '0123456789abcdefghjkmnpqrs'
  for (const each of mediaTypes) t.equal(typeOfName(`${name}.${each.extension}`), each)
  for (const wrong of [
    name,
    `${name}.`,
    `${name}.html`,
    `${name}.svg`,
    `${name}.PNG`,
    `${name}.png.part`,
    `${name}x.png`,
    `${name.slice(1)}.png`,
    `../${name}.png`,
    `${name}/.png`,
    `${name}\0.png`,
    '..',
    '',
  ]) {
    t.equal(typeOfName(wrong), undefined, JSON.stringify(wrong))
  }
})
