/** Keywords of carrier channels: the whole message or nothing. */
import fc from 'fast-check'
import t from 'tap'
import { type BrandInfo, defaultTexts, parseKeyword } from '../../../core/conversation/keywords.js'

const carrier = { answersKeywords: false, isOptedOut: false }
const answered = { answersKeywords: true, isOptedOut: false }

t.test('STOP and its synonyms opt out when they are the whole text', async (t) => {
  for (const text of ['STOP', ' stop ', 'Stop.', '"STOP"', 'stop 🛑', 'UNSUBSCRIBE', 'StopAll', 'ＳＴＯＰ'])
    for (const channel of ['sms', 'rcs'] as const) t.equal(parseKeyword(text, channel, carrier), 'stop', text)
  for (const text of ['STOP this bill', 'stop 12345', 'please stop', 'nonstop', 'st op', '', 's', 'stop stop'])
    t.equal(parseKeyword(text, 'sms', answered), undefined, text)
})

t.test('A text is a keyword exactly if only space, punctuation and emoji surround its words', async () => {
  const words = ['stop', 'stopall', 'stop all', 'unsubscribe', 'revoke', 'optout', 'opt out', 'cancel', 'end', 'quit']
  const piece = fc.oneof(
    fc.constantFrom(
      ...words,
      'STOP',
      'opt',
      'out',
      'all',
      'Ｓtop',
      'ＳＴＯＰ',
      'e\u0301',
      '\u0301',
      '\u1100\u1161',
      'ﬃ',
      '½',
      '🛑',
      '中',
    ),
    fc.constantFrom(' ', '  ', '!', '.', '-', '"', '\n', '!!!!!!!!!!!!!!', '               ', 'a', '1', 'please '),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join('')
      const bare = text
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '')
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()
        .toLowerCase()
      if ((parseKeyword(text, 'sms', answered) === 'stop') !== words.includes(bare))
        throw new Error(JSON.stringify(text))
    }),
    { numRuns: 5_000 },
  )
})

t.test('CANCEL, END, QUIT and HELP are keywords only where Parley answers keywords', async (t) => {
  for (const text of ['CANCEL', 'end', 'Quit!']) {
    t.equal(parseKeyword(text, 'sms', answered), 'stop', text)
    t.equal(parseKeyword(text, 'sms', carrier), undefined, text)
  }
  t.equal(parseKeyword('Help?', 'rcs', answered), 'help')
  t.equal(parseKeyword('Help?', 'rcs', carrier), undefined)
})

t.test('REVOKE, OPTOUT, OPT OUT, STOPALL and STOP ALL opt out like STOP, in any case and punctuation', async (t) => {
  const texts = [
    'REVOKE',
    'optout',
    'Opt Out',
    'OPT-OUT',
    'opt  out.',
    'STOPALL',
    'stop all',
    'Stop-All!',
    'STOP\nALL',
    'S\u200bTOP',
  ]
  for (const text of texts)
    for (const channel of ['sms', 'rcs'] as const) t.equal(parseKeyword(text, channel, carrier), 'stop', text)
  for (const text of ['stop it all', 'revoked', 'opt', 'out', 'opt out of this', 's top', 's-t-o-p'])
    t.equal(parseKeyword(text, 'sms', answered), undefined, text)
})

t.test('START and UNSTOP opt in, and YES does so only after an opt-out', async (t) => {
  t.equal(parseKeyword('start', 'sms', carrier), 'start')
  t.equal(parseKeyword('UNSTOP', 'sms', answered), 'start')
  t.equal(parseKeyword('yes', 'sms', answered), undefined)
  t.equal(parseKeyword('yes', 'sms', { answersKeywords: false, isOptedOut: true }), 'start')
  t.equal(parseKeyword('yes', 'messengerA', { answersKeywords: false, isOptedOut: true }), undefined)
})

t.test('Other channels have no keywords', async (t) => {
  for (const channel of ['webchat', 'messengerA', 'vendorMessages'] as const)
    t.equal(parseKeyword('STOP', channel, answered), undefined, channel)
})

t.test('Keyword answers name the brand and say how to continue', async (t) => {
  const brand: BrandInfo = { name: 'Harbor Hotel', contactPhone: '+1 555 0100', contactEmail: 'desk@harbor.example' }
  for (const text of Object.values(defaultTexts)) t.match(text(brand), /^Harbor Hotel:/)
  t.match(defaultTexts.stop(brand), /no more messages.*START/)
  t.match(defaultTexts.help(brand), /\+1 555 0100, desk@harbor\.example.*STOP/)
  t.match(defaultTexts.help({ name: 'Harbor' }), /^Harbor: Msg & data rates may apply/)
  t.match(defaultTexts.start(brand), /HELP.*STOP/)
  for (const text of Object.values(defaultTexts)) t.match(text({ name: 'X' }), /^[\x20-\x7e]+$/, 'one segment is cheap')
})
