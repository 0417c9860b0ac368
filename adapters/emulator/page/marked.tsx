/** A text drawn the way its channel draws it: bold, italic and struck words of the channel's own markup, and its lists. */
import type { ComponentChildren } from 'preact'
import { traitsOf } from '../../../core/channel/table.js'
import type { Markup } from '../../../core/channel/traits.js'
import type { ChannelName } from '../../../core/channelnames.js'
import type { Span } from '../../../core/render/lines.js'
import { type Node, treeOf } from '../../webchat/widget/tree.js'

/** In the paragraphs and lists that the widget of the web chat makes of it. */
function commonMark(text: string): ComponentChildren[] {
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
  return lines.map((spans, at) => [at > 0 && '\n', ...spans.map(drawn)])
}

function drawn({ text, strong, em, strike, link }: Span): ComponentChildren {
  let shown: ComponentChildren = text
  if (strike) shown = <del>{shown}</del>
  if (em) shown = <em>{shown}</em>
  if (strong) shown = <strong>{shown}</strong>
  return link ? <u title={link.url}>{shown}</u> : shown
}

const tags = { '*': 'strong', _: 'em', '~': 'del' } as const
const mark = /(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/u

/** A mark counts at the edges of words, within one line. */
function atWords(text: string): ComponentChildren[] {
  const shown: ComponentChildren[] = []
  let rest = text
  for (let found = mark.exec(rest); found; found = mark.exec(rest)) {
    const [all, sign, inner = ''] = found
    const Tag = tags[sign as keyof typeof tags]
    shown.push(rest.slice(0, found.index), <Tag>{atWords(inner)}</Tag>)
    rest = rest.slice(found.index + all.length)
  }
  return [...shown, rest]
}

/** A markup without a drawer has no marks. */
const drawers: Readonly<Partial<Record<Markup, (text: string) => ComponentChildren>>> = {
  commonmark: commonMark,
  whatsapp: atWords,
}

/** Where the channel has no lists, markers and indents of their items are text. */
export function Marked({ text, channel }: { text: string; channel: string }) {
  const draw = drawers[traitsOf(channel as ChannelName).markup]
  return <>{draw ? draw(text) : text}</>
}
