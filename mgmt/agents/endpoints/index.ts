/** All endpoints of an agent's document. */
import type { Endpoint } from '../endpoint.js'
import { capabilityEndpoints } from './capabilities.js'
import { identityEndpoints } from './identity.js'
import { internalEndpoints } from './internal.js'
import { knowledgeEndpoints } from './knowledge.js'
import { outreachEndpoints } from './outreach.js'
import { peopleEndpoints } from './people.js'
import { characterEndpoints } from './personality.js'
import { playbookEndpoints } from './playbooks.js'
import { transferEndpoints } from './transfer.js'

export const agentEndpoints: readonly Endpoint[] = [
  ...identityEndpoints,
  ...characterEndpoints,
  ...playbookEndpoints,
  ...knowledgeEndpoints,
  ...capabilityEndpoints,
  ...peopleEndpoints,
  ...outreachEndpoints,
  ...transferEndpoints,
  ...internalEndpoints,
]
