/** Bundles a page into one script at build time. Deterministic: the same sources give the same bytes. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { build, type Plugin, transform } from 'esbuild'

const target = ['chrome111', 'firefox119', 'safari16.4']

/** Style sheets become minified strings. */
const styles: Plugin = {
  name: 'styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target })
      return { contents: code.trim(), loader: 'text' }
    })
  },
}

export async function bundleScript(entry: string, plugins: readonly Plugin[] = []): Promise<string> {
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
    plugins: [styles, ...plugins],
  })
  return outputFiles[0]!.text
}

/** Writes to a temporary file and renames it, so that readers never see a part of the script. */
export async function writeScript(file: string, script: string): Promise<void> {
  await writeFile(`${file}.new`, script)
  await rename(`${file}.new`, file)
}
