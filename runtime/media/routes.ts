/** The route that serves stored media to anyone with its address. */
import { type Route, route } from '../http/route.js'
import type { MediaStore } from './contract.js'
import { serveMedia } from './download.js'

export function mediaRoutes({ store }: { readonly store: MediaStore }): Route[] {
  return [
    route({
      plane: 'gateway',
      method: 'GET',
      path: '/media/{name}',
      summary: 'Read media that was sent',
      tag: 'Media',
      access: { who: 'public' },
      headers: ['range'],
      reply: { 200: '*/*', 206: '*/*' },
      errors: ['resource.not_found', 'service.unavailable'],
      handler: ({ params: { name }, header }) => serveMedia(store, name, header('range')),
    }),
  ]
}
