/**
 * The build. Types are taken away file by file and looked at elsewhere (`npm run types`, which the tests do), so it takes
 * seconds. Libraries that come as hundreds of small files are put together, each in `dist/node_modules`, where compiled code
 * finds it first: reading them one by one is a third of what it takes to start a node.
 */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folders = ['core', 'adapters', 'mgmt', 'runtime', 'bench', 'test', 'ops']
const common = { absWorkingDir: root, format: 'esm', target: 'node20.19', sourcemap: true, logLevel: 'warning' }

await build({
  ...common,
  entryPoints: [...folders.map((folder) => `${folder}/**/*.ts`), 'adapters/**/*.tsx'],
  outdir: 'dist',
  outbase: '.',
})

/** What is imported of each. */
const libraries = { typebox: ['.', './value'], jose: ['.'], 'libphonenumber-js': ['./max'] }

for (const [name, parts] of Object.entries(libraries)) {
  const outdir = join('dist/node_modules', name)
  const named = parts.map((part) => [part, part === '.' ? 'index' : part.slice(2)])
  await build({
    ...common,
    entryPoints: named.map(([part, out]) => ({ in: join(name, part), out })),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
  })
  const exports = Object.fromEntries(named.map(([part, out]) => [part, `./${out}.js`]))
  writeFileSync(join(root, outdir, 'package.json'), JSON.stringify({ name, type: 'module', exports }))
}
