/** The build takes types away without looking at them, so that it is quick: here they are looked at. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

// The compiler takes its time on a busy machine.
t.setTimeout(400_000)

const root = fileURLToPath(new URL('../../', import.meta.url))
const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', `file://${root}`))
const projects = {
  'the house': '.',
  'the widget': 'adapters/webchat/widget',
  'the emulator page': 'adapters/emulator/page',
}

for (const [name, project] of Object.entries(projects)) {
  t.test(`The types of ${name} hold`, async (t) => {
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], {
      cwd: root,
      encoding: 'utf8',
    })
    t.equal(status, 0, stdout.slice(0, 2_000))
  })
}
