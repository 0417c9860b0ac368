/** Cards in AML: `[[card | title` with lines `key: value`, and `[[carousel` with cards between lines `---`. */
import { chipsOf } from './chips.js'
import { addPart, addProblem, type Draft, nextPath, withoutEmpty } from './draft.js'
import { putMedia } from './media.js'
import type { Line, Marker } from './scanner.js'

export function readCard(marker: Marker, draft: Draft): void {
  const title = titleOf(marker)
  if (title === undefined) return addProblem(draft, marker.at, 'badMarker', 'Write [[card | title')
  const card = cardOf(draft, marker.lines, { path: `${nextPath(draft)}.card`, title })
  addPart(draft, card && { type: 'card', card }, marker.at)
}

export function readCarousel(marker: Marker, draft: Draft): void {
  if (titleOf(marker) !== '') return addProblem(draft, marker.at, 'badMarker', 'Write [[carousel alone on its line')
  const path = `${nextPath(draft)}.cards`
  const cards = groupsOf(marker.lines).map((lines, index) => {
    draft.origins.set(`${path}[${index}]`, lines[0]?.at ?? marker.at)
    return cardOf(draft, lines, { path: `${path}[${index}]` })
  })
  addPart(draft, cards.includes(undefined) ? undefined : { type: 'carousel', cards }, marker.at)
}

/** The text after the bar; undefined when other text stands before it. */
function titleOf({ head }: Marker): string | undefined {
  const text = head.trim()
  if (text === '') return ''
  return text.startsWith('|') ? text.slice(1).trim() : undefined
}

/** A line `---` before the first card or after the last one is ignored. */
function groupsOf(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = [[]]
  for (const line of lines) {
    if (/^-{3,}$/.test(line.text)) groups.push([])
    else groups.at(-1)?.push(line)
  }
  return groups.filter((group, index) => group.length > 0 || (index > 0 && index < groups.length - 1))
}

const memberPattern = /^(title|description|media|chips)\s*:(.*)$/
const memberLikePattern = /^[A-Za-z]+\s*:/

interface CardTarget {
  readonly path: string
  /** From the head; a card of a carousel has no head, and may start with a title line instead. */
  readonly title?: string
}

function cardOf(
  draft: Draft,
  lines: readonly Line[],
  { path, title }: CardTarget,
): Record<string, unknown> | undefined {
  const card: Record<string, unknown> = withoutEmpty({ title })
  let isValid = true
  const reject = (line: Line, message: string) => {
    addProblem(draft, line.at, 'badLine', message)
    isValid = false
  }
  for (const [index, line] of lines.entries()) {
    let [, key = '', value = ''] = memberPattern.exec(line.text) ?? []
    if (key === '' && title === undefined && index === 0 && !memberLikePattern.test(line.text)) {
      key = 'title'
      value = line.text
    }
    const name = key === 'media' ? 'mediaUrl' : key
    if (key === '') reject(line, 'A line of a card begins with title:, description:, media: or chips:')
    else if (card[name] !== undefined) reject(line, `The ${key} of this card stands here twice`)
    else {
      draft.origins.set(`${path}.${name}`, line.at)
      if (key === 'media') isValid = putMedia(draft, { holder: card, path, at: line.at }, value.trim()) && isValid
      else if (key !== 'chips') card[name] = value.trim()
      else {
        card.chips = chipsOf(draft, value.split('|'), line.at)
        isValid = card.chips !== undefined && isValid
      }
    }
  }
  return isValid ? card : undefined
}
