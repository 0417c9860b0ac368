/** Send settings of an agent: how often marketing may be sent, and in which hours conversations may be opened. */
import Type, { type Static } from 'typebox'
import { closedObject, optional } from '../agent/resources/schemas.js'
import { invalid, type Refusal } from '../errors.js'
import { outreachSend as limits } from '../limits/index.js'
import { isTimeZone } from '../zones.js'

const hourOfDay = Type.Integer({ minimum: 0, maximum: 23 })

export const SendingHours = closedObject('SendingHours', {
  startHour: hourOfDay,
  endHour: hourOfDay,
  timeZone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name.' }),
})

export const SendingSettings = closedObject('SendingSettings', {
  minTouchIntervalHours: optional(
    Type.Number({
      minimum: 0,
      maximum: limits.touchMaxHours,
      description: 'Between marketing messages to one person; 0 allows any.',
    }),
  ),
  safeHours: optional(SendingHours),
})
export type SendingSettings = Static<typeof SendingSettings>

/** The settings in force, with defaults. */
export type SendingPolicy = SendingSettings & { readonly minTouchIntervalHours: number }

export const defaultSending: SendingPolicy = { minTouchIntervalHours: limits.touchHours }

/** Checks of hours that a schema cannot express. */
export function hoursError(hours: Static<typeof SendingHours> | undefined, path: string): Refusal | undefined {
  if (!hours || isTimeZone(hours.timeZone)) return undefined
  return invalid(`${path}.timeZone`, 'must be an IANA time zone')
}

export function replaceSending(sent: SendingSettings): SendingPolicy | Refusal {
  return hoursError(sent.safeHours, 'safeHours') ?? { ...defaultSending, ...sent }
}
