/**
 * What people sent and their provider opens with the credentials of the binding only: it has an address of ours, which says
 * nothing of where it is, and is fetched from the provider when it is first opened.
 */
import Type from 'typebox'
import { type ChannelRoute, routeOfBinding } from '../../core/agent/routing.js'
import { agentKeyOf } from '../../core/agentkey.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { http } from '../../core/limits.js'
import type { Adapters, Directory } from '../conversation/context.js'
import type { Providers } from '../delivery/providers.js'
import { type Route, route } from '../http/route.js'
import type { Capsules, ReceivedMedia } from '../media/capsule.js'
import type { Find, Media, Objects } from '../media/contract.js'
import { served } from '../media/serve.js'
import type { Log } from '../observe/log.js'
import { unavailable } from '../shard/unavailable.js'

export interface ReceivedAddresses {
  /** Made at once, and the same each time: a call that a provider repeats tells of the same address. */
  addressOf(received: ReceivedMedia): string
}

export function receivedAddresses(capsules: Pick<Capsules, 'seal'>, publicUrl: () => string): ReceivedAddresses {
  return { addressOf: (received) => `${publicUrl()}/v4/media/received/${capsules.seal(received)}` }
}

export interface ReceivedOptions {
  readonly directory: Directory
  readonly adapters: Adapters
  readonly providers: Pick<Providers, 'authOf' | 'reach'>
  readonly capsules: Pick<Capsules, 'open'>
  readonly media: Pick<Media, 'received'>
  readonly objects: Objects
  readonly log: Log
}

interface Found {
  readonly bound: ChannelRoute
  readonly adapter: HostedAdapter & Required<Pick<HostedAdapter, 'openMedia'>>
}

const opens = (adapter: HostedAdapter): adapter is Found['adapter'] => adapter.openMedia !== undefined

const notThere = refuse('resource.not_found')

export function receivedRoutes(options: ReceivedOptions): Route[] {
  const { directory, adapters, providers, capsules, media, objects, log } = options
  /** Where the binding it came over is gone, it does not open. */
  async function boundBy({ bindingId, ...place }: ReceivedMedia): Promise<Found | Refusal> {
    const agent = await directory.get(agentKeyOf(place))
    if (isRefusal(agent)) return agent.refused === 'service.unavailable' ? agent : notThere
    const bound = routeOfBinding(agent, bindingId)
    const adapter = bound && adapters(bound.channel, bound.provider)
    return bound && adapter && opens(adapter) ? { bound, adapter } : notThere
  }

  function finding({ orgId, held }: ReceivedMedia, { bound, adapter }: Found): Find {
    return async (signal) => {
      const opened = await providers.authOf(orgId, bound)
      if (isRefusal(opened)) return opened
      const opening = await adapter.openMedia(held, providers.reach(bound, opened.auth, signal))
      if (opening.kind === 'at') {
        const { url, headers: secretHeaders, aesKey } = opening
        return { url, secretHeaders, ...(aesKey !== undefined && { aesKey }) }
      }
      log.info('media.not_given', { bindingId: bound.bindingId, detail: opening.detail })
      return { reason: 'mediaUnreachable', why: 'source', detail: opening.detail }
    }
  }

  return [
    route({
      plane: 'gateway',
      method: 'GET',
      path: '/media/received/{capsule}',
      summary: 'Read media that a person sent',
      tag: 'Media',
      access: { who: 'public' },
      params: Type.Object({ capsule: Type.String({ pattern: '^[\\w-]+$', maxLength: http.pathChars }) }),
      headers: ['range'],
      reply: { 200: '*/*', 206: '*/*' },
      errors: ['resource.not_found', 'media.unreachable', 'service.unavailable'],
      async handler({ params: { capsule }, header }) {
        const received = capsules.open(capsule)
        if (!received) return notThere
        const found = await boundBy(received)
        if (isRefusal(found)) return found
        const kept = await media.received(capsule, finding(received, found))
        if (isRefusal(kept)) return kept
        if (!('why' in kept)) return served(objects, kept.name, header('range'), 'personal')
        const { why, detail } = kept
        return why === 'room' ? { ...unavailable, detail } : refuse('media.unreachable', { detail })
      },
    }),
  ]
}
