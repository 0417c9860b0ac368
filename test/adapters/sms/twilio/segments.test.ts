/** What a text costs, counted by us and by the calculator that Twilio publishes. */
import fc from 'fast-check'
import { SegmentedMessage } from 'sms-segments-calculator'
import t from 'tap'
import { segmentsOf } from '../../../../core/render/gsm7.js'

const basic =
  '@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extended = '^{}\\[~]|€'
const other = '中ç–“”…•`'
const one = (characters: string) => fc.constantFrom(...characters)
const long = (arbitrary: fc.Arbitrary<string>) =>
  fc.array(arbitrary, { maxLength: 700 }).map((characters) => characters.join(''))

const text = fc.oneof(
  long(one(basic)),
  long(fc.oneof({ weight: 6, arbitrary: one(basic) }, { weight: 1, arbitrary: one(extended) })),
  long(fc.oneof({ weight: 6, arbitrary: one(basic) }, { weight: 1, arbitrary: one(other) })),
  long(fc.oneof({ weight: 4, arbitrary: one(other) }, { weight: 1, arbitrary: fc.constant('😎') })),
  // Lengths at which a part is just full, or not.
  fc
    .tuple(one(`${basic}${extended}`), fc.constantFrom(152, 153, 154, 159, 160, 161, 305, 306, 307), one(extended))
    .map(([character, count, last]) => character.repeat(count) + last),
)

t.test('A text takes as many parts as the calculator of Twilio says', async () => {
  fc.assert(
    fc.property(text, (each) => {
      const counted = new SegmentedMessage(each)
      const { encoding, segments } = segmentsOf(each)
      if (encoding !== (counted.getEncodingName() === 'GSM-7' ? 'gsm7' : 'ucs2')) throw new Error(`it is ${encoding}`)
      if (segments !== Math.max(1, counted.segmentsCount)) {
        throw new Error(`${segments} parts, and ${counted.segmentsCount} by the calculator`)
      }
    }),
    { numRuns: 400 },
  )
})
