/** Shared output and options of the subcommands: JSON or lines, paged lists, option parsers. */
import { InvalidArgumentError } from 'commander'
import type { CliContext, Session } from './program.js'

export function printResult({ terminal, json }: CliContext, data: unknown, lines: () => readonly string[]): void {
  terminal.print(json ? [JSON.stringify(data, undefined, 2)] : lines())
}

interface Page<T> {
  readonly data: readonly T[]
  readonly nextPageToken?: string
}

/** Reads all pages of a list. */
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

/** Undefined values are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(present.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}

/** An integer that a number holds exactly; its users check the range. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It wants a whole number.')
  return Number(text)
}

/** Parser of a repeatable name=value option. */
export function parsePair(text: string, previous: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It wants name=value.')
  return { ...previous, [name]: value }
}

/** Makes one printable line: no line breaks and no control characters. */
export function sanitizeLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ').replace(/\p{Cc}/gu, '?')
}

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`
}

/** Date, hour and minute of a timestamp of the API; empty without one. */
export function formatMinute(timestamp: string | undefined): string {
  return timestamp?.slice(0, 16).replace('T', ' ') ?? ''
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return step === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** step).toFixed(1)} ${units[step]}`
}

/** Groups digits in threes. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-US')
}
