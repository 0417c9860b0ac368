/** Every event that an agent's log can hold: name, level and description. */
import type { LogEvent } from './shapes.js'

const definitions = {
  'message.received': ['info', 'A message from a person was accepted from the channel.'],
  'message.duplicate': ['debug', 'The channel delivered a message again that was already known; it was dropped.'],
  'message.matched': ['info', 'A reply was read as the answer to an open question, and says by which rule.'],
  'message.unmatched': ['debug', 'A reply matched no open question clearly and was passed on as a plain message.'],
  'message.degraded': ['debug', 'A part was shown in a simpler form than the richest one, because of the channel.'],
  'message.truncated': ['warn', 'A label or text was cut to what the channel can show.'],
  'message.sent': ['info', 'A message was submitted to the provider and accepted there.'],
  'message.held': ['info', 'A message waits: for pacing, a closed window or the batch queue.'],
  'message.refused': ['warn', 'A message was refused before the provider was asked; the reason is given.'],
  'message.retried': ['warn', 'The provider failed temporarily; the message will be retried.'],
  'message.failed': ['error', 'A message could not be delivered, and it will not be retried.'],
  'message.fallback': ['warn', 'A message fails over to the next channel of its delivery policy.'],
  'message.undelivered': ['info', 'A message was not delivered within its delivery timeout.'],
  'receipt.received': ['debug', 'The provider reported a message as sent, delivered, read or failed.'],
  'receipt.parked': ['info', 'A receipt came before its message was known; it is applied once the message is known.'],
  'receipt.ignored': ['debug', 'A receipt brought nothing new, came too late, or named no message of this agent.'],
  'media.fetched': ['debug', 'Media was fetched, checked and stored for sending.'],
  'media.unreachable': ['warn', 'Media could not be fetched, was too large or of the wrong type.'],
  'conversation.started': ['info', 'A person and the agent exchanged their first message on this channel.'],
  'session.started': ['info', 'A new session began after a quiet time or a fresh start.'],
  'window.opened': ['debug', 'The messaging window of the channel opened; the agent may write freely.'],
  'window.closed': ['info', 'The messaging window of the channel closed.'],
  'consent.opted_out': ['info', 'A person opted out; nothing more is sent to them.'],
  'consent.opted_in': ['info', 'A person who had opted out opted in again.'],
  'consent.help_answered': ['info', 'The platform answered a request for help with the contact of the business.'],
  'consent.disclaimer_sent': ['info', 'The one-time disclaimer opened a messaging relationship.'],
  'ingress.signature_refused': ['warn', 'A call from outside did not carry a valid signature and was not read.'],
  'ingress.malformed': ['warn', 'A signed call from the provider could not be understood.'],
  'provider.throttled': ['warn', 'The provider asked to slow down; sending continues at the rate it allows.'],
  'provider.unreachable': ['error', 'The provider could not be reached or refused the credentials.'],
  'capability.checked': ['debug', 'The channel reported whether a number can be reached and what it can show.'],
  'framework.dispatched': ['info', 'An event was passed to the agent: its webhook or the built-in runtime.'],
  'framework.replied': ['info', 'The agent answered an event; the time taken and the number of messages are given.'],
  'framework.failed': ['error', 'The agent did not answer an event, or its answer could not be used.'],
  'framework.warning': [
    'warn',
    'The built-in runtime answered, and warns; the code is given, the turn record has more.',
  ],
  'webhook.retried': ['warn', 'The webhook of the agent did not accept an event; it will be retried.'],
  'webhook.parked': ['error', 'All attempts to deliver an event to the webhook failed; it is in the dead letters.'],
  'webhook.overflow': ['error', 'Too many events were already waiting for the agent; one more was dropped.'],
  'webhook.replayed': ['info', 'An operator replayed a parked event to the webhook.'],
  'aml.warning': ['warn', 'The markup of a reply was compiled, but a channel will not show a part of it as intended.'],
  'aml.problem': ['error', 'The markup of a reply could not be compiled; line, column and reason are given.'],
  'llm.call': ['info', 'The model was called; model, time and tokens are given.'],
  'llm.retried': ['warn', 'The model did not answer or answered out of form, and was called again.'],
  'llm.failed': ['error', 'The model gave no usable answer.'],
  'playbook.entered': ['info', 'A playbook became active, and says what led to it.'],
  'playbook.left': ['debug', 'A playbook ended or another one took over.'],
  'flow.started': ['info', 'A deterministic flow began.'],
  'flow.step': ['debug', 'A flow took a step; the step and the names of the slots with a value are given.'],
  'flow.completed': ['info', 'A flow ended with an outcome.'],
  'flow.stuck': ['error', 'A flow made no progress within its step limit and was left.'],
  'goal.reached': ['info', 'The active goal of the conversation was reached.'],
  'rule.flagged': ['warn', 'A reply matched a rule and was sent with a flag.'],
  'rule.blocked': ['warn', 'A reply matched a rule and was replaced or blocked.'],
  'knowledge.searched': ['debug', 'Facts, things and passages were searched; the hits are given.'],
  'template.slot_missing': ['warn', 'A message template lacked a value, and says what its policy did about it.'],
  'tool.called': ['info', 'A tool was called; name, time, outcome and the names of its arguments are given.'],
  'tool.refused': [
    'warn',
    'A tool was called that this playbook does not use or that is not set up, or with bad arguments.',
  ],
  'tool.failed': ['error', 'A tool answered with an error or not at all.'],
  'integration.called': [
    'info',
    'A custom integration was called; name, time, outcome and the names of its arguments are given.',
  ],
  'integration.failed': ['error', 'A custom integration answered with an error or not at all.'],
  'connection.lost': ['error', 'An outside account can no longer be used and has to be connected again.'],
  'scheduling.offered': ['debug', 'Free times were looked up and offered.'],
  'scheduling.booked': ['info', 'An appointment was booked.'],
  'scheduling.moved': ['info', 'An appointment was moved to another time.'],
  'scheduling.released': ['info', 'An appointment was called off.'],
  'scheduling.failed': ['error', 'The calendar could not be read or written.'],
  'reminder.sent': ['info', 'The reminder of an appointment went out.'],
  'person.updated': ['info', 'The agent saved something to the record of a person; the fields are named.'],
  'notify.sent': ['info', 'The team was alerted.'],
  'notify.failed': ['error', 'The team could not be alerted.'],
  'outreach.accepted': ['info', 'A send of an Outreach was accepted and waits to be picked up.'],
  'outreach.dispatched': ['info', 'The opener of an Outreach was submitted to its channel.'],
  'outreach.suppressed': ['info', 'An Outreach was not sent to a person; the reason is given.'],
  'outreach.failed': ['error', 'An Outreach could not be sent; the reason is given.'],
  'emulator.turn': ['debug', 'A turn ran in the emulator; what it would have done outside was captured.'],
} as const satisfies Record<string, readonly [LogEvent['level'], string]>

/** The only names that may stand in a log entry. */
export type LogEventName = keyof typeof definitions

/** One log note of an agent; the catalog has its level. */
export interface LogNote {
  readonly event: LogEventName
  readonly data?: Readonly<Record<string, unknown>>
}

export function levelOf(event: LogEventName): LogEvent['level'] {
  return definitions[event][0]
}

export const logEvents: readonly LogEvent[] = Object.entries(definitions).map(([id, [level, description]]) => ({
  id,
  level,
  description,
}))
