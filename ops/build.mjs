/**
 * The build. Types are taken away without looking at them (`npm run types` does, and the tests do), so it takes seconds.
 * Every file is built by itself first; then those that are started are built once more, each with all that it needs put
 * together in a few large files in `dist/parts`: finding and reading over a thousand small ones is most of what it takes to start.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
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

/**
 * Programs of the bench are not among them: its profiles tell more when they name the files we know. Nor is the one test that
 * reads the built files of a folder, and finds in them what it has imported.
 */
const loose = ['mgmt/repertoire.test.ts']
const programs = [
  'runtime/main.ts',
  'runtime/cli/main.ts',
  'adapters/kit/index.ts',
  'adapters/kit/main.ts',
  'adapters/kit/new.ts',
  'ops/cluster.ts',
  'test/faults/node.ts',
  ...readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !loose.includes(name))
    .map((name) => join('test', name)),
]

/**
 * Libraries that come as hundreds of small files, with what they use themselves. All others stay where npm put them: many
 * have machine code or files of their own, or were not written to run in strict mode, which is what they would run in.
 */
const libraries = [
  ...['typebox', 'libphonenumber-js', 'csv-parse', 'undici', 'yaml'],
  ...['jose', 'oauth4webapi', 'openid-client'],
  ...['ajv', 'ajv-formats', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'],
]

const fromLibraries = {
  name: 'from libraries',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
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

await build({
  ...common,
  entryPoints: [...folders.map((folder) => `${folder}/**/*.ts`), 'adapters/**/*.tsx'],
})
// Parts of the build before, and where an older one put libraries.
for (const name of ['parts', 'node_modules']) rmSync(join(root, 'dist', name), { recursive: true, force: true })
const { metafile } = await build({
  ...common,
  entryPoints: programs,
  bundle: true,
  splitting: true,
  platform: 'node',
  metafile: true,
  chunkNames: 'parts/[hash]',
  plugins: [ownPlace, fromLibraries],
  // Libraries in the older form ask for modules of Node by `require`.
  banner: {
    js: "import { createRequire as __requiring } from 'node:module'; const require = __requiring(import.meta.url);",
  },
})

for (const [file, { format }] of Object.entries(metafile.inputs)) {
  const isStrict = format !== 'cjs' || /^['"]use strict['"]/m.test(readFileSync(join(root, file), 'utf8'))
  if (!isStrict) throw new Error(`${file} was not written for strict mode: its library has to stay where npm put it.`)
}
