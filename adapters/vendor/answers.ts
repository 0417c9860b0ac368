/** What people chose in the pickers and quick replies of Apple Messages for Business. */
import type { Inbound } from '../../core/channel/inbound.js'
import { readPostback } from '../../core/channel/postback.js'
import { isRecord } from '../../core/json.js'
import { notUnderstood } from '../kit/inbound.js'
import { asNumber, asText } from '../kit/wire.js'

type Loose = Readonly<Record<string, unknown>>

interface Chosen {
  readonly identifier?: string
  readonly title?: string
}

/** What was chosen, in whichever of the three it was offered; otherwise that something was answered. */
export function answerIn(interactive: unknown): Inbound {
  const data = isRecord(interactive) && isRecord(interactive.data) ? interactive.data : {}
  const chosen = [...quickReplyIn(data['quick-reply']), ...rowsIn(data.listPicker), ...slotsIn(data)]
  for (const { identifier, title } of chosen) {
    const tap = identifier === undefined ? undefined : readPostback(identifier)
    if (tap) return { kind: 'tap', ...tap, ...(title !== undefined && { label: title }) }
  }
  const text = chosen.flatMap(({ title }) => title ?? []).join(', ')
  return text === '' ? notUnderstood('an answer') : { kind: 'content', content: { text } }
}

const chosenFrom = (item: unknown): Chosen[] =>
  isRecord(item) ? [{ identifier: asText(item.identifier), title: asText(item.title) }] : []

/** Answers name the chosen one by its identifier or by its place; the others come back with it. */
function quickReplyIn(reply: unknown): Chosen[] {
  if (!isRecord(reply)) return []
  const items: Chosen[] = Array.isArray(reply.items) ? reply.items.flatMap(chosenFrom) : []
  const identifier = asText(reply.selectedIdentifier)
  if (identifier !== undefined) return [items.find((item) => item.identifier === identifier) ?? { identifier }]
  const chosen = items[asNumber(reply.selectedIndex) ?? -1]
  return chosen ? [chosen] : []
}

function rowsIn(picker: unknown): Chosen[] {
  const sections = isRecord(picker) && Array.isArray(picker.sections) ? picker.sections : []
  return sections.flatMap((section: unknown) =>
    isRecord(section) && Array.isArray(section.items) ? section.items.flatMap(chosenFrom) : [],
  )
}

/** One source has the event inside the picker, another has it beside. */
function slotsIn({ event, timePicker }: Loose): Chosen[] {
  const inner = isRecord(timePicker) ? timePicker.event : undefined
  const picked = isRecord(event) ? event : inner
  return isRecord(picked) && Array.isArray(picked.timeslots) ? picked.timeslots.flatMap(chosenFrom) : []
}
