/**
 * The build. esbuild strips types without checking them (`npm run types` and the tests check them), so it takes
 * seconds. It first builds every file by itself, then bundles the programs once more into a few large files in
 * `dist/parts`: finding and reading over a thousand small files is most of the time of a start. `node
 * ops/scripts/build.mjs tests` does the same with the tests; `if-stale` builds only when a source is newer than the
 * last build.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = ['core', 'adapters', 'mgmt', 'runtime', 'bench', 'test', 'ops']
const common = {
  absWorkingDir: root,
  outdir: 'dist',
  outbase: '.',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

/** The one test that reads built files of a folder and compares them with its imports is not bundled. */
const loose = ['test/mgmt/handlers.test.ts']
const programs = [
  'runtime/main.ts',
  'runtime/worker/thread.ts',
  'runtime/cli/main.ts',
  'adapters/kit/index.ts',
  'adapters/kit/suite/main.ts',
  'adapters/kit/scaffold.ts',
  'ops/scripts/cluster.ts',
  'test/faults/node.ts',
]
/** Bundled for the tests alone: profiles of the bench are clearer with one file per source. */
const benches = readdirSync(join(root, 'bench'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('bench', name))
  .filter(
    (name) => /\/(main|candidate|world|center|timer|stallprobe|(limit|peer)-\w+)\.ts$/.test(name) && isAskedFor(name),
  )
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((name) => name.endsWith('.test.ts') && !loose.includes(name) && isAskedFor(name))

/**
 * Words after `tests` select the tests that run; bundling the others would take longer than running the selected ones.
 */
function isAskedFor(name) {
  const words = process.argv.slice(process.argv.indexOf('tests') + 1).filter((word) => !word.startsWith('-'))
  return words.length === 0 || words.some((word) => name.includes(word))
}

/**
 * The groups that are bundled at once. A part holds the files that the same programs of a group need, so similar
 * programs have few and large parts. As one group, every few files would be a part, and a node would read hundreds.
 */
function groups() {
  // The start of a program does not wait for tests.
  if (!process.argv.includes('tests')) return [programs]
  const isWhole = reaching('runtime/node/compose.ts')
  return [programs, benches, tests.filter(isWhole), tests.filter((test) => !isWhole(test))]
}

/** Returns a predicate: does a file import `target`, directly or not? */
function reaching(target) {
  const known = new Map([[target, true]])
  const reaches = (file) => {
    if (!known.has(file)) {
      known.set(file, false)
      known.set(file, existsSync(join(root, file)) && importsOf(file).some(reaches))
    }
    return known.get(file)
  }
  return reaches
}

function importsOf(file) {
  const found = readFileSync(join(root, file), 'utf8').matchAll(/(?:\bfrom |\bimport\()'(\.[^']+)\.js'/g)
  return [...found].map(([, path]) => normalize(join(dirname(file), `${path}.ts`)))
}

/**
 * Libraries of hundreds of small files, with their own dependencies, are bundled. All others stay where npm installed
 * them: many have native code or data files, or do not run in strict mode, which bundling would force.
 */
const libraries = [
  ...['typebox', 'libphonenumber-js', 'csv-parse', 'undici', 'js-yaml'],
  ...['jose', 'oauth4webapi', 'openid-client'],
  ...['ajv', 'ajv-formats', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'],
  ...['fast-json-stringify', '@fastify/merge-json-schemas', 'json-schema-ref-resolver', 'rfdc'],
  'lru-cache',
]

/** The test library with its dependencies: some two hundred files that each test would read. */
const withTap = {
  name: 'with tap',
  setup({ onResolve, resolve }) {
    const ofTap = new Set()
    onResolve({ filter: /./ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === ofTap || (path !== 'tap' && !ofTap.has(importer))) return undefined
      if (isBuiltin(path)) return { path, external: true }
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: ofTap })
      ofTap.add(found.path)
      return found
    })
  },
}

const fromLibraries = {
  name: 'from libraries',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, pluginData }) => {
      if (pluginData !== undefined) return undefined
      const isInside = kind === 'entry-point' || libraries.some((name) => path === name || path.startsWith(`${name}/`))
      return isInside ? undefined : { path, external: true }
    })
  },
}

/** In a bundled file `import.meta` keeps the location that the file has when it is built by itself. */
const ownPlace = {
  name: 'own place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.')) return undefined
      const file = relative(root, path).replace(/\.ts$/, '.js')
      if (/import\.meta\.(?!url\b|dirname\b)/.test(text))
        throw new Error(`${file} asks \`import.meta\` for more than its place.`)
      const url = `import.meta.url.replace(/^(.*[/]dist[/]).*$/, '$1${file}')`
      const folder = `decodeURIComponent(new URL('.', ${url}).pathname.slice(0, -1))`
      const contents = text.replaceAll('import.meta.url', url).replaceAll('import.meta.dirname', folder)
      return { contents, loader: 'ts' }
    })
  },
}

/** Written after a complete build; newer sources are built again. */
const stamp = join(root, 'dist/.built')

function isStale() {
  if (!existsSync(stamp)) return true
  const builtAt = statSync(stamp).mtimeMs
  const isNewer = (path) => statSync(join(root, path)).mtimeMs > builtAt
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return [...sources, 'package-lock.json', 'ops/scripts/build.mjs'].some(isNewer)
}

if (process.argv.includes('if-stale') && !isStale()) process.exit(0)
rmSync(stamp, { force: true })

await build({
  ...common,
  entryPoints: [...folders.map((folder) => `${folder}/**/*.ts`), 'adapters/**/*.tsx'],
})
// Parts of the previous build, and of the place where an older build put libraries.
for (const name of ['parts', 'node_modules']) rmSync(join(root, 'dist', name), { recursive: true, force: true })
const built = await Promise.all(groups().map((entryPoints) => putTogether(entryPoints)))

function putTogether(entryPoints) {
  return build({
    ...common,
    entryPoints,
    bundle: true,
    splitting: true,
    platform: 'node',
    metafile: true,
    chunkNames: 'parts/[hash]',
    plugins: [ownPlace, withTap, fromLibraries],
    // CommonJS libraries load modules of Node with `require`.
    banner: {
      js: "import { createRequire as __requiring } from 'node:module'; const require = __requiring(import.meta.url);",
    },
  })
}

for (const [file, { format }] of built.flatMap(({ metafile }) => Object.entries(metafile.inputs))) {
  if (format === 'cjs' && !isStrict(file))
    throw new Error(`${file} was not written for strict mode: its library has to stay where npm put it.`)
}

writeFileSync(stamp, '')

/** Files with "use strict", or beside an ES module version of themselves, which is always strict. */
function isStrict(file) {
  const isModuleToo = file.endsWith('.cjs') && existsSync(join(root, file.replace(/\.cjs$/, '.mjs')))
  return isModuleToo || /^['"]use strict['"]/m.test(readFileSync(join(root, file), 'utf8'))
}
