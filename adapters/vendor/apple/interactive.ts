/** Renders Apple's interactive messages: quick replies, list pickers and time pickers. */
import { offsetOf } from '../../../core/aml/zone.js'
import type { RenderedChip, RenderedRow, RenderedSlot } from '../../../core/channel/blocks.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { formatPostback } from '../../../core/channel/postback.js'
import { appleMessages as limits } from '../../../core/limits/index.js'
import { literal } from '../../../core/render/lines.js'
import { phrases } from '../../../core/render/phrases.js'
import { splitPages } from '../../../core/render/split.js'
import { uuidFrom } from '../../kit/http.js'

type JsonObject = Readonly<Record<string, unknown>>
export interface Interactive {
  readonly bid: string
  readonly data: JsonObject
  readonly receivedMessage?: JsonObject
  readonly replyMessage?: JsonObject
}

/** The app on the phone that shows all of them. */
const bid =
  'com.apple.messages.MSMessageExtensionBalloonPlugin:0000000000:com.apple.icloud.apps.messages.business.extension'

const traits = traitsOf('vendorMessages')

/** `name` is stable: the same for every rendering of the same message. */
const dataOf = (name: string, content: JsonObject): JsonObject => ({
  version: '1.0',
  requestIdentifier: uuidFrom(name),
  ...content,
})

/** Apple's samples of pickers name the version `mspVersion`, its documents `version`; both are sent. */
const pickerOf = (name: string, content: JsonObject): JsonObject => dataOf(name, { mspVersion: '1.0', ...content })

const identifierOf = (tap: number | undefined, messageId: string) => formatPostback({ messageId, tapIndex: tap! })

export function quickReply(text: string, chips: readonly RenderedChip[], messageId: string, name: string): Interactive {
  const items = chips.map(({ label, tap }) => ({ identifier: identifierOf(tap, messageId), title: label }))
  return { bid, data: dataOf(name, { 'quick-reply': { summaryText: text, items } }) }
}

/** The bubbles before and after an answer. */
const bubbles = (text: string, subtitle?: string) => ({
  receivedMessage: { title: text, ...(subtitle !== undefined && { subtitle }), style: 'icon' },
  replyMessage: { title: phrases.select, style: 'icon' },
})

/**
 * Splits a list into several pickers when one would be too large: Apple sends the answer to a large picker as a
 * reference to a file. The answer to any of the pickers names its row.
 */
export function listPickers(
  text: string,
  rows: readonly RenderedRow[],
  messageId: string,
  name: string,
): readonly Interactive[] {
  const pages: RenderedRow[][] = [[]]
  const pickerFor = (page: readonly RenderedRow[], index: number) =>
    listPicker(text, page, messageId, `${name}.${index}`)
  for (const row of rows) {
    const joined = [...pages.at(-1)!, row]
    const size = Buffer.byteLength(JSON.stringify(pickerFor(joined, pages.length)))
    if (size > limits.interactiveBytes && joined.length > 1) pages.push([row])
    else pages[pages.length - 1] = joined
  }
  return pages.map(pickerFor)
}

function listPicker(text: string, rows: readonly RenderedRow[], messageId: string, name: string): Interactive {
  const items = rows.map(({ label, description, tap }, order) => ({
    identifier: identifierOf(tap, messageId),
    order,
    title: label,
    ...(description !== undefined && { subtitle: description }),
    style: 'default',
  }))
  const sections = [{ title: phrases.select, order: 0, multipleSelection: false, items }]
  return { bid, ...bubbles(text), data: pickerOf(name, { listPicker: { sections } }) }
}

/**
 * The picker shows times without labels: the labels go into its bubble, or into a message ahead when the bubble is too
 * small.
 */
export function timePicker(
  text: string,
  slots: readonly RenderedSlot[],
  messageId: string,
  name: string,
): { readonly labels: readonly string[]; readonly picker: Interactive } {
  const inBubble = slots.map(({ label }) => label).join(' · ')
  const fits = inBubble.length <= traits.text.besideMax!
  const lines = [...literal(text), ...slots.flatMap(({ label }) => literal(`- ${label}`))]
  const timeslots = slots.map(({ start, tap }) => ({
    identifier: identifierOf(tap, messageId),
    startTime: `${new Date(start.iso).toISOString().slice(0, 16)}+0000`,
    duration: limits.slotSeconds,
  }))
  const event = { identifier: '1', title: text, ...zoneOf(slots), timeslots }
  return {
    labels: fits ? [] : splitPages(lines, traits),
    picker: { bid, ...bubbles(text, fits ? inBubble : undefined), data: pickerOf(name, { event }) },
  }
}

/** Times show in the zone of the slots when it has one offset for all of them; otherwise in the reader's own. */
function zoneOf(slots: readonly RenderedSlot[]): JsonObject {
  const offsets = new Set(slots.map(({ start }) => offsetOf(start.tz, Date.parse(start.iso))))
  const [timezoneOffset] = offsets
  return offsets.size === 1 ? { timezoneOffset } : {}
}
