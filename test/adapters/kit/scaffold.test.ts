/** The generator: what it writes is whole, tests itself, and what it cannot write it says plainly. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scaffoldAdapter } from '../../../adapters/kit/scaffold.js'
import { generateAdapter, parley, tempDir } from './generatedadapter.js'

t.test('The generated package runs its tests with the runner of node', async (t) => {
  const { dir, files } = generateAdapter(t, 'rcs', 'pigeon')
  t.same(files, [
    '.gitignore',
    'README.md',
    'adapter.test.js',
    'descriptor.js',
    'index.js',
    'package.json',
    'receive.js',
    'render.js',
    'samples.js',
    'send.js',
  ])
  const run = (): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, ['--test', '--test-reporter=tap'], { cwd: dir, encoding: 'utf8', env: ownEnv() })
  const passed = run()
  t.equal(passed.status, 0, passed.stdout.slice(-2_000))
  t.match(passed.stdout, /# pass [2-9]\d/)
  const receive = join(dir, 'receive.js')
  writeFileSync(receive, readFileSync(receive, 'utf8').replace('!sameText(', '!String('))
  t.equal(run().status, 1, 'and an adapter that accepts any signature fails')
})

/** Without what marks this process as a test run by another runner. */
function ownEnv(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _runner, NODE_OPTIONS: _options, ...env } = process.env
  return env
}

t.test('The generated package has no placeholders left', async (t) => {
  const { dir, files } = generateAdapter(t, 'messengerA', 'pigeon')
  for (const file of files) t.notMatch(readFileSync(join(dir, file), 'utf8'), /\{\{\w+\}\}|TODO/, file)
  const about = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
  t.match(about, { name: 'parley-adapter-pigeon', type: 'module', main: './index.js' })
  const way = about.dependencies.parley.replace(/^file:/, '')
  t.equal(realpathSync(join(dir, way)), realpathSync(parley), 'it depends on the clone that made it')
})

t.test('The package finds the clone that generated it, without a network', async (t) => {
  const dir = join(tempDir(t), 'made')
  scaffoldAdapter({ channel: 'sms', provider: 'pigeon', into: dir, parley })
  t.equal(realpathSync(join(dir, 'node_modules/parley')), realpathSync(parley))
})

t.test('A package that cannot be written is refused in plain words, and no file is left behind', async (t) => {
  const dir = tempDir(t)
  const into = join(dir, 'made')
  const refused: [channel: string, provider: string, because: RegExp][] = [
    ['telex', 'pigeon', /one of rcs/],
    ['webchat', 'pigeon', /one of rcs/],
    ['sms', 'Pigeon Post', /slug/],
    ['sms', '../../etc', /slug/],
    ['sms', '', /slug/],
  ]
  for (const [channel, provider, because] of refused) {
    t.throws(() => scaffoldAdapter({ channel, provider, into, parley }), because)
    t.notOk(existsSync(into))
  }
  mkdirSync(into)
  writeFileSync(join(into, 'notes.txt'), 'mine')
  t.throws(() => scaffoldAdapter({ channel: 'sms', provider: 'pigeon', into, parley }), /not empty/)
  t.equal(readFileSync(join(into, 'notes.txt'), 'utf8'), 'mine')
})

t.test('The command prints what it wrote, and fails with 2 for an unknown channel', async (t) => {
  const command = join(import.meta.dirname, '../../../adapters/kit/scaffold.js')
  const run = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' })
  const into = join(tempDir(t), 'made')
  const made = run('sms', 'pigeon', '--into', into)
  t.equal(made.status, 0, made.stderr)
  t.match(made.stdout, /descriptor\.js[\s\S]*PARLEY_ADAPTERS=/)
  const refused = run('telex', 'pigeon', '--into', into)
  t.equal(refused.status, 2)
  t.match(refused.stderr, /one of rcs/)
})

t.test('The command runs the suite on a folder, and fails with 1 if there are findings', async (t) => {
  const { dir } = generateAdapter(t, 'sms', 'pigeon')
  const command = join(import.meta.dirname, '../../../adapters/kit/suite/main.js')
  const run = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' })
  const passed = run(dir)
  t.equal(passed.status, 0, passed.stdout + passed.stderr)
  t.match(passed.stdout, /^TAP version 14\nok 1 - [\s\S]*\n1\.\.\d+\n$/)
  const send = join(dir, 'send.js')
  writeFileSync(send, readFileSync(send, 'utf8').replace("retry: 'never'", "retry: 'later'"))
  const failed = run(dir)
  t.equal(failed.status, 1)
  t.match(failed.stdout, /not ok \d+ - Every sample answer[^\n]*\n {2}# the person opted out/)
  t.equal(run().status, 2)
})
