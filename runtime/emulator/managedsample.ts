/** The sample agent without a webhook: Parley plays it from one document, which the first start imports. */
import { readFile } from 'node:fs/promises'
import { type Sample, unwrap } from './samples.js'

/** Of the clinic's own town, so that free times show in its zone. */
const person = '+12075550123'
const documentFile = new URL('../../../ops/sample-managed/agent.yaml', import.meta.url)

export const managedSample: Sample = {
  profile: {
    id: 'sample-clinic',
    name: 'Sample Harbor Clinic',
    description: 'Books, moves and calls off visits, and answers questions, from its configuration alone.',
    phones: [
      { channel: 'rcs', wire: 'rbm', account: 'clinic-rcs', address: person },
      { channel: 'sms', wire: 'twilio', account: 'clinic-sms', address: person },
      { channel: 'messengerA', wire: 'whatsapp', account: 'clinic-messenger', address: person },
      { channel: 'vendorMessages', wire: 'apple', account: 'clinic-vendor', address: 'urn:mbid:AQAAY0000002' },
    ],
    chat: { title: 'Harbor Clinic', greeting: 'Would you like a visit, or do you have a question?' },
    suggestions: ['Book a visit', 'Do you have parking?', 'Can I talk to a person?'],
  },
  async prepare({ shards, management }, { orgId, agentId }, { isFirst }) {
    if (isFirst) unwrap(await management.importYaml(shards, { orgId, agentId }, await readFile(documentFile)))
  },
}
