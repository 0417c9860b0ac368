/** The suite that every adapter passes, on that of Apple Messages for Business. */
import t from 'tap'
import { checkAdapter } from '../../../../adapters/kit/suite/check.js'
import { appleAdapter } from '../../../../adapters/vendor/apple/adapter.js'
import { appleSamples } from './samples.js'

t.test('The adapter of apple fulfils its contract', async (t) => {
  const findings = await checkAdapter(appleAdapter, appleSamples)
  t.ok(findings.length > 15, 'the suite was run')
  for (const { name, problems } of findings) t.same(problems, [], name)
})
