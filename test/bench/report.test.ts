/** The report of a bench as people look at it: light and dark, on narrow and wide screens. */
import { mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import t from 'tap'
import { percents } from '../../bench/harness/metrics.js'
import { charts } from '../../bench/harness/report/charts.js'
import { page as reportPage } from '../../bench/harness/report/page.js'
import type { Outcome } from '../../bench/harness/run.js'
import type { Sample } from '../../bench/harness/sample.js'
import { findChromium, openBrowser } from '../harness/browser.js'

t.setTimeout(120_000)

const sample: Sample = {
  operations: 1_000,
  seconds: 2,
  cpuMicros: 400_000,
  bytes: 90_000,
  failures: {},
  latencyMs: percents.map((percent) => [percent, percent / 10]),
}
const candidate = (name: string, role: string) => ({
  candidate: { name, role, about: 'What it is, in a sentence that is long enough to be wrapped on a small screen.' },
  samples: [sample, sample],
  notes: [],
  remarks: [],
})
const outcome = {
  scenario: { name: 'sample', unit: 'calls', purpose: 'How many calls a node answers.' },
  settings: { rounds: 2, seconds: 2, concurrency: 8 },
  startedAt: '2026-03-01T12:00:00.000Z',
  machine: { cpu: 'two cores', node: 'v20' },
  candidates: [candidate('limit', 'limit'), candidate('peer', 'peer'), candidate('parley', 'ours')],
  ratios: [
    { metric: 'rate', of: 'parley', over: 'limit', perRound: [0.8, 0.9], median: 0.85, atLeast: 0.7, holds: true },
    { metric: 'p99', of: 'parley', over: 'peer', perRound: [1.2, 1.3], median: 1.25, atMost: 1, holds: false },
  ],
} as unknown as Outcome

t.test('The report opens in a browser', { skip: findChromium() ? false : 'Chromium is not installed' }, async (t) => {
  await mkdir('test/output', { recursive: true })
  const file = resolve('test/output/bench-report.html')
  await writeFile(file, reportPage(outcome, await charts(outcome)))
  const url = pathToFileURL(file).href
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      t.test(`the report is readable, ${colorScheme}, at ${width} px`, async (t) => {
        const { page, close } = await browser.visit({ origin: 'null', colorScheme })
        await page.setViewportSize({ width, height: 844 })
        await page.goto(url)
        t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, 'only wide content scrolls')
        const drawn = `[...document.querySelectorAll('svg')].map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)`
        for (const scale of (await page.evaluate(drawn)) as number[])
          t.ok(scale > 0.95, `plots keep their size: ${scale}`)
        const inks = `[...new Set([...document.querySelectorAll('svg text')].map((text) => getComputedStyle(text).fill))]`
        t.same(await page.evaluate(inks), [colorScheme === 'dark' ? 'rgb(230, 233, 237)' : 'rgb(31, 41, 51)'])
        await page.evaluate(axe.source)
        const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
        t.same(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`),
          [],
        )
        await page.screenshot({ path: `test/output/bench-${colorScheme}-${width}.png` })
        await close()
      })
    }
  }
})
