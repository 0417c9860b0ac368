/**
 * The catalog of metrics: kind, labels and help text of each. Callers name a metric and give the values of its labels;
 * values come from short lists (channels, states, reasons), never from people, agents or addresses.
 */
import { metrics as limits } from '../../core/limits/index.js'

export type MetricKind = 'counter' | 'gauge' | 'histogram'

export interface MetricDefinition {
  readonly kind: MetricKind
  readonly labels: readonly string[]
  readonly help: string
  /** For a histogram; absent: the buckets of durations. */
  readonly buckets?: readonly number[]
}

export const catalog = {
  parley_http_requests_total: {
    kind: 'counter',
    labels: ['plane', 'method', 'path', 'status'],
    help: 'Requests answered, by route and class of status',
  },
  parley_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['plane', 'method', 'path'],
    help: 'Time from request to reply, by route',
  },
  parley_http_sockets: {
    kind: 'gauge',
    labels: ['plane'],
    help: 'Connections that are open, those of web chat among them',
  },
  parley_http_sockets_refused_total: {
    kind: 'counter',
    labels: ['plane'],
    help: 'Connections that were closed at once, since too many were open or one address opened too many',
  },
  parley_rate_limit_calls_total: {
    kind: 'counter',
    labels: ['budget', 'outcome'],
    help: 'Calls that a budget allowed, and calls that it refused',
  },
  parley_rate_limits_degraded: { kind: 'gauge', labels: [], help: 'Whether rate limits are kept by this node alone' },

  parley_messages_received_total: {
    kind: 'counter',
    labels: ['channel'],
    help: 'Messages and taps of people that are on record',
  },
  parley_messages_accepted_total: {
    kind: 'counter',
    labels: ['channel'],
    help: 'Messages to people that are on record, those of the house among them',
  },
  parley_messages_refused_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Messages of agents that were not taken',
  },
  parley_message_states_total: {
    kind: 'counter',
    labels: ['channel', 'state', 'reason'],
    help: 'States that messages came to, each at most once for a message; a reason stands with failed alone',
  },
  parley_message_wait_seconds: {
    kind: 'histogram',
    labels: ['channel', 'lane'],
    help: 'From acceptance until a message was first handed to its provider: direct, or in bulk',
    buckets: limits.waitBucketsSeconds,
  },
  parley_consents_total: {
    kind: 'counter',
    labels: ['channel', 'change'],
    help: 'People who opted out, and who came back',
  },
  parley_agent_log_total: {
    kind: 'counter',
    labels: ['level', 'event'],
    help: 'Entries in the logs of agents, by name',
  },

  parley_provider_submissions_total: {
    kind: 'counter',
    labels: ['channel', 'provider', 'outcome'],
    help: 'Hand-overs of a message to a provider: sent, or refused with whether to ask later, elsewhere or never',
  },
  parley_provider_submission_duration_seconds: {
    kind: 'histogram',
    labels: ['channel', 'provider'],
    help: 'Time that a hand-over took, all pieces of the message together',
  },
  parley_provider_calls_total: {
    kind: 'counter',
    labels: ['channel', 'provider', 'outcome'],
    help: 'HTTP calls to providers, by class of status; none when no answer came',
  },
  parley_provider_call_duration_seconds: {
    kind: 'histogram',
    labels: ['channel', 'provider'],
    help: 'Time until a provider had answered a call',
  },
  parley_ingress_calls_total: {
    kind: 'counter',
    labels: ['channel', 'provider', 'outcome'],
    help: 'Calls of providers: heard, answered, a signature that was not good, something that could not be read, an account that no channel has, or failed here',
  },
  parley_ingress_items_total: {
    kind: 'counter',
    labels: ['channel', 'outcome'],
    help: 'Items that providers reported: new, duplicate or unreadable',
  },

  parley_webhook_calls_total: {
    kind: 'counter',
    labels: ['kind', 'outcome'],
    help: 'Calls to webhooks of agents and of orgs, by what came of them',
  },
  parley_webhook_call_duration_seconds: {
    kind: 'histogram',
    labels: ['kind'],
    help: 'Time that a call to a webhook took, until its answer had been read',
  },
  parley_webhook_dead_letters_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Events that a webhook would not take and that are not tried again by themselves',
  },

  parley_webchat_sockets: { kind: 'gauge', labels: [], help: 'Sockets of web chat that are open' },
  parley_webchat_closed_total: {
    kind: 'counter',
    labels: ['why'],
    help: 'Sockets of web chat that the node closed; behind is a page that read too slowly',
  },

  parley_send_requests_total: {
    kind: 'counter',
    labels: ['status', 'reason'],
    help: 'Answers to sends that were asked for: queued, duplicate, postponed, tried or refused with the code of the error',
  },
  parley_send_attempts_total: {
    kind: 'counter',
    labels: ['outcome'],
    help: 'Attempts of sends, by what came of them',
  },
  parley_sends_total: {
    kind: 'counter',
    labels: ['origin', 'state', 'reason'],
    help: 'States that sends came to after they were queued; rehearsals are not counted',
  },
  parley_campaign_recipients_total: {
    kind: 'counter',
    labels: ['state'],
    help: 'Recipients of campaigns: staged (pending), left out (excluded) and given their turn (queued); then they are sends',
  },

  parley_shard_commits_total: {
    kind: 'counter',
    labels: [],
    help: 'Commits made by the shards that this node owns',
  },
  parley_shard_commands_total: {
    kind: 'counter',
    labels: [],
    help: 'Commands, timers and completed effects in those commits',
  },
  parley_shard_effects_completed_total: {
    kind: 'counter',
    labels: [],
    help: 'Of these, effects that completed without a command',
  },
  parley_shard_commit_commands: {
    kind: 'histogram',
    labels: [],
    help: 'How many shared one commit',
    buckets: limits.commitBucketsCommands,
  },
  parley_shard_commit_duration_seconds: {
    kind: 'histogram',
    labels: [],
    help: 'From the first decision of a commit until it was durable',
  },
  parley_cluster_nodes: { kind: 'gauge', labels: [], help: 'Processes of the installation heard of lately' },
  parley_shards_owned: { kind: 'gauge', labels: [], help: 'Shards that this node owns' },
  parley_shards_copied: {
    kind: 'gauge',
    labels: [],
    help: 'Shards of which this node keeps a copy for their owner',
  },
  parley_shard_owner: { kind: 'gauge', labels: ['shard'], help: 'Whether this node owns the shard' },
  parley_shard_epoch: { kind: 'gauge', labels: ['shard'], help: 'Changes of owner that this node knows of' },
  parley_shard_mailbox_commands: { kind: 'gauge', labels: ['shard'], help: 'Commands that wait; 5,000 is full' },
  parley_shard_lag_entries: { kind: 'gauge', labels: ['shard'], help: 'Entries of the log not yet applied here' },
  parley_shard_outbox_age_seconds: {
    kind: 'gauge',
    labels: ['shard'],
    help: 'How long ago the oldest effect was committed that is not done',
  },
  parley_shard_timer_late_seconds: {
    kind: 'gauge',
    labels: ['shard'],
    help: 'How long ago the earliest timer was due that has not rung',
  },
  parley_store_file_bytes: { kind: 'gauge', labels: [], help: 'Size of the file that holds the data' },
  parley_store_disk_free_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'What is left on the disk of the data; below 64 MiB nothing is written',
  },
  parley_bus_connected: { kind: 'gauge', labels: [], help: 'Whether the NATS servers can be reached' },
  parley_bus_reconnects_total: { kind: 'counter', labels: [], help: 'Times that a lost NATS server was found again' },

  parley_process_resident_memory_bytes: { kind: 'gauge', labels: [], help: 'Memory that the process holds' },
  parley_process_heap_used_bytes: { kind: 'gauge', labels: [], help: 'Memory that JavaScript values use' },
  parley_process_external_memory_bytes: { kind: 'gauge', labels: [], help: 'Memory of buffers outside the heap' },
  parley_process_cpu_seconds_total: { kind: 'counter', labels: [], help: 'Processor time used since the start' },
  parley_process_uptime_seconds: { kind: 'gauge', labels: [], help: 'Time since the start' },
  parley_event_loop_delay_p99_seconds: {
    kind: 'gauge',
    labels: [],
    help: 'How late the event loop ran, since the last scrape',
  },
  parley_event_loop_utilization_ratio: {
    kind: 'gauge',
    labels: [],
    help: 'Share of time the event loop was busy, since the last scrape',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

export type MetricName = keyof typeof catalog

/** The names of one kind. */
export type NameOf<K extends MetricKind> = {
  [N in MetricName]: (typeof catalog)[N]['kind'] extends K ? N : never
}[MetricName]

type Texts<T extends readonly string[]> = { [I in keyof T]: string }
/** One text for each label of the metric, in the order of the catalog. */
export type LabelValues<N extends MetricName> = Texts<(typeof catalog)[N]['labels']>
