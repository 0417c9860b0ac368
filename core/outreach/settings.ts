/** How an agent sends: how often marketing may come, and in which hours conversations may be begun. */
import Type, { type Static } from 'typebox'
import { closed, optional } from '../agent/resources/words.js'
import { invalid, type Refusal } from '../errors.js'
import { outreachSend as limits } from '../limits.js'
import { isTimeZone } from '../zones.js'

const hourOfDay = Type.Integer({ minimum: 0, maximum: 23 })

export const SendingHours = closed('SendingHours', {
  startHour: hourOfDay,
  endHour: hourOfDay,
  timeZone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name.' }),
})

export const SendingSettings = closed('SendingSettings', {
  minTouchIntervalHours: optional(
    Type.Number({
      minimum: 0,
      maximum: limits.touchMostHours,
      description: 'Between marketing messages to one person; 0 allows any.',
    }),
  ),
  safeHours: optional(SendingHours),
})
export type SendingSettings = Static<typeof SendingSettings>

/** As they are in force. */
export type Sending = SendingSettings & { readonly minTouchIntervalHours: number }

export const usualSending: Sending = { minTouchIntervalHours: limits.touchHours }

/** What no schema can tell of hours. */
export function wrongHours(hours: Static<typeof SendingHours> | undefined, at: string): Refusal | undefined {
  if (!hours || isTimeZone(hours.timeZone)) return undefined
  return invalid(`${at}.timeZone`, 'must be an IANA time zone')
}

export function sendingReplaced(sent: SendingSettings): Sending | Refusal {
  return wrongHours(sent.safeHours, 'safeHours') ?? { ...usualSending, ...sent }
}
