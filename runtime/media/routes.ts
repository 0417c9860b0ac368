/** Serves what was kept to whoever has its address. */
import { type Route, route } from '../http/route.js'
import type { Objects } from './contract.js'
import { served } from './serve.js'

export function mediaRoutes({ objects }: { readonly objects: Objects }): Route[] {
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
      handler: ({ params: { name }, header }) => served(objects, name, header('range')),
    }),
  ]
}
