/** The events an org webhook can subscribe to, as the catalog lists them. */
import { orgEvents } from '../orgevents.js'
import type { WebhookEvent } from './shapes.js'

export const webhookEvents: readonly WebhookEvent[] = Object.entries(orgEvents).map(([id, description]) => ({
  id,
  description,
}))
