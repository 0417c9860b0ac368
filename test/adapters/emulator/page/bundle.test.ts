/** The script of the emulator page as it is served: whole by itself, always the same, and typed like everything else. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { bundlePage } from '../../../../adapters/emulator/bundle.js'

// The compiler takes its time on a busy machine.
t.setTimeout(300_000)

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

t.test('The same sources always make the same script, which is whole by itself', async (t) => {
  const script = await bundlePage()
  t.equal(await bundlePage(), script)
  t.notMatch(script, /\bimport\s*[({"']|\brequire\(|eval\(/)
  t.notMatch(script, root, 'and tells nobody where it was made')
})

t.test('The types of the page hold', async (t) => {
  const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', `file://${root}`))
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'adapters/emulator/page'], {
    cwd: root,
    encoding: 'utf8',
  })
  t.equal(status, 0, stdout.slice(0, 2_000))
})
