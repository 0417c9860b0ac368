/** RCS Business Messaging keeps the contract of adapters. */
import t from 'tap'
import { checkAdapter } from '../../../../adapters/kit/suite/check.js'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import { rbmSamples } from './samples.js'

t.setTimeout(120_000)

t.test('The adapter kit has no findings', async (t) => {
  const findings = await checkAdapter(rbmAdapter, rbmSamples)
  t.ok(findings.length > 15, 'the suite ran')
  for (const { name, problems } of findings) t.same(problems, [], name)
})
