/** Block markers: `[[name #id | prompt`, a line for each entry, and a line `]]`. */
import { readCard, readCarousel } from './cards.js'
import { addPart, addProblem, type Draft, nextPath, withoutEmpty } from './draft.js'
import type { MarkerReader } from './linemarkers.js'
import { putMedia } from './media.js'
import { momentOf } from './moment.js'
import type { Line, Marker } from './scanner.js'

export const blockMarkers: Readonly<Record<string, MarkerReader>> = {
  'ask.time': intent(readTimes),
  'ask.choice': intent(readChoice),
  confirm: intent(readConfirm),
  showcase: intent(readShowcase),
  'ask.location': intent(readLocation),
  card: readCard,
  carousel: readCarousel,
}

interface Head {
  readonly type: string
  readonly intentId: string
  readonly prompt?: string
}

/**
 * Returns the members of a part from its lines; undefined when a line has a problem. `path` is the path of the part.
 */
type ReadLines = (marker: Marker, draft: Draft, path: string) => Record<string, unknown> | undefined

function intent(readLines: ReadLines): MarkerReader {
  return (marker, draft) => {
    const head = headOf(marker, draft)
    const members = readLines(marker, draft, nextPath(draft))
    addPart(draft, head && members && { ...head, ...members }, marker.at)
  }
}

function headOf({ name, head, at }: Marker, draft: Draft): Head | undefined {
  const bar = head.indexOf('|')
  const intentText = (bar < 0 ? head : head.slice(0, bar)).trim()
  const id = intentText.slice(1).trim()
  if (!intentText.startsWith('#') || id === '' || /\s/.test(id)) {
    return addProblem(draft, at, 'badMarker', `Write [[${name} #id | prompt, with an id that has no spaces`)
  }
  const prompt = bar < 0 ? '' : head.slice(bar + 1).trim()
  return { type: name, intentId: id, ...withoutEmpty({ prompt }) }
}

interface Entry {
  readonly id: string
  readonly fields: readonly string[]
  readonly line: Line
}

/** Lines `id = field ~ field`. A tilde without space on both sides is part of its field. */
function entriesOf({ name, lines }: Marker, draft: Draft, shape: string, maxFields: number): Entry[] | undefined {
  const entries: Entry[] = []
  for (const line of lines) {
    const equals = line.text.indexOf('=')
    if (equals < 0) addProblem(draft, line.at, 'badLine', `A line of ${name} is written ${shape}`)
    else
      entries.push({
        id: line.text.slice(0, equals).trim(),
        fields: fieldsAt(line.text.slice(equals + 1), maxFields),
        line,
      })
  }
  return entries.length === lines.length ? entries : undefined
}

function fieldsAt(text: string, maxFields: number): string[] {
  const tilde = /\s~(?=\s|$)/g
  const fields: string[] = []
  let from = 0
  while (fields.length < maxFields - 1) {
    const match = tilde.exec(text)
    if (!match) break
    fields.push(text.slice(from, match.index).trim())
    from = tilde.lastIndex
  }
  return [...fields, text.slice(from).trim()]
}

/** Entries as a list of the part, with the source line of each. */
function listOf(
  draft: Draft,
  path: string,
  entries: readonly Entry[],
  read: (entry: Entry, path: string) => Record<string, unknown>,
) {
  return entries.map((entry, index) => {
    const entryPath = `${path}[${index}]`
    draft.origins.set(entryPath, entry.line.at)
    return read(entry, entryPath)
  })
}

function readTimes(marker: Marker, draft: Draft, path: string): Record<string, unknown> | undefined {
  const entries = entriesOf(marker, draft, 'slotId = date and time ~ label', 2)
  if (!entries) return
  const slots = listOf(draft, `${path}.slots`, entries, ({ id, fields: [iso = '', label], line }) => ({
    id,
    start: momentOf(draft, iso, line.at),
    ...withoutEmpty({ label }),
  }))
  return { slots }
}

function readChoice(marker: Marker, draft: Draft, path: string): Record<string, unknown> | undefined {
  const entries = entriesOf(marker, draft, 'optionId = label ~ description', 2)
  if (!entries) return
  const options = listOf(draft, `${path}.options`, entries, ({ id, fields: [label = '', description] }) => ({
    id,
    label,
    ...withoutEmpty({ description }),
  }))
  return { options }
}

function readShowcase(marker: Marker, draft: Draft, path: string): Record<string, unknown> | undefined {
  const entries = entriesOf(marker, draft, 'itemId = title ~ description ~ imageUrl', 3)
  if (!entries) return
  let isValid = true
  const items = listOf(
    draft,
    `${path}.items`,
    entries,
    ({ id, fields: [title = '', description, image = ''], line }, itemPath) => {
      const item: Record<string, unknown> = { id, title, ...withoutEmpty({ description }) }
      if (image !== '' && !putMedia(draft, { holder: item, path: itemPath, at: line.at }, image)) isValid = false
      return item
    },
  )
  return isValid ? { items } : undefined
}

function readConfirm({ lines }: Marker, draft: Draft, path: string): Record<string, unknown> | undefined {
  const details: Record<string, unknown>[] = []
  for (const { text, at } of lines) {
    const colon = text.indexOf(':')
    if (colon < 0) {
      addProblem(draft, at, 'badLine', 'A line of confirm is written label: value')
      continue
    }
    draft.origins.set(`${path}.details[${details.length}]`, at)
    details.push({ label: text.slice(0, colon).trim(), value: text.slice(colon + 1).trim() })
  }
  if (details.length < lines.length) return
  return details.length > 0 ? { details } : {}
}

function readLocation({ lines: [line] }: Marker, draft: Draft): Record<string, unknown> | undefined {
  return line ? addProblem(draft, line.at, 'badLine', 'ask.location has no lines') : {}
}
