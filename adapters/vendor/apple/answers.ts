/** Reads the answers of people to Apple's pickers and quick replies. */
import type { Inbound } from '../../../core/channel/inbound.js'
import { parsePostback } from '../../../core/channel/postback.js'
import { isRecord } from '../../../core/json.js'
import { asNumber, asText } from '../../kit/http.js'
import { notUnderstood } from '../../kit/inbound.js'

type JsonObject = Readonly<Record<string, unknown>>

interface Choice {
  readonly identifier?: string
  readonly title?: string
}

/**
 * The chosen entry of a quick reply, list picker or time picker; otherwise a note that the person answered something.
 */
export function answerIn(interactive: unknown): Inbound {
  const data = isRecord(interactive) && isRecord(interactive.data) ? interactive.data : {}
  const chosen = [...quickReplyIn(data['quick-reply']), ...rowsIn(data.listPicker), ...slotsIn(data)]
  for (const { identifier, title } of chosen) {
    const tap = identifier === undefined ? undefined : parsePostback(identifier)
    if (tap) return { kind: 'tap', ...tap, ...(title !== undefined && { label: title }) }
  }
  const text = chosen.flatMap(({ title }) => title ?? []).join(', ')
  return text === '' ? notUnderstood('an answer') : { kind: 'content', content: { text } }
}

const choiceFrom = (item: unknown): Choice[] =>
  isRecord(item) ? [{ identifier: asText(item.identifier), title: asText(item.title) }] : []

/** Answers name the chosen entry by identifier or by index, and contain the other entries, too. */
function quickReplyIn(reply: unknown): Choice[] {
  if (!isRecord(reply)) return []
  const items: Choice[] = Array.isArray(reply.items) ? reply.items.flatMap(choiceFrom) : []
  const identifier = asText(reply.selectedIdentifier)
  if (identifier !== undefined) return [items.find((item) => item.identifier === identifier) ?? { identifier }]
  const chosen = items[asNumber(reply.selectedIndex) ?? -1]
  return chosen ? [chosen] : []
}

function rowsIn(picker: unknown): Choice[] {
  const sections = isRecord(picker) && Array.isArray(picker.sections) ? picker.sections : []
  return sections.flatMap((section: unknown) =>
    isRecord(section) && Array.isArray(section.items) ? section.items.flatMap(choiceFrom) : [],
  )
}

/** Apple's sources disagree: one has the event inside the picker, another beside it. */
function slotsIn({ event, timePicker }: JsonObject): Choice[] {
  const inner = isRecord(timePicker) ? timePicker.event : undefined
  const pickerEvent = isRecord(event) ? event : inner
  return isRecord(pickerEvent) && Array.isArray(pickerEvent.timeslots) ? pickerEvent.timeslots.flatMap(choiceFrom) : []
}
