/** Typed values: the same instant everywhere, in its own zone, on both sides of every change of the clocks. */
import fc from 'fast-check'
import t from 'tap'
import type { ContentMessage, Moment } from '../../../core/amf/index.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { channelNames } from '../../../core/channelnames.js'
import { floorText, render } from '../../../core/render/index.js'
import { formatOptionsFor, momentText, moneyText, slotLabels, spanText } from '../../../core/render/values.js'

const american = { locale: 'en-US', zone: 'America/New_York' }
const berlin = (iso: string): Moment => ({ iso, tz: 'Europe/Berlin' })
const newYork = (iso: string): Moment => ({ iso, tz: 'America/New_York' })

t.test('A moment is written in its own zone, before and after the clocks change', async (t) => {
  const written: [Moment, string][] = [
    [newYork('2026-03-08T06:30:00Z'), 'Sun, Mar 8, 2026, 1:30 AM EST'],
    [newYork('2026-03-08T07:30:00Z'), 'Sun, Mar 8, 2026, 3:30 AM EDT'],
    [newYork('2026-11-01T01:30:00-04:00'), 'Sun, Nov 1, 2026, 1:30 AM EDT'],
    [newYork('2026-11-01T01:30:00-05:00'), 'Sun, Nov 1, 2026, 1:30 AM EST'],
    [berlin('2026-03-29T00:30:00Z'), 'Sun, Mar 29, 2026, 1:30 AM GMT+1'],
    [berlin('2026-03-29T01:30:00Z'), 'Sun, Mar 29, 2026, 3:30 AM GMT+2'],
    [berlin('2026-10-25T02:30:00+02:00'), 'Sun, Oct 25, 2026, 2:30 AM GMT+2'],
    [berlin('2026-10-25T02:30:00+01:00'), 'Sun, Oct 25, 2026, 2:30 AM GMT+1'],
  ]
  for (const [moment, text] of written) t.equal(momentText(moment, american), text)
})

t.test('The offset of a moment does not matter, only its instant', async (t) => {
  t.equal(
    momentText(newYork('2026-07-01T18:00:00+02:00'), american),
    momentText(newYork('2026-07-01T16:00:00Z'), american),
  )
})

t.test('Two slots in the repeated hour of autumn are distinguished', async (t) => {
  const slots = [
    { start: newYork('2026-11-01T01:30:00-04:00') },
    { start: newYork('2026-11-01T01:30:00-05:00') },
    { start: newYork('2026-11-01T09:00:00-05:00') },
  ]
  t.same(slotLabels(slots, american), [
    'Sun, Nov 1, 2026, 1:30 AM EDT',
    'Sun, Nov 1, 2026, 1:30 AM EST',
    'Sun, Nov 1, 9:00 AM',
  ])
})

t.test('A slot names its zone if the reader’s clock shows another time', async (t) => {
  t.same(slotLabels([{ start: berlin('2026-11-20T18:00:00+01:00') }], american), ['Fri, Nov 20, 2026, 6:00 PM GMT+1'])
  t.same(slotLabels([{ start: berlin('2026-11-20T18:00:00+01:00') }], { ...american, zone: 'Europe/Paris' }), [
    'Fri, Nov 20, 6:00 PM',
  ])
})

t.test('A time range shows an equal day and zone once', async (t) => {
  const start = newYork('2026-10-31T23:00:00-04:00')
  t.equal(spanText(start, newYork('2026-10-31T23:30:00-04:00'), american), 'Sat, Oct 31, 2026, 11:00 PM - 11:30 PM EDT')
  t.equal(
    spanText(start, newYork('2026-11-01T00:30:00-04:00'), american),
    'Sat, Oct 31, 2026, 11:00 PM - Sun, Nov 1, 2026, 12:30 AM EDT',
  )
  t.equal(
    spanText(start, newYork('2026-11-01T03:00:00-05:00'), american),
    'Sat, Oct 31, 2026, 11:00 PM EDT - Sun, Nov 1, 2026, 3:00 AM EST',
    'the clocks change between them',
  )
})

t.test('Text, chip and calendar link of an event have the same instants', async (t) => {
  const event = {
    title: 'Night shift',
    start: newYork('2026-11-01T00:30:00-04:00'),
    end: newYork('2026-11-01T01:30:00-05:00'),
  }
  const message: ContentMessage = { spec: 'amf/1', parts: [{ type: 'share.event', ...event }] }
  const text = floorText(render(message, traitsOf('sms'), american))
  t.match(text, 'Sun, Nov 1, 2026, 12:30 AM EDT - Sun, Nov 1, 2026, 1:30 AM EST')
  t.match(text, 'dates=20261101T043000Z/20261101T063000Z')
  const [block] = render(message, traitsOf('rcs'), american).blocks
  t.match(block, { kind: 'text', chips: [{ kind: 'calendar', event }] })
  t.match(block?.kind === 'text' && block.text, '12:30 AM EDT')
})

t.test('The language of the message takes precedence over the reader’s', async (t) => {
  const parts = [
    {
      type: 'text' as const,
      text: ['Um ', berlin('2026-11-20T18:00:00+01:00'), ': ', { amount: '1234.5', currency: 'EUR' }],
    },
  ]
  const german = render({ spec: 'amf/1', parts, locale: 'de-DE' }, traitsOf('webchat'), american)
  t.same(german.blocks, [{ kind: 'text', text: 'Um Fr., 20. Nov. 2026, 18:00 MEZ: 1.234,50 €' }])
  t.same(formatOptionsFor('not a locale', { locale: '', zone: 'UTC' }), { locale: 'en-US', zone: 'UTC' })
})

t.test('A value is never read as markup', async (t) => {
  const parts = [{ type: 'text' as const, text: [{ amount: '-5', currency: 'USD' }, ' *now*'] }]
  const { blocks } = render({ spec: 'amf/1', parts }, traitsOf('sms'), american)
  t.same(blocks, [{ kind: 'text', text: '-$5.00 now' }])
})

t.test('Money is exact at any size, with the digits of its currency', async (t) => {
  const written: [string, string, string][] = [
    ['49.5', 'USD', '$49.50'],
    ['900719925474099.31', 'USD', '$900,719,925,474,099.31'],
    ['1000', 'JPY', '¥1,000'],
    ['1000.00', 'JPY', '¥1,000'],
    ['1.005', 'USD', '$1.005'],
    ['1.5', 'KWD', 'KWD 1.500'],
    ['-0.1', 'EUR', '-€0.10'],
  ]
  for (const [amount, currency, text] of written) t.equal(moneyText({ amount, currency }, american), text)
})

t.test('No digit of an amount is lost', async () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[1-9][0-9]{0,14}\.[0-9]{1,6}$/),
      fc.constantFrom('USD', 'JPY', 'KWD'),
      (amount, currency) => {
        const digits = (text: string) =>
          text
            .replace(/[^\d.]/g, '')
            .replace(/0+$/, '')
            .replace(/\.$/, '')
        const written = moneyText({ amount, currency }, american)
        const whole = written.includes('.') ? digits(written) : written.replace(/\D/g, '')
        if (whole !== digits(amount)) throw new Error(`${amount} became ${written}`)
      },
    ),
    { numRuns: 200 },
  )
})

t.test('The time of a slot, with AM and PM, is complete on every chip and in every list', async (t) => {
  const anyStart = fc
    .tuple(
      fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2032, 0) }),
      fc.constantFrom('America/New_York', 'Asia/Kolkata', 'UTC'),
    )
    .map(([at, tz]) => ({ iso: new Date(at - (at % 900_000)).toISOString(), tz }))
  const anyReader = fc.record({
    locale: fc.constantFrom('en-US', 'en-GB', 'de-DE', 'es-MX', 'ja-JP'),
    zone: fc.constantFrom('America/New_York', 'UTC'),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(anyStart, { minLength: 1, maxLength: 8, selector: ({ iso }) => iso }),
      anyReader,
      (starts, reader) => {
        const slots = starts.map((start, at) => ({ id: `s${at}`, start }))
        const message = {
          spec: 'amf/1' as const,
          parts: [{ type: 'ask.time' as const, intentId: 'when', prompt: 'When?', slots }],
        }
        for (const channel of channelNames) {
          const { blocks } = render(message, traitsOf(channel), reader)
          for (const block of blocks) {
            const displayed = block.kind === 'list' ? block.rows : 'chips' in block ? (block.chips ?? []) : []
            for (const { label, tap } of displayed) {
              const time = new Intl.DateTimeFormat(reader.locale, {
                hour: 'numeric',
                minute: '2-digit',
                timeZone: starts[tap!]!.tz,
              })
                .format(Date.parse(starts[tap!]!.iso))
                .replace(/[\u00a0\u2009\u202f]/g, ' ')
              if (!label.includes(time)) throw new Error(`${channel}: ${label} lacks ${time}`)
            }
          }
        }
      },
    ),
  )
  t.pass('any slots on any channel')
})
