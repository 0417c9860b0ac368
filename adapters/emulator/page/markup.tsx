/** Draws a text as its channel does: bold, italic and struck words of the channel's markup, and lists. */
import type { ComponentChildren } from 'preact'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import type { Markup } from '../../../core/channel/traits.js'
import type { ChannelName } from '../../../core/channelnames.js'
import type { Span } from '../../../core/render/lines.js'
import { type Node, treeOf } from '../../../core/render/tree.js'

/** Paragraphs and lists, as the web chat widget draws them. */
function renderCommonMark(text: string): ComponentChildren[] {
  return treeOf(text).map(nodeOf)
}

function nodeOf(node: Node): ComponentChildren {
  if (node.kind === 'paragraph') return <p>{linesOf(node.lines)}</p>
  const List = node.isOrdered ? 'ol' : 'ul'
  return (
    <List>
      {node.items.map(({ value, lines, inner }) => (
        <li value={node.isOrdered ? value : undefined}>
          {linesOf(lines)}
          {inner.map(nodeOf)}
        </li>
      ))}
    </List>
  )
}

function linesOf(lines: readonly (readonly Span[])[]): ComponentChildren[] {
  return lines.map((spans, at) => [at > 0 && '\n', ...spans.map(renderSpan)])
}

function renderSpan({ text, strong, em, strike, link }: Span): ComponentChildren {
  let content: ComponentChildren = text
  if (strike) content = <del>{content}</del>
  if (em) content = <em>{content}</em>
  if (strong) content = <strong>{content}</strong>
  return link ? <u title={link.url}>{content}</u> : content
}

const tags = { '*': 'strong', _: 'em', '~': 'del' } as const
const markPattern = /(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/u

/** A mark counts at the edges of words, within one line of text. */
function renderMarks(text: string): ComponentChildren[] {
  const content: ComponentChildren[] = []
  let rest = text
  for (let match = markPattern.exec(rest); match; match = markPattern.exec(rest)) {
    const [all, sign, inner = ''] = match
    const Tag = tags[sign as keyof typeof tags]
    content.push(rest.slice(0, match.index), <Tag>{renderMarks(inner)}</Tag>)
    rest = rest.slice(match.index + all.length)
  }
  return [...content, rest]
}

/** A markup without a renderer is drawn as plain text. */
const renderers: Readonly<Partial<Record<Markup, (text: string) => ComponentChildren>>> = {
  commonmark: renderCommonMark,
  whatsapp: renderMarks,
}

/** Where the channel has no lists, their markers and indents are text. */
export function MarkupText({ text, channel }: { text: string; channel: string }) {
  const renderText = renderers[traitsOf(channel as ChannelName).markup]
  return <>{renderText ? renderText(text) : text}</>
}
