/** The suite that every adapter passes, on that of Slack. */
import t from 'tap'
import { checkAdapter } from '../../../../adapters/kit/suite/check.js'
import { slackAdapter } from '../../../../adapters/workchat/slack/adapter.js'
import { slackSamples } from './samples.js'

t.test('The adapter of slack fulfils its contract', async (t) => {
  const findings = await checkAdapter(slackAdapter, slackSamples)
  t.ok(findings.length > 15, 'the suite was run')
  for (const { name, problems } of findings) t.same(problems, [], name)
})
