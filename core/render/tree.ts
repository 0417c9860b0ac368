/** The block structure of a text: paragraphs and nested lists. */
import type { Line, Span } from './lines.js'
import { isBlank } from './lines.js'
import { parse } from './markdown.js'

export type Node =
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly Span[])[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly Item[] }

export interface Item {
  /** The item's number in an ordered list. */
  readonly value: number
  readonly lines: readonly (readonly Span[])[]
  readonly inner: readonly Node[]
}

interface OpenItem extends Item {
  readonly lines: (readonly Span[])[]
  readonly inner: Node[]
}

interface OpenList {
  readonly depth: number
  readonly isOrdered: boolean
  readonly items: OpenItem[]
}

export function treeOf(text: string): Node[] {
  const nodes: Node[] = []
  /** Open lists, outermost first. */
  let open: OpenList[] = []
  let paragraph: (readonly Span[])[] | undefined
  for (const line of parse(text)) {
    if (isBlank(line)) {
      paragraph = undefined
    } else if (line.marker !== '') {
      paragraph = undefined
      open = addItem(line, open, nodes)
    } else if (line.isContinuation && open.length > 0) open.at(-1)!.items.at(-1)!.lines.push(line.spans)
    else {
      open = []
      if (paragraph) paragraph.push(line.spans)
      else {
        paragraph = [line.spans]
        nodes.push({ kind: 'paragraph', lines: paragraph })
      }
    }
  }
  return nodes
}

/** Adds an item to its list, opening the list if needed; returns the lists that are then open. */
function addItem({ marker, depth, spans }: Line, open: readonly OpenList[], nodes: Node[]): OpenList[] {
  const isOrdered = marker !== '- '
  const item = { value: isOrdered ? Number.parseInt(marker, 10) : 0, lines: [spans], inner: [] }
  const ancestors = open.filter((list) => list.depth < depth || (list.depth === depth && list.isOrdered === isOrdered))
  const last = ancestors.at(-1)
  if (last && last.depth === depth) {
    last.items.push(item)
    return ancestors
  }
  const list = { kind: 'list' as const, depth, isOrdered, items: [item] }
  const target = last ? last.items.at(-1)!.inner : nodes
  target.push(list)
  return [...ancestors, list]
}
