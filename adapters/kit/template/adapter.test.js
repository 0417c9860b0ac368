/** Holds the adapter to its contract: one test for each sentence of it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { checkAdapter } from 'parley/adapters/kit'
import adapter from './index.js'
import { samples } from './samples.js'

for (const { name, ok, problems } of await checkAdapter(adapter, samples)) {
  test(name, () => assert.ok(ok, problems.join('\n')))
}
