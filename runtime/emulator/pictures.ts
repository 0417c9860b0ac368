/** Route for pictures that people send from the page; the phone's provider reports them in its own payload. */
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { json, type Route, route } from '../http/route.js'
import { typeOf } from '../media/types.js'
import type { EmulatorScene, Phone } from './contract.js'
import { ActView, PhoneParams, PictureBody } from './schema.js'
import type { EmulatorUpdates } from './updates.js'

type Common = Pick<Route, 'plane' | 'tag' | 'headers' | 'precheck' | 'errors'> & {
  readonly access: { readonly who: 'public' }
}
type PhoneOf = (
  agentId: string,
  channel: string,
) => Promise<{ readonly scene: EmulatorScene; readonly phone: Phone } | Refusal>

/** Validates everything first: an invalid picture is reported to no provider. */
export function pictureRoute(
  { errors = [], ...common }: Common,
  phoneOf: PhoneOf,
  updates: Pick<EmulatorUpdates, 'act'>,
): Route {
  return route({
    ...common,
    errors: [...errors, 'request.invalid'],
    method: 'POST',
    path: '/system/emulator/stage/{agent}/phones/{channel}/_picture',
    summary: 'Send a picture from one of the phones',
    params: PhoneParams,
    body: PictureBody,
    reply: { 202: ActView },
    async handler({ params: { agent, channel }, body: { type, data, name } }) {
      const match = await phoneOf(agent, channel)
      if (isRefusal(match)) return match
      if (typeOf(Buffer.from(data, 'base64'))?.type !== type) return invalid('data', `is no file of type ${type}`)
      const url = `data:${type};base64,${data}`
      const outcome = await updates.act(match.scene, match.phone, { kind: 'media', url, type, name })
      if (outcome.kind === 'impossible') return invalid('channel', outcome.why)
      return json(202, { calls: outcome.calls, taken: outcome.taken })
    },
  })
}
