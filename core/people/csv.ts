/** CSV cells: escaped so that no spreadsheet runs them, and read back unchanged. */

/**
 * The characters that start a formula in spreadsheets, in full width too. A quote in front makes the cell text; a cell
 * that has one gets another. A number in E.164 is no formula, and other programs read it only without a quote.
 */
const formulaStart = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const escapedFormula = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const e164 = /^\+[1-9][0-9]{6,14}$/

export function cellText(value: string): string {
  const text = formulaStart.test(value) && !e164.test(value) ? `'${value}` : value
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function cellValue(text: string): string {
  return escapedFormula.test(text) ? text.slice(1) : text
}

export function rowText(values: readonly string[]): string {
  return `${values.map(cellText).join(',')}\r\n`
}

/** Several texts in one cell. */
export function listText(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\;]/g, '\\$&')).join(';')
}

export function listValues(text: string): string[] {
  const values = ['']
  for (const [piece] of text.matchAll(/\\[\\;]|[^\\;]+|;|\\/gs)) {
    if (piece === ';') values.push('')
    else values[values.length - 1] += /^\\[\\;]$/.test(piece) ? piece.slice(1) : piece
  }
  return values
}

const delimiters = [',', ';', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** The delimiter of the first line. */
export function delimiterOf(header: string): Delimiter {
  const count = (delimiter: string) => header.replace(/"[^"]*"/g, '').split(delimiter).length
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best))
}
