/**
 * A program, told how many people there are: `talk` has them write and has each written to, `campaign` has a campaign write
 * to them, in a node of this process.
 */
import { drafted, openCampaignNode } from '../../bench/campaign/node.js'
import { openProvider } from '../../bench/campaign/provider.js'
import { openGateway, sendingTo } from '../../bench/messages/gateway.js'
import { introduce, pause } from '../../bench/messages/phones.js'

const [, , rush, count] = process.argv
const people = Number(count)

async function talk(): Promise<void> {
  const asids = new Set<string>()
  let handedOver = 0
  const gateway = await openGateway({
    between: (shards) => ({
      ...shards,
      ask(owner, command, input, options) {
        if (command.name === 'conversation.receiveInbound') asids.add(owner)
        if (command.name === 'conversation.sendOutcome') handedOver++
        return shards.ask(owner, command, input, options)
      },
    }),
  })
  await introduce(gateway.phones, people)
  const { request } = sendingTo(gateway, [...asids], 'Your table is ready.')
  for (const body of request!.bodies!) {
    const answer = await fetch(`${gateway.url}${request!.path}`, { method: 'POST', headers: request!.headers, body })
    if (!answer.ok) throw new Error(`a message was answered with ${answer.status}: ${await answer.text()}`)
  }
  while (handedOver < people) await pause(20)
  await gateway.stop()
}

async function campaign(): Promise<void> {
  const provider = openProvider()
  const node = await openCampaignNode(people, provider.between)
  const path = await drafted(node)
  await node.ask('POST', `${path}/stage`)
  await node.ask('POST', `${path}/start`)
  while (provider.counts.got < people) await pause(20)
  await node.stop()
}

await (rush === 'talk' ? talk() : campaign())
