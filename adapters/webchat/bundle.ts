/** Bundles the script of the widget, as a step of the build. */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import * as limits from '../../core/limits/index.js'
import { bundleScript, writeScript } from '../kit/script.js'

/** Beside the compiled form of this file, in any build folder. */
export const bundleFile = fileURLToPath(new URL('widget.js', import.meta.url))
const entry = fileURLToPath(new URL('../../../adapters/webchat/widget/main.tsx', import.meta.url))

/** Replaces computed limits by their values, because a bundler keeps unused expressions that may have side effects. */
const limitsPlugin: Plugin = {
  name: 'numbers',
  setup({ onLoad }) {
    onLoad({ filter: /\/core\/limits\/index\.ts$/ }, () => ({
      contents: Object.entries(limits)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
        .join('\n'),
      loader: 'js',
    }))
  },
}

/** The script is a function of `ChatLook`: the gateway appends the call when it serves the script. */
export async function bundleWidget(): Promise<string> {
  return `(parleyLook=>{${(await bundleScript(entry, [limitsPlugin])).trim()}})`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeScript(bundleFile, await bundleWidget())
