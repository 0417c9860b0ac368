/** The suite that every adapter passes, on those that share the graph API. */
import t from 'tap'
import { checkAdapter } from '../../../adapters/kit/suite/check.js'
import { instagramAdapter } from '../../../adapters/messenger/instagram/adapter.js'
import { messengerAdapter } from '../../../adapters/messenger/messenger/adapter.js'
import { whatsappAdapter } from '../../../adapters/messenger/whatsapp/adapter.js'
import { instagramSamples, messengerSamples, whatsappSamples } from './samples.js'

const suites = {
  whatsapp: () => checkAdapter(whatsappAdapter, whatsappSamples),
  messenger: () => checkAdapter(messengerAdapter, messengerSamples),
  instagram: () => checkAdapter(instagramAdapter, instagramSamples),
}

for (const [provider, run] of Object.entries(suites)) {
  t.test(`The adapter of ${provider} fulfils its contract`, async (t) => {
    const findings = await run()
    t.ok(findings.length > 15, 'the suite was run')
    for (const { name, problems } of findings) t.same(problems, [], name)
  })
}
