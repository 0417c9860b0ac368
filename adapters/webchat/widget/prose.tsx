/**
 * Renders texts of the agent as elements: built from a tree and never from markup, so content cannot inject elements.
 */
import type { ComponentChildren } from 'preact'
import type { Span } from '../../../core/render/lines.js'
import { type Item, type Node, treeOf } from '../../../core/render/tree.js'
import { openable, splitLinks } from './urls.js'
import { words } from './words.js'

export function Prose({ text }: { text: string }) {
  return (
    <div class="prose">
      {treeOf(text).map((node, at) => (
        <NodeView key={at} node={node} />
      ))}
    </div>
  )
}

function NodeView({ node }: { node: Node }) {
  if (node.kind === 'paragraph')
    return (
      <p dir="auto">
        <Lines lines={node.lines} />
      </p>
    )
  const List = node.isOrdered ? 'ol' : 'ul'
  return (
    <List dir="auto">
      {node.items.map((item, at) => (
        <ItemView key={at} item={item} isOrdered={node.isOrdered} />
      ))}
    </List>
  )
}

function ItemView({ item: { value, lines, inner }, isOrdered }: { item: Item; isOrdered: boolean }) {
  return (
    <li value={isOrdered ? value : undefined}>
      <Lines lines={lines} />
      {inner.map((node, at) => (
        <NodeView key={at} node={node} />
      ))}
    </li>
  )
}

function Lines({ lines }: { lines: readonly (readonly Span[])[] }) {
  return lines.map((spans, at) => [at > 0 && <br />, ...renderSpans(spans)])
}

/** Spans of one link share its object and become one link, even with different emphasis. */
function renderSpans(spans: readonly Span[]): ComponentChildren[] {
  const content: ComponentChildren[] = []
  for (let at = 0; at < spans.length; ) {
    const { link } = spans[at]!
    const end = link ? spans.findIndex((span, index) => index > at && span.link !== link) : at + 1
    const linkSpans = spans.slice(at, end === -1 ? spans.length : end)
    at += linkSpans.length
    if (link) content.push(<Anchor url={link.url}>{linkSpans.map(renderSpan)}</Anchor>)
    else content.push(...linkSpans.map(renderSpan))
  }
  return content
}

function renderSpan({ text, strong, em, strike, link }: Span): ComponentChildren {
  let content: ComponentChildren = link
    ? text
    : splitLinks(text).map(({ text, url }) => (url ? <Anchor url={url}>{text}</Anchor> : text))
  if (strike) content = <del>{content}</del>
  if (em) content = <em>{content}</em>
  return strong ? <strong>{content}</strong> : content
}

interface AnchorProps {
  url: string
  class?: string
  onClick?: () => void
  label?: string
  children: ComponentChildren
}

/** A link if its URL may be opened, otherwise plain text. The target gets no referrer. */
export function Anchor({ url, children, label, ...rest }: AnchorProps) {
  const href = openable(url)
  if (!href) return <span class={rest.class}>{children}</span>
  const isPage = /^http/i.test(href)
  return (
    <a
      href={href}
      aria-label={label}
      rel="noopener noreferrer nofollow"
      target={isPage ? '_blank' : undefined}
      {...rest}
    >
      {children}
      {isPage && !label && <span class="unseen"> ({words.opensWindow})</span>}
    </a>
  )
}
