/** Formats rows of data as aligned text columns, for readers and for `cut`. */
import type { Paint, Tone } from './terminal.js'

export interface Cell {
  readonly text: string
  readonly tone?: Tone
}

export interface Column<Row> {
  readonly head: string
  readonly isNumber?: true
  readonly cell: (row: Row) => Cell | string | number
}

const gap = '  '
/** The text of an empty cell, so that every row has the same number of columns. */
const emptyCell = '-'

/** One header line, then a line for every row. Control characters in a node's data cannot reach the terminal. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], paint: Paint): string[] {
  const heads = columns.map(({ head }): Cell => ({ text: head, tone: 'head' }))
  const cells = [heads, ...rows.map((row) => columns.map(({ cell }) => sanitizeCell(cell(row))))]
  const widths = columns.map((_, at) => cells.reduce((most, line) => Math.max(most, line[at]!.text.length), 0))
  return cells.map((line) => {
    const padded = line.map(({ text, tone }, at) => {
      const space = ' '.repeat(widths[at]! - text.length)
      const painted = paint(text, tone)
      if (columns[at]!.isNumber) return space + painted
      return at === line.length - 1 ? painted : painted + space
    })
    return padded.join(gap)
  })
}

function sanitizeCell(cell: Cell | string | number): Cell {
  const { text, tone } = typeof cell === 'object' ? cell : { text: String(cell) }
  return { text: text.replace(/\p{Cc}/gu, '?') || emptyCell, tone }
}
