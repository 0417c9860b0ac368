/** Makes the script of the widget, as part of the build. */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import * as limits from '../../core/limits/index.js'
import { bundleScript, writeScript } from '../kit/script.js'

/** Beside this file, in whichever folder the build is. */
export const bundleFile = fileURLToPath(new URL('widget.js', import.meta.url))
const entry = fileURLToPath(new URL('../../../adapters/webchat/widget/main.tsx', import.meta.url))

/** Numbers are written out: sums might do anything for all a bundler knows, so unused ones would be kept. */
const limitsPlugin: Plugin = {
  name: 'numbers',
  setup({ onLoad }) {
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
  return `(parleyLook=>{${(await bundleScript(entry, [limitsPlugin])).trim()}})`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeScript(bundleFile, await bundleWidget())
