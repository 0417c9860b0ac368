/** The gateway as a whole: what runs where conversations are, and what answers calls. */
import type { Performer, Repertoire } from '../shard/contract.js'
import { agentLogCommands } from './agentlog.js'
import { attendPerformer, carryPerformer } from './attend.js'
import { bulkCommands, governPerformer } from './bulk.js'
import { callPerformer } from './call.js'
import { type ConversationCommands, type ConversationOptions, conversationCommands } from './commands.js'
import { deadLetterRepertoire } from './deadletters.js'
import { deliverPerformer } from './deliver.js'
import { effectKinds } from './effects.js'
import type { Places } from './places.js'
import { recordsSweep } from './records.js'
import { openRefusedCalls, type RefusedCalls, type RefusedCallsOptions } from './refusedcalls.js'
import { readConversation } from './routes.js'
import { sessionQueries } from './sessionqueries.js'
import { recordQueries } from './trafficqueries.js'

export interface GatewayParts extends Pick<Repertoire, 'commands' | 'queries'> {
  readonly conversation: ConversationCommands
  refusedCalls(around: Omit<RefusedCallsOptions, 'command'>): RefusedCalls
  /** What they work with is asked for when something is performed, since it is not all there before. */
  performers(places: () => Places): Readonly<Record<string, Performer>>
}

export function gatewayParts(options: ConversationOptions): GatewayParts {
  const conversation = conversationCommands(options)
  const bulk = bulkCommands(conversation)
  const agentLog = agentLogCommands(options.timeScale)
  return {
    conversation,
    refusedCalls: (around) => openRefusedCalls({ ...around, command: agentLog.note }),
    commands: [
      ...Object.values(conversation),
      ...Object.values(bulk),
      ...deadLetterRepertoire.commands,
      recordsSweep,
      ...Object.values(agentLog),
    ] as unknown as Repertoire['commands'],
    queries: [
      readConversation,
      ...deadLetterRepertoire.queries,
      ...Object.values(recordQueries.messages),
      ...Object.values(recordQueries.logs),
      ...Object.values(recordQueries.attempts),
      recordQueries.sessionOwner,
      ...Object.values(sessionQueries),
    ] as unknown as Repertoire['queries'],
    performers(places) {
      const lazily = (open: (places: Places) => Performer): Performer => {
        let opened: Performer | undefined
        return (payload, performing) => {
          opened ??= open(places())
          return opened(payload, performing)
        }
      }
      return {
        [effectKinds.deliver]: lazily(deliverPerformer),
        [effectKinds.call]: lazily(callPerformer),
        [effectKinds.attend]: lazily(attendPerformer),
        [effectKinds.carry]: lazily(carryPerformer),
        [effectKinds.govern]: lazily(({ shards }) => governPerformer(shards, bulk)),
      }
    },
  }
}
