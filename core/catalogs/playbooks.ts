/** Every playbook template, in the order an operator browses them. */

import { servicePlaybooks } from './playbooks-care.js'
import { frontPlaybooks } from './playbooks-front.js'
import { orderPlaybooks } from './playbooks-orders.js'
import { outreachPlaybooks } from './playbooks-outreach.js'
import { restaurantPlaybooks } from './playbooks-restaurant.js'
import { salesPlaybooks } from './playbooks-sales.js'
import { schedulingPlaybooks } from './playbooks-scheduling.js'
import type { PlaybookTemplate } from './shapes.js'

export const playbookTemplates: readonly PlaybookTemplate[] = [
  ...frontPlaybooks,
  ...schedulingPlaybooks,
  ...restaurantPlaybooks,
  ...salesPlaybooks,
  ...orderPlaybooks,
  ...servicePlaybooks,
  ...outreachPlaybooks,
]
