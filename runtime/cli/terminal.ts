/** Output of a command: data to stdout, notices to stderr, colours only on a terminal. */
import { styleText } from 'node:util'

/** The meaning of a piece of text; `formats` maps it to a style. */
export type Tone = 'head' | 'quiet' | 'warning' | 'alarm'
export type Paint = (text: string, tone: Tone | undefined) => string

/** The part of a process stream that the terminal needs. */
export interface OutputStream {
  readonly isTTY?: boolean
  readonly rows?: number
  write(text: string): unknown
  /** Considers NO_COLOR and the terminal's capabilities. */
  hasColors?(): boolean
}

export interface Terminal {
  print(lines: readonly string[]): void
  printNotice(sentence: string): void
  /** On a screen, replaces the previous drawing and cuts it to the screen's size; elsewhere prints the lines. */
  draw(lines: readonly string[]): void
  /** Does stdout go to a screen? */
  readonly isInteractive: boolean
  readonly paint: Paint
}

const formats = { head: 'bold', quiet: 'dim', warning: 'yellow', alarm: 'red' } as const
const plain: Paint = (text) => text
/** The stream decides about colours once, so styleText does not validate it again. */
const coloured: Paint = (text, tone) => (tone ? styleText(formats[tone], text, { validateStream: false }) : text)

/** Moves to the upper left corner, clears the screen, and turns line wrap off. */
const clearScreen = '\u001b[H\u001b[J\u001b[?7l'
const enableWrap = '\u001b[?7h'
const defaultRows = 24

export function createTerminal(stdout: OutputStream, stderr: OutputStream): Terminal {
  const isInteractive = stdout.isTTY === true
  const paint = isInteractive && stdout.hasColors?.() ? coloured : plain

  function print(lines: readonly string[]): void {
    stdout.write(lines.map((line) => `${line}\n`).join(''))
  }

  return {
    print,
    printNotice: (sentence) => void stderr.write(`${sentence}\n`),
    draw(lines) {
      if (!isInteractive) return print(lines)
      stdout.write(clearScreen)
      print(fitRows(lines, (stdout.rows || defaultRows) - 1, paint))
      stdout.write(enableWrap)
    },
    isInteractive,
    paint,
  }
}

function fitRows(lines: readonly string[], rows: number, paint: Paint): readonly string[] {
  if (lines.length <= rows) return lines
  const visibleRows = Math.max(1, rows - 1)
  return [...lines.slice(0, visibleRows), paint(`… and ${lines.length - visibleRows} more lines`, 'quiet')]
}
