/** A generated adapter passes the suite as it is, on every channel that has providers. */
import t from 'tap'
import { checkAdapter } from '../../../adapters/kit/index.js'
import { channelNames } from '../../../core/channelnames.js'
import { generateAdapter, loadAdapter } from './generatedadapter.js'

const channels = channelNames.filter((name) => name !== 'webchat')

for (const channel of channels) {
  t.test(`A generated adapter for ${channel} fulfils every sentence of the contract`, async (t) => {
    const { dir } = generateAdapter(t, channel, 'pigeon-post')
    const { adapter, samples } = await loadAdapter(dir)
    const findings = await checkAdapter(adapter, samples)
    t.ok(findings.length >= 20, 'the checks were run')
    t.same(
      findings.filter(({ ok }) => !ok),
      [],
    )
  })
}
