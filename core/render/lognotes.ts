/** Log notes about how a channel shows a message: parts in a simpler form, and labels that were cut. */

import type { ContentMessage } from '../amf/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import type { Reader, Rendering } from './contract.js'
import { levelOf } from './degrade.js'
import { oneLine } from './lines.js'
import { namesOf } from './optionlabels.js'

/** Empty for a message of plain text, which every channel shows unchanged. */
export function degradedNotes(message: ContentMessage, traits: Traits): LogNote[] {
  const { parts, chips = [] } = message
  const simplified = new Set<string>()
  for (const { type } of parts) if (type !== 'text' && levelOf(type, traits) !== 'native') simplified.add(type)
  if (chips.length > 0 && !traits.chips) simplified.add('chips')
  return simplified.size === 0 ? [] : [{ event: 'message.degraded', data: { parts: [...simplified] } }]
}

/** The tap indexes whose label in the blocks is shorter than in the message. */
export function truncatedNotes(message: ContentMessage, { blocks }: Rendering, reader: Reader): LogNote[] {
  const labelled = blocks.flatMap((block) => {
    if (block.kind === 'native') return []
    if (block.kind === 'list') return block.rows
    if (block.kind === 'times') return block.slots
    const cards = block.kind === 'carousel' ? block.cards : block.kind === 'card' ? [block.card] : []
    return [...(block.chips ?? []), ...cards.flatMap(({ chips = [] }) => chips)] as readonly Labelled[]
  }) as readonly Labelled[]
  if (labelled.length === 0) return []
  const names = namesOf(message, reader)
  const cut = labelled.filter(({ label, tap }) => {
    const labelNames = tap === undefined ? undefined : names[tap]
    return labelNames !== undefined && !labelNames.some((name) => name === label || oneLine(name) === label)
  })
  return cut.length === 0 ? [] : [{ event: 'message.truncated', data: { labels: cut.map(({ label }) => label) } }]
}

type Labelled = Pick<RenderedChip, 'label' | 'tap'>
