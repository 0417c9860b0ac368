/** What a run of the tests prints: a line a file, what failed in full, and the count at the end. */
import { relative } from 'node:path'
import type { InSources, SourcePosition } from './sources.js'

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

export interface ReportOptions {
  /** The folder that the built tests are in. */
  readonly root: string
  readonly withTitles: boolean
  readonly inSources: InSources
}

export function fileText(report: FileReport, { root, withTitles, inSources }: ReportOptions): string {
  const name = relative(root, report.file).replace(/\.test\.js$/, '')
  const head = `${isFailed(report) ? 'FAIL' : 'ok  '}  ${name}  ${countText([report])}  (${report.seconds.toFixed(1)} s)`
  const titles = withTitles ? report.titles.map(titleText) : []
  const stray =
    isFailed(report) && report.stray.trim() !== ''
      ? ['', 'It also printed:', indent(inSources.text(report.stray), 2)]
      : []
  const failures = report.failures.map((failure) => failureText(failure, inSources))
  return [head, ...titles, ...failures, ...stray].join('\n')
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

function failureText({ title, diag }: Failure, inSources: InSources): string {
  const { at, ...details } = typeof diag === 'object' && diag !== null ? (diag as Record<string, unknown>) : {}
  const diagnostics = { ...details, source: inSources.excerpt(positionOf(at)) ?? '' }
  const parts = Object.entries(diagnostics)
    .map(([name, value]) => [name, inSources.text(textOf(value))] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name}:\n${indent(text, 2)}`)
  return ['', `  ${title}`, ...parts.map((part) => indent(part, 4))].join('\n')
}

/** As tap tells a place. */
function positionOf(at: unknown): SourcePosition {
  const { fileName = '', lineNumber = 1, columnNumber = 1 } = (at ?? {}) as Record<string, never>
  return { file: fileName, line: lineNumber, column: columnNumber }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

function indent(text: string, spaces: number): string {
  return text.trimEnd().replace(/^/gm, ' '.repeat(spaces))
}
