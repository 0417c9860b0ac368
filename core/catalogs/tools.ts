/** Every tool an agent can be bound to, in the order an operator browses them. */
import type { Tool } from './shapes.js'
import { commerceTools } from './tools-commerce.js'
import { customerTools } from './tools-customers.js'
import { reachTools } from './tools-reach.js'

export const tools: readonly Tool[] = [...customerTools, ...commerceTools, ...reachTools]
