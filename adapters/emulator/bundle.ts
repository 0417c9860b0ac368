/** Makes one script of the emulator page, as part of the build: the same bytes whenever the same sources are built. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, transform } from 'esbuild'

/** Beside this file, in whichever folder the build is. */
export const bundleFile = fileURLToPath(new URL('page.js', import.meta.url))
const entry = fileURLToPath(new URL('../../../adapters/emulator/page/main.tsx', import.meta.url))
const target = ['chrome111', 'firefox119', 'safari16.4']

/** Style sheets become texts, without what only people need. */
const styles: Plugin = {
  name: 'styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target })
      return { contents: code.trim(), loader: 'text' }
    })
  },
}

export async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    plugins: [styles],
  })
  return outputFiles[0]!.text
}

/** Written beside and moved, so that whoever reads it meanwhile reads all of it. */
export async function writePage(): Promise<void> {
  await writeFile(`${bundleFile}.new`, await bundlePage())
  await rename(`${bundleFile}.new`, bundleFile)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writePage()
