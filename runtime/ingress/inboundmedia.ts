/**
 * Inbound media that the provider opens only with the binding's credentials. It gets a gateway URL that reveals nothing
 * of its source, and is fetched from the provider when it is first opened.
 */
import Type from 'typebox'
import { type ChannelRoute, routeOfBinding } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { http } from '../../core/limits/index.js'
import type { AdapterLookup, Directory } from '../conversation/context.js'
import type { Providers } from '../delivery/providers.js'
import { type Route, route } from '../http/route.js'
import type { FindSource, Media, MediaStore } from '../media/contract.js'
import { serveMedia } from '../media/download.js'
import type { InboundMediaRef, MediaTokens } from '../media/mediatoken.js'
import type { Log } from '../observe/log.js'
import { unavailable } from '../shard/refusals.js'

export interface InboundMediaUrls {
  /** Synchronous and deterministic: a repeated call of the provider gets the same URL. */
  urlOf(inboundRef: InboundMediaRef): string
}

export function createInboundMediaUrls(
  mediaTokens: Pick<MediaTokens, 'seal'>,
  publicUrl: () => string,
): InboundMediaUrls {
  return { urlOf: (inboundRef) => `${publicUrl()}/v4/media/received/${mediaTokens.seal(inboundRef)}` }
}

export interface InboundMediaOptions {
  readonly directory: Directory
  readonly adapters: AdapterLookup
  readonly providers: Pick<Providers, 'authOf' | 'contextFor'>
  readonly mediaTokens: Pick<MediaTokens, 'open'>
  readonly media: Pick<Media, 'fetchInbound'>
  readonly objects: MediaStore
  readonly log: Log
}

interface MediaSource {
  readonly binding: ChannelRoute
  readonly adapter: HostedAdapter & Required<Pick<HostedAdapter, 'openMedia'>>
}

const canOpenMedia = (adapter: HostedAdapter): adapter is MediaSource['adapter'] => adapter.openMedia !== undefined

const notFound = refuse('resource.not_found')

export function inboundMediaRoutes(options: InboundMediaOptions): Route[] {
  const { directory, adapters, providers, mediaTokens, media, objects, log } = options
  /** Not found once the binding of the media is deleted. */
  async function resolveSource({ bindingId, ...agentRef }: InboundMediaRef): Promise<MediaSource | Refusal> {
    const agent = await directory.get(formatAgentKey(agentRef))
    if (isRefusal(agent)) return agent.refused === 'service.unavailable' ? agent : notFound
    const binding = routeOfBinding(agent, bindingId)
    const adapter = binding && adapters(binding.channel, binding.provider)
    return binding && adapter && canOpenMedia(adapter) ? { binding, adapter } : notFound
  }

  function createSourceLookup({ orgId, mediaRef }: InboundMediaRef, { binding, adapter }: MediaSource): FindSource {
    return async (signal) => {
      const credentials = await providers.authOf(orgId, binding)
      if (isRefusal(credentials)) return credentials
      const location = await adapter.openMedia(mediaRef, providers.contextFor(binding, credentials.auth, signal))
      if (location.kind === 'at') {
        const { url, headers: secretHeaders, aesKey } = location
        return { url, secretHeaders, ...(aesKey !== undefined && { aesKey }) }
      }
      log.info('media.not_given', { bindingId: binding.bindingId, detail: location.detail })
      return { reason: 'mediaUnreachable', why: 'source', detail: location.detail }
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
        const inboundRef = mediaTokens.open(capsule)
        if (!inboundRef) return notFound
        const source = await resolveSource(inboundRef)
        if (isRefusal(source)) return source
        const stored = await media.fetchInbound(capsule, createSourceLookup(inboundRef, source))
        if (isRefusal(stored)) return stored
        if (!('why' in stored)) return serveMedia(objects, stored.name, header('range'), 'personal')
        const { why, detail } = stored
        return why === 'full' ? { ...unavailable, detail } : refuse('media.unreachable', { detail })
      },
    }),
  ]
}
