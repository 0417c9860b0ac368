/** A managed agent on the emulator's phones, and on a paced provider with receipts. */
import t from 'tap'
import { onEachCarrier, textsAt } from '../../harness/carriers.js'
import { waitUntil } from '../../harness/clock.js'
import { startNode } from '../../harness/process.js'
import type { TestAgent } from '../../harness/testagent.js'
import { clinic } from './stage.js'

t.setTimeout(300_000)

const node = await startNode({ PARLEY_EMULATOR: 'true' })
t.teardown(() => node.clean())

/** The test's agent loses its webhook, and becomes the clinic. */
async function manageClinic(testAgent: TestAgent): Promise<void> {
  await testAgent.call('DELETE', '/webhook')
  await testAgent.manage('POST', `${testAgent.agentPath}/import`, clinic)
  const { mode } = await testAgent.manage('GET', `${testAgent.agentPath}/gateway`)
  if (mode !== 'managed') throw new Error(`the agent is in mode ${mode}`)
}

const phone = '+14155550161'

onEachCarrier(t, () => node, {
  async 'R1, R10: every question has its answer once, in order'(t, carrier) {
    await manageClinic(carrier.testAgent)
    await carrier.sendFrom(phone, 'Do you have parking?')
    t.match((await textsAt(carrier, phone, 1)).join('\n'), /six free spaces/)
    const before = (await textsAt(carrier, phone, 1)).length
    await carrier.sendFrom(phone, 'When are you open?')
    await waitUntil(async () =>
      /Monday to Friday from 8:00/.test((await textsAt(carrier, phone, before)).slice(before).join('\n')),
    )
    const texts = (await textsAt(carrier, phone, before + 1)).join('\n')
    t.equal(texts.split('six free spaces').length, 2)
  },

  async 'R7: nothing is said after STOP until START'(t, carrier) {
    const { testAgent } = carrier
    await manageClinic(testAgent)
    await carrier.sendFrom(phone, 'Do you have parking?')
    await textsAt(carrier, phone, 1)
    const identities = async () => (await testAgent.manage('GET', `${testAgent.agentPath}/people`)).data[0].identities
    await carrier.sendFrom(phone, 'STOP')
    await waitUntil(async () => (await identities())[0].optedOut)
    await carrier.sendFrom(phone, 'Do you treat children?')
    await carrier.sendFrom(phone, 'START')
    await waitUntil(async () => !(await identities())[0].optedOut)
    await carrier.sendFrom(phone, 'How can I pay?')
    await waitUntil(async () => /By card or cash/.test((await textsAt(carrier, phone, 1)).join('\n')))
    t.notMatch((await textsAt(carrier, phone, 1)).join('\n'), /age of eight/)
  },
})
