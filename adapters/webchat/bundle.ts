/** Makes one script of the widget, as part of the build: the same bytes whenever the same sources are built. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, transform } from 'esbuild'
import * as limits from '../../core/limits.js'

/** Beside this file, in whichever folder the build is. */
export const bundleFile = fileURLToPath(new URL('widget.js', import.meta.url))
const entry = fileURLToPath(new URL('../../../adapters/webchat/widget/main.tsx', import.meta.url))
const target = ['chrome111', 'firefox119', 'safari16.4']

const leaner: Plugin = {
  name: 'leaner',
  setup({ onLoad }) {
    // Style sheets become texts, without what only people need.
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target })
      return { contents: code.trim(), loader: 'text' }
    })
    // Numbers are written out: sums might do anything for all a bundler knows, so unused ones would be kept.
    onLoad({ filter: /\/core\/limits\.ts$/ }, () => ({
      contents: Object.entries(limits)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
        .join('\n'),
      loader: 'js',
    }))
  },
}

/** A function of how the chat looks: the gateway adds the call when it serves it. */
export async function bundleWidget(): Promise<string> {
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
    plugins: [leaner],
  })
  return `(parleyLook=>{${outputFiles[0]!.text.trim()}})`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Written beside and moved, so that whoever reads it meanwhile reads all of it.
  await writeFile(`${bundleFile}.new`, await bundleWidget())
  await rename(`${bundleFile}.new`, bundleFile)
}
