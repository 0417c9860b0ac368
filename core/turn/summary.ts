/** The line that a session leaves in the person's journal, made of what happened in it. */
import type { ChannelName } from '../channelnames.js'
import type { Play } from './play.js'

/** Undefined for a session in which the person said nothing. */
export function summaryLine({ summary, hasReplied }: Play, channel: ChannelName): string | undefined {
  if (!hasReplied) return undefined
  const { playbooks, outcomes, booked, savedFields } = summary
  const parts = [
    ...(booked === undefined ? [] : [booked]),
    ...(savedFields.length > 0 ? [`saved ${savedFields.join(', ')}`] : []),
    ...(outcomes.length > 0 ? [`outcome ${outcomes.join(', ')}`] : []),
    ...(playbooks.length > 0 ? [`playbook ${playbooks.join(', ')}`] : []),
  ]
  return `Conversation on ${channel}: ${parts.length > 0 ? parts.join('; ') : 'nothing was done'}.`
}
