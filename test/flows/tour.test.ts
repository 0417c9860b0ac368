/**
 * The operator's tour of the management API: its lines, run by a real shell with the real curl, say what they promise.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startNode, testKey } from '../harness/process.js'

const readme = readFileSync(fileURLToPath(new URL('../../../ops/runbooks/tour.md', import.meta.url)), 'utf8')
const block = /### An operator's tour\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

/** A line with the status that stands behind it, if one does. */
function read(line: string): { command: string; status?: string } {
  const annotated = /^(.*?) +# (\d{3})$/.exec(line)
  return annotated ? { command: annotated[1]!, status: annotated[2]! } : { command: line }
}

const end = '-- end of line --'

t.test('Every line of the tour works when pasted, and answers the status after it', async (t) => {
  const node = await startNode()
  t.teardown(() => node.clean())
  const folder = mkdtempSync(join(tmpdir(), 'parley-tour-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const steps = lines.map((line) =>
    read(line.replace('http://127.0.0.1:8081', node.mgmt).replace(/^export KEY=.*$/, `export KEY=${testKey}`)),
  )
  t.ok(steps.filter(({ status }) => status).length >= 20, 'the tour was found')
  const script = steps.map(({ command }) => `${command}\necho "$? ${end}"`).join('\n')
  const printed = execFileSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' }).split(`${end}\n`)
  t.equal(printed.length, steps.length + 1)
  for (const [nth, { command, status }] of steps.entries()) {
    const printedLines = printed[nth]!.trimEnd().split('\n')
    t.equal(printedLines.at(-1), '0', `${command} ended well`)
    if (status)
      t.equal(printedLines.at(-2), status, `${command} answered ${printedLines.slice(0, -2).join(' ').slice(0, 300)}`)
  }
  const exported = readFileSync(join(folder, 'quay-hotel.yaml'), 'utf8')
  t.match(exported, 'parking')
  t.notMatch(exported, 'of-the-crm-0042', 'a secret stays where it is')
})
