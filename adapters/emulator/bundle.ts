/** Bundles the script of the emulator page, as a step of the build. */
import { fileURLToPath } from 'node:url'
import { bundleScript, writeScript } from '../kit/script.js'

/** Beside the compiled form of this file, in any build folder. */
export const bundleFile = fileURLToPath(new URL('page.js', import.meta.url))
const entry = fileURLToPath(new URL('../../../adapters/emulator/page/main.tsx', import.meta.url))

export const bundlePage = (): Promise<string> => bundleScript(entry)
export const writePage = async (): Promise<void> => writeScript(bundleFile, await bundlePage())

if (process.argv[1] === fileURLToPath(import.meta.url)) await writePage()
