/** Makes the script of the emulator page, as part of the build. */
import { fileURLToPath } from 'node:url'
import { bundleScript, writeScript } from '../kit/script.js'

/** Beside this file, in whichever folder the build is. */
export const bundleFile = fileURLToPath(new URL('page.js', import.meta.url))
const entry = fileURLToPath(new URL('../../../adapters/emulator/page/main.tsx', import.meta.url))

export const bundlePage = (): Promise<string> => bundleScript(entry)
export const writePage = async (): Promise<void> => writeScript(bundleFile, await bundlePage())

if (process.argv[1] === fileURLToPath(import.meta.url)) await writePage()
