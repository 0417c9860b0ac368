/**
 * A program, told how many people there are: `talk` has them write and has each written to, `campaign` has a campaign
 * write
 * to them, in a node of this process.
 */
import { createDraft, openCampaignNode } from '../../bench/scenarios/campaign/node.js'
import { createProvider } from '../../bench/scenarios/campaign/provider.js'
import { createSendLoad, openGateway } from '../../bench/scenarios/messages/gateway.js'
import { greetAll, sleep } from '../../bench/scenarios/messages/phones.js'

const [, , rush, count] = process.argv
const people = Number(count)

async function talk(): Promise<void> {
  const asids = new Set<string>()
  let handedOver = 0
  const gateway = await openGateway({
    wrapShards: (shards) => ({
      ...shards,
      execute(owner, command, input, options) {
        if (command.name === 'conversation.receiveInbound') asids.add(owner)
        if (command.name === 'conversation.sendOutcome') handedOver++
        return shards.execute(owner, command, input, options)
      },
    }),
  })
  await greetAll(gateway.phones, people)
  const { request } = createSendLoad(gateway, [...asids], 'Your table is ready.')
  for (const body of request!.bodies!) {
    const answer = await fetch(`${gateway.url}${request!.path}`, { method: 'POST', headers: request!.headers, body })
    if (!answer.ok) throw new Error(`a message was answered with ${answer.status}: ${await answer.text()}`)
  }
  while (handedOver < people) await sleep(20)
  await gateway.stop()
}

async function campaign(): Promise<void> {
  const provider = createProvider()
  const node = await openCampaignNode(people, provider.wrapShards)
  const path = await createDraft(node)
  await node.call('POST', `${path}/stage`)
  await node.call('POST', `${path}/start`)
  while (provider.counts.got < people) await sleep(20)
  await node.stop()
}

await (rush === 'talk' ? talk() : campaign())
