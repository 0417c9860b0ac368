/**
 * `node dist/adapters/kit/suite/main.js <folder>`: runs the suite on the package in the folder, with its `samples.js`.
 */
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkAdapter, report } from './check.js'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write(
    'Which folder? It has an `index.js` that gives the adapter and a `samples.js` that gives `samples`.\n',
  )
  process.exitCode = 2
} else {
  const moduleAt = (file: string) => import(pathToFileURL(join(resolve(folder), file)).href)
  const [{ default: adapter }, { samples }] = await Promise.all([moduleAt('index.js'), moduleAt('samples.js')])
  const findings = await checkAdapter(adapter, samples)
  process.stdout.write(report(findings))
  process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1
}
