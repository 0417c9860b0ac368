/** Metrics in the Prometheus text format 0.0.4, which is stable and small. */
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

export function formatMetrics(families: Iterable<Family>): string {
  return `${Array.from(families, formatFamily).join('\n\n')}\n`
}

function formatFamily({ name, help, kind, samples }: Family): string {
  const head = [`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${kind}`]
  return [...head, ...Array.from(samples(), (sample) => formatSample(name, sample))].join('\n')
}

function formatSample(name: string, { metricName = name, labels, value }: Sample): string {
  const labelTexts = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${metricName}${labelTexts.length > 0 ? `{${labelTexts.join(',')}}` : ''} ${formatNumber(value)}`
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}

function formatNumber(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
