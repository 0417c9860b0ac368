/** Runs the contract suite on the adapter: one test for each sentence of the contract. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { checkAdapter } from 'parley/adapters/kit'
import adapter from './index.js'
import { samples } from './samples.js'

for (const { name, ok, problems } of await checkAdapter(adapter, samples)) {
  test(name, () => assert.ok(ok, problems.join('\n')))
}
