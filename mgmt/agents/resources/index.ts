/** Every route of an agent's document, as rows. */
import type { Resource } from '../resource.js'
import { aboutResources } from './about.js'
import { capabilityResources } from './capabilities.js'
import { characterResources } from './character.js'
import { innerResources } from './inner.js'
import { knowledgeResources } from './knowledge.js'
import { outreachResources } from './outreach.js'
import { peopleResources } from './people.js'
import { playbookResources } from './playbooks.js'
import { transferResources } from './transfer.js'

export const agentResources: readonly Resource[] = [
  ...aboutResources,
  ...characterResources,
  ...playbookResources,
  ...knowledgeResources,
  ...capabilityResources,
  ...peopleResources,
  ...outreachResources,
  ...transferResources,
  ...innerResources,
]
