/**
 * The build. Types are taken away without looking at them (`npm run types` does, and the tests do), so it takes seconds.
 * Every file is built by itself first; then those that are started are built once more, each with all that it needs put
 * together in a few large files in `dist/parts`: finding and reading over a thousand small ones is most of what it takes to start.
 * `node ops/scripts/build.mjs tests` does the same with the tests; `if-stale` builds only when a source is newer than the last build.
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

/** The one test that reads the built files of a folder, and finds in them what it has imported, stays as it is. */
const loose = ['test/mgmt/repertoire.test.ts']
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
/** Put together for the tests alone: profiles of the bench tell more when they name the files we know. */
const benches = readdirSync(join(root, 'bench'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('bench', name))
  .filter(
    (name) => /\/(main|candidate|world|center|timer|stallprobe|(limit|peer)-\w+)\.ts$/.test(name) && isAskedFor(name),
  )
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((name) => name.endsWith('.test.ts') && !loose.includes(name) && isAskedFor(name))

/** Words behind `tests` name the tests that will run; bundling the others would take longer than running these. */
function isAskedFor(name) {
  const words = process.argv.slice(process.argv.indexOf('tests') + 1).filter((word) => !word.startsWith('-'))
  return words.length === 0 || words.some((word) => name.includes(word))
}

/**
 * What is put together at once: a part holds the files that the same programs of a group need, so the more alike they are,
 * the fewer and larger its parts. Together all would have one for every few files; a node alone would read hundreds of them.
 */
function groups() {
  // Whoever starts a program waits for no tests.
  if (!process.argv.includes('tests')) return [programs]
  const isWhole = reaching('runtime/node/compose.ts')
  return [programs, benches, tests.filter(isWhole), tests.filter((test) => !isWhole(test))]
}

/** Tells of a file whether it needs another one. */
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
 * Libraries that come as hundreds of small files, with what they use themselves. All others stay where npm put them: many
 * have machine code or files of their own, or were not written to run in strict mode, which is what they would run in.
 */
const libraries = [
  ...['typebox', 'libphonenumber-js', 'csv-parse', 'undici', 'js-yaml'],
  ...['jose', 'oauth4webapi', 'openid-client'],
  ...['ajv', 'ajv-formats', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'],
  ...['fast-json-stringify', '@fastify/merge-json-schemas', 'json-schema-ref-resolver', 'rfdc'],
  'lru-cache',
]

/** The library of the tests, with all that it needs itself: some two hundred files, which each test would read. */
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

/** To a file that was put together with others, `import.meta` still tells the place that it has when it is built by itself. */
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

/** Written when a build is whole: sources that are newer have to be built again. */
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
// Parts of the build before, and where an older one put libraries.
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
    // Libraries in the older form ask for modules of Node by `require`.
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

/** What says so, or stands beside its like in the newer form, which is always strict. */
function isStrict(file) {
  const isModuleToo = file.endsWith('.cjs') && existsSync(join(root, file.replace(/\.cjs$/, '.mjs')))
  return isModuleToo || /^['"]use strict['"]/m.test(readFileSync(join(root, file), 'utf8'))
}
