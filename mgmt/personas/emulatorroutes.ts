/** The routes that hand out emulator grants: one that stays good, for a link, and one of an hour, for a sitting. */
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { emulatorSitting } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { OpenPersonas } from './commands.js'
import { GrantView, ofPersonas, writing } from './schema.js'

export interface EmulatorRoutesOptions {
  readonly shards: Shards
  readonly personas: Pick<OpenPersonas, 'queries'>
  readonly grants: { mint(form: Form, grant: { id: string; orgId: string; agentId: string }): string }
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
}

type Form = 'link' | 'sitting'
const idBytes = 17

export function emulatorRoutes({ shards, personas, grants, clock, randomBytes }: EmulatorRoutesOptions): Route[] {
  const minting = (form: Form, path: string, summary: string): Route =>
    route({
      ...ofPersonas,
      access: writing,
      method: 'POST',
      path: `/orgs/{org}/agents/{agent}/${path}`,
      summary,
      reply: { 201: GrantView },
      async handler({ params }) {
        const { org: orgId, agent: agentId } = params as { org: string; agent: string }
        const place = { orgId, agentId }
        const found = await shards.read(agentKeyOf(place), personas.queries.exists, place)
        if (isRefusal(found)) return found
        const id = idFromBytes('egr', randomBytes(idBytes))
        const expiresAt = new Date(clock.now() + emulatorSitting.lifetimeMs).toISOString()
        const token = grants.mint(form, { ...place, id })
        return json(201, { id, token, ...(form === 'sitting' && { expiresAt }) })
      },
    })
  return [
    minting('link', 'emulator-links', 'Make a link by which others rehearse with this agent, and with nothing else'),
    minting('sitting', 'emulator/sittings', 'Make a grant of one hour to rehearse with this agent'),
  ]
}
