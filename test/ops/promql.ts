/** What a PromQL expression speaks of, by the parser that Prometheus's own pages use. */
import { parser } from '@prometheus-io/lezer-promql'

export interface Selected {
  readonly metric: string
  readonly labels: readonly string[]
}

export interface Spoken {
  /** Where it cannot be read; empty for an expression that is one. */
  readonly problems: readonly string[]
  readonly selected: readonly Selected[]
  /** Labels that aggregations keep. */
  readonly grouped: readonly string[]
}

/** Grafana fills these in before Prometheus sees them. */
const filledIn: Readonly<Record<string, string>> = { $__rate_interval: '5m', $__range: '1h' }

export function spokenOf(written: string): Spoken {
  const text = Object.entries(filledIn).reduce((query, [name, value]) => query.replaceAll(name, value), written)
  const problems: string[] = []
  const selected: { metric: string; labels: string[] }[] = []
  const grouped: string[] = []
  let within: 'selector' | 'grouping' | undefined
  parser.parse(text).iterate({
    enter({ name, from, to, type }) {
      const expression = text.slice(from, to)
      if (type.isError) problems.push(`at ${from}: ${text.slice(from, from + 20)}`)
      if (name === 'VectorSelector') {
        within = 'selector'
        selected.push({ metric: '', labels: [] })
      } else if (name === 'GroupingLabels') within = 'grouping'
      else if (name === 'Identifier' && within === 'selector') selected.at(-1)!.metric = expression
      else if (name === 'LabelName' && within === 'selector') selected.at(-1)!.labels.push(expression)
      else if (name === 'LabelName' && within === 'grouping') grouped.push(expression)
    },
    leave({ name }) {
      if (name === 'VectorSelector' || name === 'GroupingLabels') within = undefined
    },
  })
  return { problems, selected, grouped }
}
