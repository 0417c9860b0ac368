/** What several verbs print alike: data for programs or for people, pages of a list, and options of the same kind. */
import { InvalidArgumentError } from 'commander'
import type { CliContext, Session } from './program.js'

export function printResult({ terminal, json }: CliContext, data: unknown, lines: () => readonly string[]): void {
  terminal.print(json ? [JSON.stringify(data, undefined, 2)] : lines())
}

interface Page<T> {
  readonly data: readonly T[]
  readonly nextPageToken?: string
}

/** All of a list that is read page by page. */
export async function fetchAll<T>({ api }: Session, path: string): Promise<T[]> {
  const all: T[] = []
  let token: string | undefined
  do {
    const page = await api.get<Page<T>>(withQuery(path, { pageToken: token }))
    all.push(...page.data)
    token = page.nextPageToken
  } while (token !== undefined)
  return all
}

/** What is undefined is left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(present.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}

/** One that a number holds exactly; how large it may be is for those to say who use it. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It wants a whole number.')
  return Number(text)
}

/** For an option that is given once for every pair. */
export function parsePair(text: string, previous: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It wants name=value.')
  return { ...previous, [name]: value }
}

/** Cells of one line: nothing in it steers the terminal or breaks the line. */
export function sanitizeLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ').replace(/\p{Cc}/gu, '?')
}

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return step === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** step).toFixed(1)} ${units[step]}`
}

/** Digits in threes, as people read them. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-US')
}
