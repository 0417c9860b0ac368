/**
 * The dashboard, the alert rules and the lists for people speak of metrics that there are, and leave none out unsaid.
 */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { catalog, type MetricDefinition, type MetricName } from '../../runtime/observe/catalog.js'
import { spokenOf } from './promql.js'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
const rows = new Map<string, MetricDefinition>(Object.entries(catalog))

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { x: number; y: number; w: number; h: number }
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[]
}
interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] }
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
  readonly panels: readonly Panel[]
}
const dashboard: Dashboard = JSON.parse(textOf('ops/grafana/parley.json'))
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((each) => ({ title, ...each })))

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
const alerts = (parse(textOf('ops/prometheus/alerts.yml')) as { groups: { name: string; rules: Rule[] }[] }).groups

/** Prometheus gives every series these. */
const ofScrape = ['instance', 'job']

/** The row of a series as it is named in an expression, with all labels that it has there. */
function seriesOf(name: string): readonly string[] | undefined {
  const whole = rows.get(name)
  if (whole) return whole.kind === 'histogram' ? undefined : [...whole.labels, ...ofScrape]
  const [, histogram = '', part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? []
  const row = rows.get(histogram)
  if (row?.kind !== 'histogram') return undefined
  return [...row.labels, ...ofScrape, ...(part === 'bucket' ? ['le'] : [])]
}

function isSound(t: Test, where: string, expr: string): void {
  const { problems, selected, grouped } = spokenOf(expr)
  t.same(problems, [], `${where} is PromQL`)
  t.ok(selected.length > 0, `${where} reads something`)
  const checked = selected.filter(({ metric }) => metric !== 'up')
  for (const { metric, labels } of checked) {
    const series = seriesOf(metric)
    t.ok(series, `${where}: ${metric} is there`)
    t.same(
      labels.filter((label) => !series?.includes(label)),
      [],
      `${where}: ${metric} has these labels`,
    )
  }
  const all = new Set(selected.flatMap(({ metric }) => seriesOf(metric) ?? ofScrape))
  t.same(
    grouped.filter((label) => !all.has(label)),
    [],
    `${where}: it groups by labels of its series`,
  )
}

t.test('Every expression of the dashboard is valid and names existing metrics and labels', async (t) => {
  t.ok(targets.length > 50, 'the panels were found at all')
  for (const { title, refId, expr, legendFormat } of targets) {
    isSound(t, `${title} ${refId}`, expr)
    const legendLabels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)
    const labels = new Set(spokenOf(expr).selected.flatMap(({ metric }) => seriesOf(metric) ?? []))
    t.same(
      legendLabels.filter((label) => !labels.has(label)),
      [],
      `${title} ${refId}: its legend names labels of its series`,
    )
  }
  for (const { expr } of dashboard.annotations.list) isSound(t, 'annotation', expr)
  const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(dashboard.templating.list[1]!.definition!)!
  t.ok(seriesOf(metric)?.includes(label), 'nodes are listed by a label of an existing metric')
})

t.test(
  'Every expression of the dashboard can be filtered by node, except the ones about the whole cluster',
  async (t) => {
    const whole = targets.filter(({ expr }) => !expr.includes('instance=~"$node"')).map(({ title }) => title)
    t.same(whole, ['Shards without an owner'])
  },
)

t.test('Panels fit the width without overlap, and their ids are unique', async (t) => {
  const ids = dashboard.panels.map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length)
  for (const { title, gridPos } of dashboard.panels) t.ok(gridPos.x + gridPos.w <= 24, title)
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.trunc(n / w)}`),
  )
  t.equal(new Set(cells).size, cells.length, 'no panel lies upon another')
})

t.test('Every metric of a node is on the dashboard', async (t) => {
  const legendLabels = new Set(
    targets.flatMap(({ expr }) => spokenOf(expr).selected.map(({ metric }) => metric.replace(/_bucket$/, ''))),
  )
  t.same(
    [...rows.keys()].filter((name) => !legendLabels.has(name)),
    [],
  )
})

t.test('Every alert is valid, names existing metrics, and has a severity and a runbook', async (t) => {
  const rules = alerts.flatMap(({ rules }) => rules)
  t.ok(rules.length > 20, 'the rules were found at all')
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length, 'no two have one name')
  for (const { alert, expr, for: patience = '0s', labels, annotations } of rules) {
    isSound(t, alert, expr)
    t.match(patience, /^\d+[smh]$/, `${alert} waits`)
    t.match(labels.severity, /^(critical|warning)$/, alert)
    t.match(annotations.summary, /\{\{ .+ \}\}/, `${alert} has a summary with a label or value`)
    t.ok(annotations.runbook.endsWith('.'), `${alert} has a runbook`)
    const checked = new Set([
      ...spokenOf(expr).grouped,
      ...spokenOf(expr).selected.flatMap((each) => seriesOf(each.metric) ?? ofScrape),
    ])
    const usedLabels = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!)
    t.same(
      usedLabels.filter((label) => !checked.has(label)),
      [],
      `${alert} speaks of labels that it has`,
    )
  }
})

t.test('ops/runbooks/alerts.md has the runbook of every alert, word for word', async (t) => {
  const listed = textOf('ops/runbooks/alerts.md')
    .split('\n')
    .filter((line) => line.startsWith('| `Parley'))
  t.same(
    listed,
    alerts
      .flatMap(({ rules }) => rules)
      .map(({ alert, labels, annotations }) => `| \`${alert}\` | ${labels.severity} | ${annotations.runbook} |`),
  )
})

t.test('No summary of an alert uses a label that its expression aggregates away', async (t) => {
  for (const { alert, expr, annotations } of alerts.flatMap(({ rules }) => rules)) {
    const { grouped } = spokenOf(expr)
    const isGrouped = /\b(sum|max|min)\b/.test(expr)
    const usedLabels = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!)
    t.ok(!isGrouped || usedLabels.every((label) => grouped.includes(label)), alert)
  }
})

t.test('The scrape example names the rules file', async (t) => {
  const { rule_files, scrape_configs } = parse(textOf('ops/prometheus/prometheus.yml'))
  t.same(rule_files, ['alerts.yml'])
  t.equal(scrape_configs[0].job_name, 'parley', 'the alerts go by this name')
})

t.test('ops/metrics.md lists every metric with its labels, as the catalog describes it', async (t) => {
  const listed = textOf('ops/metrics.md')
    .split('\n')
    .filter((line) => line.startsWith('| `parley_'))
  t.same(
    listed,
    (Object.keys(catalog) as MetricName[]).map((name) => {
      const { kind, labels, help }: MetricDefinition = catalog[name]
      return `| \`${name}${labels.length > 0 ? `{${labels.join()}}` : ''}\` | ${kind} | ${help} |`
    }),
  )
})

t.test('An invalid expression, or one with unknown names, is detected', async (t) => {
  t.not(spokenOf('sum by (shard (parley_shard_owner)').problems.length, 0)
  t.same(spokenOf('sum by (shard) (rate(parley_x_total{a="b"}[$__rate_interval]))'), {
    problems: [],
    selected: [{ metric: 'parley_x_total', labels: ['a'] }],
    grouped: ['shard'],
  })
  t.equal(seriesOf('parley_message_wait_seconds'), undefined, 'a histogram is read by its buckets')
  t.ok(seriesOf('parley_message_wait_seconds_bucket')?.includes('le'))
})
