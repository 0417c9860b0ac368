/** The words by which questions are compared: stems in one spelling, without function words. */
import fc from 'fast-check'
import t from 'tap'
import { queryForms } from '../../../core/knowledge/queryforms.js'
import { searchWords } from '../../../core/knowledge/searchwords.js'
import { stem } from '../../../core/knowledge/stemming.js'
import { tokenize } from '../../../core/knowledge/tokenizer.js'
import { knowledge as limits } from '../../../core/limits/index.js'

t.test('Plural, -ing and -ed of an English word have its stem', async (t) => {
  for (const forms of [
    'park parks parked parking',
    'dog dogs',
    'box boxes',
    'dish dishes',
    'price prices priced pricing',
    'house houses housing',
    'try tries tried',
    'stop stops stopped stopping',
    'charge charges charged charging',
    'close closes closed closing',
    'allow allows allowed allowing',
  ]) {
    const stems = new Set(forms.split(' ').map(stem))
    t.equal(stems.size, forms.startsWith('try') ? 2 : 1, `${forms}: ${[...stems]}`)
  }
  for (const word of ['bus', 'gas', 'class', 'king', 'ring', 'need', 'speed', 'red', '营业', 'x-y', '2nd', 'this']) {
    t.equal(stem(word), word, word)
  }
})

t.test('A question has the same words in each spelling, and without its function words', async (t) => {
  t.same(searchWords('Could you please tell me where I can park?'), ['park'])
  for (const text of ['Is check-in at two?', 'is checkin at two', 'Is Check In at two']) {
    t.same(searchWords(text), ['checkin', 'two'], text)
  }
  t.same(searchWords('Wi-Fi, wi fi & WIFI'), ['wifi', 'wifi', 'wifi'])
  t.same(searchWords('x-rays'), ['xray'])
  t.same(searchWords('How much is it?'), ['pric'])
  t.same(searchWords('what does it cost'), ['pric'])
  t.same(searchWords('what’s the children’s fee'), ['child', 'pric'])
  t.same(searchWords('who are you'), [])
  t.same(searchWords('Öffnungszeiten'), ['offnungszeiten'])
})

t.test('A query has each of its words once, with the forms that texts may have of it', async (t) => {
  const forms = queryForms('may my dogs come parking')
  t.equal(forms.length, 3)
  t.ok(forms[0]!.includes('dog') && forms[0]!.includes('dogs'))
  t.ok(['park', 'parks', 'parked', 'parking'].every((form) => forms[2]!.includes(form)))
  t.same(
    queryForms('who are you').map(([word]) => word),
    ['who', 'are', 'you'],
    'function words if it has no others',
  )
  t.same(queryForms('営業'), [['営業']])
  t.equal(queryForms(Array.from({ length: 100 }, (_, nth) => `w${nth}`).join(' ')).length, limits.queryWords)
  const property = fc.property(fc.stringMatching(/^[a-z]{1,12}$/), (word) =>
    queryForms(word).every(
      (each) => each.includes(word) && each.every((form) => form === word || stem(form) === stem(word)),
    ),
  )
  t.doesNotThrow(() => fc.assert(property))
})

t.test('A text of ASCII has the same words as among other letters', async (t) => {
  const ascii = fc.string({ unit: 'binary-ascii' })
  const property = fc.property(ascii, (text) => {
    const [first, ...others] = tokenize(`é ${text}`)
    return first === 'e' && JSON.stringify(others) === JSON.stringify(tokenize(text))
  })
  t.doesNotThrow(() => fc.assert(property))
})
