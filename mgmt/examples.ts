/** Recorded examples of the areas' routes. */
import type { RouteExamples } from '../runtime/http/examples.js'
import { examples as access } from './access/examples.js'
import { recordedExamples as agents } from './agents/recordedexamples.js'
import { examples as automation } from './automation/examples.js'
import { examples as campaigns } from './campaigns/examples.js'
import { runExamples as campaignRuns } from './campaigns/runexamples.js'
import { examples as catalogs } from './catalogs/examples.js'
import { examples as channels } from './channels/examples.js'
import { examples as connections } from './connections/examples.js'
import { examples as gatewayaccess } from './gatewayaccess/examples.js'
import { examples as journey } from './journey/examples.js'
import { examples as knowledge } from './knowledge/examples.js'
import { examples as links } from './links/examples.js'
import { examples as orgs } from './orgs/examples.js'
import { examples as outreach } from './outreach/examples.js'
import { examples as people } from './people/examples.js'
import { examples as sandbox } from './sandbox/examples.js'
import { examples as traffic } from './traffic/examples.js'
import { examples as turns } from './turns/examples.js'
import { examples as webhooks } from './webhooks/examples.js'

export const managementExamples: RouteExamples = {
  ...access,
  ...agents,
  ...automation,
  ...campaignRuns,
  ...campaigns,
  ...catalogs,
  ...channels,
  ...connections,
  ...gatewayaccess,
  ...journey,
  ...knowledge,
  ...links,
  ...orgs,
  ...outreach,
  ...people,
  ...sandbox,
  ...traffic,
  ...turns,
  ...webhooks,
}
