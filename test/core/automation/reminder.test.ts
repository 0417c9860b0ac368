/** What a reminder says, and when it is due. */
import fc from 'fast-check'
import t from 'tap'
import { validateMessage } from '../../../core/amf/index.js'
import { reminderDueAt, reminderMessage } from '../../../core/automation/reminder.js'
import { minute } from '../../../core/durations.js'
import { momentText } from '../../../core/render/values.js'

const say = { locale: 'en-US', zone: 'UTC' }
const textOf = (startUtc: number, prospectTimezone: string) => {
  const { parts } = reminderMessage({
    subject: { startUtc, prospectTimezone },
    agentName: 'Quay',
    document: {},
  })
  const { text } = parts[0] as { text: readonly (string | { iso: string; tz: string })[] }
  return text.map((run) => (typeof run === 'string' ? run : momentText(run, say))).join('')
}

t.test('The hour is in the person’s own time zone, on either side of a clock change', async (t) => {
  const zone = 'America/New_York'
  t.equal(
    textOf(Date.parse('2026-03-07T15:00:00Z'), zone),
    'Reminder: your appointment with Quay is on Sat, Mar 7, 2026, 10:00 AM EST.',
  )
  t.equal(
    textOf(Date.parse('2026-03-08T15:00:00Z'), zone),
    'Reminder: your appointment with Quay is on Sun, Mar 8, 2026, 11:00 AM EDT.',
  )
  t.match(textOf(Date.parse('2026-11-01T05:30:00Z'), zone), '1:30 AM EDT')
  t.match(textOf(Date.parse('2026-11-01T06:30:00Z'), zone), '1:30 AM EST')
  t.match(textOf(Date.parse('2026-03-08T15:00:00Z'), 'Asia/Kathmandu'), '8:45 PM')
})

t.test('The lead is elapsed time: a clock change does not shorten or extend it', async (t) => {
  const start = Date.parse('2026-03-08T15:00:00Z')
  const scheduling = { reminders: { leadMinutes: 1_440 }, representatives: [] }
  t.equal(reminderDueAt(start, scheduling, 1), start - 1_440 * minute)
  t.equal(reminderDueAt(start, scheduling, 60), start - 24 * minute)
  t.equal(reminderDueAt(start, undefined, 1), start - 1_440 * minute)
})

t.test('Any name of a person gives a valid AMF message with the name unchanged', async (t) => {
  const words = fc.string({ minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(words, words, fc.option(words, { nil: undefined }), words, (agentName, name, title, phone) => {
      const message = reminderMessage({
        subject: {
          startUtc: 0,
          prospectTimezone: 'UTC',
          representativeName: name,
          ...(title !== undefined && { representativeTitle: title }),
        },
        agentName,
        document: {
          scheduling: {
            reminders: { includeContactCard: true },
            representatives: [{ id: 'r', name, phone }],
          },
        },
      })
      const [first] = (message.parts[0] as { text: readonly string[] }).text
      return 'message' in validateMessage(message) && first!.replace(/\\([\\`*_[\]~<>])/g, '$1').includes(name)
    }),
  )
  t.pass()
})
