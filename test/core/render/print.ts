/** A rendering as a page of text that people can review. */

import type { Block, RenderedCard, RenderedChip } from '../../../core/channel/blocks.js'
import type { Rendering } from '../../../core/render/contract.js'

/** Spaces without width are shown, since a reviewer should see them. */
const visible = (text: string) => text.replaceAll('\u200b', '␣')
const quoted = (text: string) =>
  visible(text)
    .split('\n')
    .map((line) => `  | ${line}`.trimEnd())

function chipText({ label, kind, tap, url, phone, event, place }: RenderedChip): string {
  const more = [url, phone, event?.title, place && (place.address ?? `${place.latitude},${place.longitude}`)]
  const target = more.filter((each) => each !== undefined).join(' ')
  return `  (${label})${kind === 'reply' ? '' : ` ${kind}${target === '' ? '' : ` ${target}`}`}${tap === undefined ? '' : ` #${tap}`}`
}

const chipLines = (chips: readonly RenderedChip[] = []) => chips.map(chipText)

function cardLines({ title, description, mediaUrl, chips }: RenderedCard): string[] {
  return [
    ...(mediaUrl === undefined ? [] : [`  <${mediaUrl}>`]),
    ...(title === undefined ? [] : [`  # ${title}`]),
    ...(description === undefined ? [] : quoted(description)),
    ...chipLines(chips),
  ]
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case 'text':
      return ['text', ...quoted(block.text), ...chipLines(block.chips)]
    case 'media': {
      const { kind, url, alt, thumbnailUrl } = block.media
      const about = [alt && `alt ${alt}`, thumbnailUrl && `thumbnail <${thumbnailUrl}>`].filter(Boolean)
      return [
        `${kind} <${url}>`,
        ...about.map((each) => `  ${each}`),
        ...(block.text ? quoted(block.text) : []),
        ...chipLines(block.chips),
      ]
    }
    case 'card':
      return ['card', ...cardLines(block.card), ...chipLines(block.chips)]
    case 'carousel':
      return ['carousel', ...block.cards.flatMap((card) => [...cardLines(card), '  --']), ...chipLines(block.chips)]
    case 'list':
      return [
        'list',
        ...quoted(block.text),
        ...block.rows.flatMap(({ label, description, mediaUrl, tap }) => [
          `  [${label}]${mediaUrl === undefined ? '' : ` <${mediaUrl}>`} #${tap}`,
          ...(description === undefined ? [] : [`   ${description}`]),
        ]),
      ]
    case 'times':
      return [
        'times',
        ...quoted(block.text),
        ...block.slots.map(({ label, start, tap }) => `  [${label}] ${start.iso} #${tap}`),
      ]
    case 'native':
      return [`native ${JSON.stringify(block.payload)}`]
  }
}

export function print({ blocks, numbered }: Rendering): string {
  const numbers = numbered.map((tap, at) => `${at + 1} is #${tap}`).join(', ')
  return [...blocks.flatMap(blockLines), ...(numbers ? [`numbers: ${numbers}`] : [])].join('\n')
}
