/** Where a command's words go: data to stdout, talk to stderr, and colour only where a person looks on. */
import { styleText } from 'node:util'

/** What a piece of text is to its reader; how that looks is decided here. */
export type Tone = 'head' | 'quiet' | 'warning' | 'alarm'
export type Paint = (text: string, tone: Tone | undefined) => string

/** The part of a stream of the process that is needed. */
export interface OutputStream {
  readonly isTTY?: boolean
  readonly rows?: number
  write(text: string): unknown
  /** Knows of NO_COLOR and of what the terminal can do. */
  hasColors?(): boolean
}

export interface Terminal {
  print(lines: readonly string[]): void
  printNotice(sentence: string): void
  /** On a screen, takes the place of what was drawn before and is cut to what fits; elsewhere it is printed. */
  draw(lines: readonly string[]): void
  /** Whether somebody looks at a screen where data is printed. */
  readonly isInteractive: boolean
  readonly paint: Paint
}

const formats = { head: 'bold', quiet: 'dim', warning: 'yellow', alarm: 'red' } as const
const plain: Paint = (text) => text
/** Whether there is colour is judged once, for the stream that is written to. */
const coloured: Paint = (text, tone) => (tone ? styleText(formats[tone], text, { validateStream: false }) : text)

/** To the upper left corner with all that is there wiped out, and long lines cut instead of wrapped. */
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
  const shown = Math.max(1, rows - 1)
  return [...lines.slice(0, shown), paint(`… and ${lines.length - shown} more lines`, 'quiet')]
}
