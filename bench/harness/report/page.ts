/** The report of one run as a self-contained page: no scripts, nothing loaded from elsewhere. */
import { metrics } from '../metrics.js'
import type { Outcome } from '../run.js'
import { columns, formatLatency, formatNumber, ratioHead, ratioRow, remarkLines } from '../table.js'
import type { Chart } from './charts.js'
import { axisColor, gridColor, textColor } from './colors.js'

/** On a narrow screen a plot keeps its size and scrolls: smaller, its text is not readable. */
const style = `
:root { color-scheme: light dark; --paper: #f5f7fa; --card: #fff; --head: #f0f2f5; --ink: #1f2933; --quiet: #5b6772; --edge: #e4e7eb;
  --axis: #cbd2d9; --pass: #0b7a4b; --miss: #b93c0a; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --card: #1d2126; --head: #262b32; --ink: #e6e9ed; --quiet: #a3adb8; --edge: #343a43;
  --axis: #5b6470; --pass: #4fd39b; --miss: #ff9d70; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0; }
main { max-width: 1160px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { margin: 0 0 4px; font-size: 26px; } h2 { margin: 36px 0 10px; font-size: 18px; }
p { margin: 6px 0; max-width: 75ch; } .quiet { color: var(--quiet); }
figure { margin: 0 0 16px; padding: 16px 18px; background: var(--card); border: 1px solid var(--edge); border-radius: 8px; }
figcaption { font-weight: 600; margin-bottom: 8px; } svg { display: block; max-width: none; }
svg [fill="${textColor}"] { fill: var(--ink); } svg [stroke="${gridColor}"] { stroke: var(--edge); } svg [stroke="${axisColor}"] { stroke: var(--axis); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; background: var(--card); border: 1px solid var(--edge); }
th, td { padding: 5px 10px; border-bottom: 1px solid var(--edge); text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th { font-weight: 600; background: var(--head); } .words { text-align: left; } td.sentences { white-space: normal; min-width: 30ch; }
.pass { color: var(--pass); font-weight: 600; } .miss { color: var(--miss); font-weight: 600; }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }`

export function page(outcome: Outcome, charts: readonly Chart[]): string {
  const { scenario, settings, startedAt, machine, candidates } = outcome
  const { rounds, seconds, concurrency, operations } = settings
  const work = operations === undefined ? `${seconds} s` : `${formatNumber(operations)} ${scenario.unit}`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(scenario.name)} bench, ${escapeHtml(startedAt)}</title><style>${style}</style></head>
<body><main>
<h1>${escapeHtml(scenario.name)}</h1>
<p>${escapeHtml(scenario.purpose)}</p>
<p class="quiet">${escapeHtml(startedAt)}. ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${escapeHtml(work)} for each candidate in
turn, ${concurrency} operations on their way at any moment. Figures are medians over the rounds.</p>
<h2>Ratios</h2>${table(ratioHead, outcome.ratios.map(ratioRow))}
<h2>Candidates</h2>${candidatesTable(outcome)}
<h2>Plots</h2>
${charts.map(figure).join('\n')}
<h2>Every round</h2>${roundsTable(outcome)}
<h2>What was measured</h2>
${table(
  ['candidate', 'role', 'what it is'],
  candidates.map(({ candidate, notes }) => [candidate.name, candidate.role, [candidate.about, ...notes].join(' ')]),
)}
<h2>Machine</h2>
${table(['fact', 'value'], Object.entries(machine))}
</main></body></html>
`
}

/** Scrollable regions are reachable with the keyboard. */
const scrolling = (title: string) => `class="scroll" tabindex="0" role="group" aria-label="${escapeHtml(title)}"`

function figure({ title, svg }: Chart): string {
  return `<figure><figcaption>${escapeHtml(title)}</figcaption><div ${scrolling(title)}>${svg}</div></figure>`
}

function candidatesTable({ scenario, candidates }: Outcome): string {
  const head = ['candidate', ...columns.map((column) => column.title(scenario.unit))]
  const rows = candidates.map((result) => [result.candidate.name, ...columns.map((column) => column.value(result))])
  const remarks = remarkLines(candidates).map((line) => `<p class="quiet">${escapeHtml(line)}</p>`)
  return table(head, rows) + remarks.join('\n')
}

function roundsTable({ scenario, candidates, settings }: Outcome): string {
  const head = ['round', 'candidate', `${scenario.unit}/s`, 'p50 ms', 'p99 ms', 'CPU µs each', 'kB', 'transactions']
  const rows = Array.from({ length: settings.rounds }, (_, round) =>
    candidates.map(({ candidate, samples }) => {
      const sample = samples[round]!
      return [
        String(round + 1),
        candidate.name,
        formatNumber(metrics.rate.of(sample)),
        formatLatency(metrics.p50.of(sample)),
        formatLatency(metrics.p99.of(sample)),
        formatNumber(metrics.cpu.of(sample), 1),
        formatNumber(sample.bytes / 1000),
        sample.transactions === undefined ? '' : formatNumber(sample.transactions),
      ]
    }),
  )
  return table(head, rows.flat())
}

/** Text is left-aligned and wraps, figures are right-aligned, and empty columns are left out. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.flatMap((title, at) => {
    const values = rows.map((row) => row[at] ?? '')
    if (values.every((value) => value === '')) return []
    const words = values.some((value) => /[a-z]{3}/i.test(value))
    const sentences = values.some((value) => value.length > 60)
    return { title, at, kind: sentences ? 'words sentences' : words ? 'words' : '' }
  })
  const cell = (tag: string, value: string, kind: string) => `<${tag} class="${kind}">${escapeHtml(value)}</${tag}>`
  const verdict = (value: string) => (value === 'pass' || value === 'miss' ? value : '')
  const body = rows.map((row) =>
    columns.map(({ at, kind }) => cell('td', row[at] ?? '', `${kind} ${verdict(row[at] ?? '')}`)),
  )
  const titles = columns.map(({ title, kind }) => cell(title === '' ? 'td' : 'th', title, kind)).join('')
  const lines = body.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n')
  const name = columns.flatMap(({ title }) => title || []).join(', ')
  return `<div ${scrolling(name)}><table><thead><tr>${titles}</tr></thead><tbody>\n${lines}\n</tbody></table></div>`
}

function escapeHtml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
