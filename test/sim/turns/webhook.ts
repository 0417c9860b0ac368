/** The webhook that the agent has for a while: it takes most events, and fails now and then. */
import { Readable } from 'node:stream'
import type { DispatchDeps } from '../../../runtime/agentwebhook/dispatch.js'
import type { Send } from '../../../runtime/egress/client.js'
import type { Incarnation } from '../world/life.js'
import type { Line } from '../world/line.js'
import type { Rng } from '../world/rng.js'
import type { Timeline } from '../world/timeline.js'

export interface SimWebhook {
  /** What a process needs to call it. */
  depsOf(incarnation: Incarnation): Pick<DispatchDeps, 'client' | 'sealer' | 'metrics'>
}

const tookMs = [5, 300] as const
const failShare = 0.2

export function openSimWebhook(timeline: Timeline, rng: Rng, line: Line): SimWebhook {
  return {
    depsOf(incarnation) {
      const answer = () =>
        incarnation.outside<number>(({ resolve, reject }) => {
          const isAnswered = line.arrives() && line.answers()
          const status = rng.chance(failShare) ? 500 : 204
          timeline.after(rng.between(...tookMs), () =>
            isAnswered ? resolve(status) : reject(new Error('the webhook did not answer')),
          )
        })
      const send = async () => ({ statusCode: await answer(), headers: {}, body: Readable.from([]) })
      return {
        client: {
          fetchWhole: () => Promise.reject(new Error('nothing is fetched')),
          request: (_signal, run) =>
            run(send as unknown as Send).catch((error: Error) => ({
              ok: false as const,
              reason: 'unreachable' as never,
              message: error.message,
            })),
          close: async () => {},
        },
        sealer: { open: async () => 'a signing secret' },
        metrics: { observeCall() {} },
      }
    },
  }
}
