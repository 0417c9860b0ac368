/** Examples of the routes that do not tell their own, for the OpenAPI document: each a call and the answer to it. */
import type { Route, RouteExample } from '../../runtime/http/route.js'
import { access } from './access.js'
import { automation } from './automation.js'
import { campaignRuns } from './campaignruns.js'
import { campaigns } from './campaigns.js'
import { channels } from './channels.js'
import { chatLines } from './chatlines.js'
import { connections } from './connections.js'
import { emulator } from './emulator.js'
import { journey } from './journey.js'
import { knowledge } from './knowledge.js'
import { outreach } from './outreach.js'
import { people } from './people.js'
import { rehearsals } from './rehearsals.js'
import { stage } from './stage.js'
import { stories } from './stories.js'
import { system } from './system.js'
import { traffic } from './traffic.js'
import { webhooks } from './webhooks.js'

/** By method and path, as routes have them. */
export const examples: Readonly<Record<string, RouteExample>> = {
  ...access,
  ...automation,
  ...campaignRuns,
  ...campaigns,
  ...channels,
  ...chatLines,
  ...connections,
  ...emulator,
  ...journey,
  ...knowledge,
  ...outreach,
  ...people,
  ...rehearsals,
  ...stage,
  ...stories,
  ...system,
  ...traffic,
  ...webhooks,
}

/** What a route says itself comes first. */
export function exampled(routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const known = examples[`${route.method} ${route.path}`]
    return known ? { ...route, example: () => route.example?.() ?? known } : route
  })
}
