/** Outreach as a node puts it together: what runs where agents are, what follows their documents, the desk and the routes. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Performer, Repertoire, Shards } from '../../runtime/shard/contract.js'
import { campaigning } from './campaigning.js'
import { sendCommands } from './commands.js'
import { openSendDesk, type SendDesk } from './desk.js'
import { type ReferrersOf, withdrawing } from './gone.js'
import type { SendMeters } from './meters.js'
import { attemptEffect, type Moving } from './moving.js'
import type { ConversationDoor } from './needs.js'
import { sendQueries } from './queries.js'
import { redating } from './redating.js'
import { outreachRoutes } from './routes.js'
import { afterStop } from './stops.js'
import { sweeping } from './sweep.js'
import { attemptPerformer, campaignAttempts } from './worker.js'

export interface OutreachOptions extends Moving {
  /** Campaigns and rules that name an outreach; absent: there are none. */
  readonly referrersOf?: ReferrersOf
  readonly meters?: SendMeters
}

/** What is there once the engine is. */
export interface AroundSends {
  readonly shards: Shards
  readonly conversations: ConversationDoor
  readonly clock: Clock
}

export function outreachParts({ meters, ...given }: OutreachOptions) {
  const options: OutreachOptions = {
    ...given,
    settled(tx, place, send) {
      meters?.moved(send)
      given.settled?.(tx, place, send)
    },
  }
  const { follow, withdraw } = withdrawing(options, options.referrersOf)
  const { sweep, clear, part } = sweeping(options)
  const commands = { ...sendCommands(options), withdraw, sweep, clear, setBack: redating(options) }
  const queries = sendQueries(options)
  const desk = (around: AroundSends): SendDesk => openSendDesk({ ...around, commands, queries, meters })
  return {
    commands,
    queries,
    /** For the agent's document: told of every change of it, in its commit. */
    follow,
    /** For people: told of everybody who is kept, in the same commit. */
    personKept: afterStop(options),
    part,
    desk,
    /** For campaigns, in the commits of their own steps. */
    campaigning: campaigning(options),
    /** For campaigns, whose sends are attempted many at a time. */
    attempting: (around: Pick<AroundSends, 'conversations' | 'clock'>) =>
      campaignAttempts({ ...options, ...around, meters }),
    performers(around: AroundSends): Record<string, Performer> {
      return { [attemptEffect]: attemptPerformer({ ...options, ...around, commands, meters }) as Performer }
    },
    routes: (around: AroundSends): Route[] =>
      outreachRoutes({ shards: around.shards, commands, queries, desk: desk(around) }),
  }
}
export type OutreachParts = ReturnType<typeof outreachParts>

export function outreachRepertoire({ commands, queries }: OutreachParts) {
  const all = { commands: Object.values(commands), queries: Object.values(queries) }
  return all as unknown as Pick<Repertoire, 'commands' | 'queries'>
}
