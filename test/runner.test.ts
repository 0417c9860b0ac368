/** The test command on files written for it: what it says of each is what a reader will believe. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { FileReport } from './report.js'
import { runFiles } from './runner.js'

async function reportOf(t: Test, silentSeconds: number, source: string): Promise<FileReport> {
  // Beside the built tests, where it finds tap.
  const folder = mkdtempSync(join(import.meta.dirname, 'runner-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'some.test.mjs')
  writeFileSync(file, `import t from 'tap'\n${source}\n`)
  const reports: FileReport[] = []
  await runFiles([file], { cwd: folder, jobs: 1, silentSeconds, ended: (report) => reports.push(report) })
  return reports[0]!
}

t.test('A silent test file is ended and reported with the test that was still running', async (t) => {
  const report = await reportOf(
    t,
    5,
    `t.test('One that ends', async (t) => t.pass())
     t.test('One that never ends', () => new Promise(() => setInterval(() => {}, 1000)))`,
  )
  const titles = report.failures.map(({ title }) => title).join('\n')
  t.match(titles, /The file said nothing for 5 seconds/)
  t.match(titles, /One that never ends/)
  t.equal(report.passed, 1)
})

t.test('A slow test file that keeps reporting is not ended', async (t) => {
  const slow = `t.test('Slow', async (t) => {
    for (let turn = 0; turn < 36; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 250))
      t.comment('still here')
    }
    t.pass()
  })`
  const report = await reportOf(t, 8, slow)
  t.same([report.passed, report.failed], [1, 0])
})

t.test(
  'A failed assertion, a file without assertions and a file that ends with an error are all reported',
  async (t) => {
    const wrong = await reportOf(t, 30, `t.equal(1, 2, 'One is two')`)
    t.match(wrong.failures[0]?.title, 'One is two')
    const idle = await reportOf(t, 30, '')
    t.same(
      idle.failures.map(({ title }) => title),
      ['The file asserted nothing'],
    )
    const thrown = await reportOf(t, 30, `t.pass()\nsetTimeout(() => { throw new Error('from nowhere') }, 1)`)
    t.ok(thrown.failed > 0)
  },
)
