/** What `npm pack` takes: the program and the kit for adapters, and nothing that lies around beside them. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

t.test('The package contains only the program and the kit, and the command line works from it', async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'parley-pack-'))
  const stray = join(root, `people-${process.pid}.csv`)
  writeFileSync(stray, 'phone\n')
  t.teardown(() => {
    rmSync(stray, { force: true })
    rmSync(scratch, { recursive: true, force: true })
  })
  // Tests run from a build, which packing must not replace under them.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', scratch]
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 64 * 1024 ** 2 })
  const [{ filename, files }] = JSON.parse(stdout) as [Packed]
  const allowed =
    /^(?:(?:dist\/(?:adapters|core|mgmt|parts|runtime)|adapters\/kit|core|ops\/sample-(?:agent|managed))\/|[^/]+$)/
  t.same(
    files.map(({ path }) => path).filter((path) => !allowed.test(path)),
    [],
  )
  t.same(
    files
      .map(({ path }) => path)
      .filter((path) => !path.includes('/'))
      .sort(),
    ['LICENSE', 'README.md', 'package.json'],
  )
  await run('tar', ['-xzf', join(scratch, filename), '-C', scratch])
  const packageDir = join(scratch, 'package')
  symlinkSync(join(root, 'node_modules'), join(packageDir, 'node_modules'))
  const parley = join(packageDir, 'dist/runtime/cli/main.js')
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string }
  t.equal((await run(process.execPath, [parley, '--version'])).stdout.trim(), version)
  t.match((await run(process.execPath, [parley, 'help', 'shards'])).stdout, 'shards')
  mkdirSync(join(scratch, 'data'))
  const env = { ...process.env, PARLEY_DATA_DIR: join(scratch, 'data') }
  const doctor = await run(process.execPath, [parley, 'doctor'], { env }).catch((error) => error)
  t.match(doctor.stdout, /^CHECK/m, 'it looks at the host')
})
