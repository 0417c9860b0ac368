/** Keywords of carrier channels: the whole message or nothing. */
import fc from 'fast-check'
import t from 'tap'
import { type Brand, keywordIn, stockTexts } from '../../../core/conversation/keywords.js'

t.test('STOP and its family end messages when they are all that is said', async (t) => {
  for (const text of ['STOP', ' stop ', 'Stop.', '"STOP"', 'stop 🛑', 'UNSUBSCRIBE', 'StopAll', 'ＳＴＯＰ'])
    for (const channel of ['sms', 'rcs'] as const) t.equal(keywordIn(text, channel, false), 'stop', text)
  for (const text of ['STOP this bill', 'stop 12345', 'please stop', 'nonstop', 'st op', '', 's', 'stop stop'])
    t.equal(keywordIn(text, 'sms', true), undefined, text)
})

t.test('A text is a keyword exactly when nothing but space, punctuation and emoji stands around it', async () => {
  const words = ['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit']
  const piece = fc.oneof(
    fc.constantFrom(...words, 'STOP', 'Ｓtop', 'ＳＴＯＰ', 'e\u0301', '\u0301', '\u1100\u1161', 'ﬃ', '½', '🛑', '中'),
    fc.constantFrom(' ', '  ', '!', '.', '-', '"', '\n', '!!!!!!!!!!!!!!', '               ', 'a', '1', 'please '),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join('')
      const bare = text
        .normalize('NFKC')
        .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
        .toLowerCase()
      if ((keywordIn(text, 'sms', true) === 'stop') !== words.includes(bare)) throw new Error(JSON.stringify(text))
    }),
    { numRuns: 5_000 },
  )
})

t.test('CANCEL, END, QUIT and HELP are keywords only where the house answers keywords', async (t) => {
  for (const text of ['CANCEL', 'end', 'Quit!']) {
    t.equal(keywordIn(text, 'sms', true), 'stop', text)
    t.equal(keywordIn(text, 'sms', false), undefined, text)
  }
  t.equal(keywordIn('Help?', 'rcs', true), 'help')
  t.equal(keywordIn('Help?', 'rcs', false), undefined)
})

t.test('START resumes them, and YES does not', async (t) => {
  t.equal(keywordIn('start', 'sms', false), 'start')
  t.equal(keywordIn('UNSTOP', 'sms', true), 'start')
  t.equal(keywordIn('yes', 'sms', true), undefined)
})

t.test('Other channels have no keywords', async (t) => {
  for (const channel of ['webchat', 'messengerA', 'vendorMessages'] as const)
    t.equal(keywordIn('STOP', channel, true), undefined, channel)
})

t.test('What people are answered names the brand and says how to go on', async (t) => {
  const brand: Brand = { name: 'Harbor Hotel', contactPhone: '+1 555 0100', contactEmail: 'desk@harbor.example' }
  for (const text of Object.values(stockTexts)) t.match(text(brand), /^Harbor Hotel:/)
  t.match(stockTexts.stop(brand), /no more messages.*START/)
  t.match(stockTexts.help(brand), /\+1 555 0100, desk@harbor\.example.*STOP/)
  t.match(stockTexts.help({ name: 'Harbor' }), /^Harbor: Msg & data rates may apply/)
  t.match(stockTexts.start(brand), /HELP.*STOP/)
  for (const text of Object.values(stockTexts)) t.match(text({ name: 'X' }), /^[\x20-\x7e]+$/, 'one segment is cheap')
})
