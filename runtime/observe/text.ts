/** Metrics as Prometheus reads them: the text format 0.0.4, which is stable and small. */
import type { MetricKind } from './catalog.js'
import type { Sample } from './series.js'

export const textType = 'text/plain; version=0.0.4; charset=utf-8'

/** All series of one metric. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly kind: MetricKind
  samples(): Iterable<Sample>
}

export function metricsText(families: Iterable<Family>): string {
  return `${Array.from(families, familyText).join('\n\n')}\n`
}

function familyText({ name, help, kind, samples }: Family): string {
  const head = [`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${kind}`]
  return [...head, ...Array.from(samples(), (sample) => sampleLine(name, sample))].join('\n')
}

function sampleLine(name: string, { metricName = name, labels, value }: Sample): string {
  const written = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${metricName}${written.length > 0 ? `{${written.join(',')}}` : ''} ${numberText(value)}`
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}

function numberText(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
