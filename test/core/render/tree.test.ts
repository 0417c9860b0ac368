/** Paragraphs and nested lists of a text. */
import t from 'tap'
import { type Node, treeOf } from '../../../core/render/tree.js'

t.test('Lists can be nested, numbers are preserved, and paragraphs end lists', async (t) => {
  const outline = (nodes: readonly Node[]): unknown[] =>
    nodes.map((node) =>
      node.kind === 'paragraph'
        ? node.lines.map((line) => line.map(({ text }) => text).join('')).join('/')
        : [
            node.isOrdered ? 'ol' : 'ul',
            ...node.items.map((item) => [item.value, wordsOf(item), ...outline(item.inner)]),
          ],
    )
  const wordsOf = ({ lines }: { lines: readonly (readonly { text: string }[])[] }) =>
    lines.map((line) => line.map(({ text }) => text).join('')).join('/')
  t.same(outline(treeOf('Hello\nyou\n\n- a\n  - b\n  - c\n- d\n\nEnd')), [
    'Hello/you',
    ['ul', [0, 'a', ['ul', [0, 'b'], [0, 'c']]], [0, 'd']],
    'End',
  ])
  t.same(outline(treeOf('3. c\n4. d\n- x')), [
    ['ol', [3, 'c'], [4, 'd']],
    ['ul', [0, 'x']],
  ])
})
