/** What a run of the tests prints: a line a file, what failed in full, and the count at the end. */
import { relative } from 'node:path'

export interface Failure {
  readonly title: string
  /** What tap says of a failed assertion. */
  readonly diag: unknown
}

export interface Title {
  readonly name: string
  /** How many tests it stands in. */
  readonly depth: number
  ok: boolean
}

export interface FileReport {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly failures: readonly Failure[]
  readonly titles: readonly Title[]
  /** What it printed that is no result, and its stderr: the end of it. */
  readonly stray: string
  readonly seconds: number
}

export function isFailed(report: FileReport): boolean {
  return report.failed > 0
}

export function fileText(report: FileReport, root: string, withTitles: boolean): string {
  const name = relative(root, report.file).replace(/\.test\.js$/, '')
  const head = `${isFailed(report) ? 'FAIL' : 'ok  '}  ${name}  ${countText([report])}  (${report.seconds.toFixed(1)} s)`
  const titles = withTitles ? report.titles.map(titleText) : []
  const stray =
    isFailed(report) && report.stray.trim() !== '' ? ['', 'It also printed:', indented(report.stray, 2)] : []
  return [head, ...titles, ...report.failures.map(failureText), ...stray].join('\n')
}

export function countText(reports: readonly FileReport[]): string {
  const sum = (of: (report: FileReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  const skipped = sum((report) => report.skipped)
  const tail = skipped > 0 ? `, ${skipped} skipped` : ''
  return `${sum((report) => report.passed)} passed, ${sum((report) => report.failed)} failed${tail}`
}

function titleText({ name, depth, ok }: Title): string {
  return `      ${'  '.repeat(depth)}${ok ? '+' : '-'} ${name}`
}

function failureText({ title, diag }: Failure): string {
  const told = typeof diag === 'object' && diag !== null ? Object.entries(diag) : []
  const parts = told.filter(([name]) => name !== 'at').map(([name, value]) => `${name}:\n${indented(textOf(value), 2)}`)
  return ['', `  ${title}`, ...parts.map((part) => indented(part, 4))].join('\n')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

function indented(text: string, spaces: number): string {
  return text.trimEnd().replace(/^/gm, ' '.repeat(spaces))
}
