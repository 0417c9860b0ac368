/** The test command: builds with the selected tests (all when none is named), then runs them. */
import { spawnSync } from 'node:child_process'

const words = process.argv.slice(2)
const steps = [
  ['ops/scripts/build.mjs', 'tests', ...words],
  ['dist/adapters/webchat/bundle.js'],
  ['dist/adapters/emulator/bundle.js'],
  ['dist/test/run.js', ...words],
]

for (const step of steps) {
  const { status, signal } = spawnSync(process.execPath, step, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? (signal ? 1 : 0))
}
