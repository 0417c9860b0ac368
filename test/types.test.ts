/** The build takes types away without looking at them, so that it is quick: here they are looked at. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

// The compiler takes its time on a busy machine.
t.setTimeout(400_000)

const root = fileURLToPath(new URL('../../', import.meta.url))
const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', `file://${root}`))
/**
 * Checkers that run side by side look at much of it again, each for itself, and its memory is soon given back anyway.
 */
const thrifty = { args: ['--checkers', '1'], env: { ...process.env, GOGC: '400' } }
const projects = {
  'the house': '.',
  'the widget': 'adapters/webchat/widget',
  'the emulator page': 'adapters/emulator/page',
}

for (const [name, project] of Object.entries(projects)) {
  t.test(`The types of ${name} hold`, async (t) => {
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project, ...thrifty.args], {
      cwd: root,
      env: thrifty.env,
      encoding: 'utf8',
    })
    t.equal(status, 0, stdout.slice(0, 2_000))
  })
}
