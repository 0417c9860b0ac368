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
    help: 'HTTP requests by route and status class; none means that the client disconnected before the response',
  },
  parley_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['plane', 'method', 'path'],
    help: 'Time from a request to its response, by route',
  },
  parley_http_sockets: {
    kind: 'gauge',
    labels: ['plane'],
    help: 'Open connections, including those of web chat',
  },
  parley_http_sockets_refused_total: {
    kind: 'counter',
    labels: ['plane'],
    help: 'Connections closed on arrival because the node or one address had too many open',
  },
  parley_rate_limit_calls_total: {
    kind: 'counter',
    labels: ['budget', 'outcome'],
    help: 'Calls that a rate limit budget allowed or refused',
  },
  parley_rate_limits_degraded: {
    kind: 'gauge',
    labels: [],
    help: 'Whether this node enforces rate limits on its own because Redis is unavailable',
  },

  parley_messages_received_total: {
    kind: 'counter',
    labels: ['channel'],
    help: 'Messages and taps of people that are on record',
  },
  parley_messages_accepted_total: {
    kind: 'counter',
    labels: ['channel'],
    help: 'Messages to people that are on record, including those of Parley itself',
  },
  parley_messages_refused_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Messages of agents that were refused, by reason',
  },
  parley_message_states_total: {
    kind: 'counter',
    labels: ['channel', 'state', 'reason'],
    help: 'State changes of messages; each message counts at most once per state, and only failed has a reason',
  },
  parley_message_wait_seconds: {
    kind: 'histogram',
    labels: ['channel', 'lane'],
    help: 'Time from the acceptance of a message to its first submission to a provider, direct or in bulk',
    buckets: limits.waitBucketsSeconds,
  },
  parley_consents_total: {
    kind: 'counter',
    labels: ['channel', 'change'],
    help: 'People who opted out, and people who opted in again',
  },
  parley_agent_log_total: {
    kind: 'counter',
    labels: ['level', 'event'],
    help: 'Entries in the logs of agents, by level and event',
  },

  parley_provider_submissions_total: {
    kind: 'counter',
    labels: ['channel', 'provider', 'outcome'],
    help: 'Messages submitted to providers: sent, or refused with a retry later, on another channel (elsewhere) or never',
  },
  parley_provider_submission_duration_seconds: {
    kind: 'histogram',
    labels: ['channel', 'provider'],
    help: 'Duration of a submission, all pieces of the message together',
  },
  parley_provider_calls_total: {
    kind: 'counter',
    labels: ['channel', 'provider', 'outcome'],
    help: 'HTTP calls to providers, by status class; none means that no response came',
  },
  parley_provider_call_duration_seconds: {
    kind: 'histogram',
    labels: ['channel', 'provider'],
    help: 'Time until a provider responded to a call',
  },
  parley_ingress_calls_total: {
    kind: 'counter',
    labels: ['channel', 'provider', 'outcome'],
    help: 'Webhook calls of providers: received, answered, badSignature, unreadable, unbound (an account without a binding) or failed in this node',
  },
  parley_ingress_items_total: {
    kind: 'counter',
    labels: ['channel', 'outcome'],
    help: 'Items that providers reported: new, duplicate or unreadable',
  },

  parley_webhook_calls_total: {
    kind: 'counter',
    labels: ['kind', 'outcome'],
    help: 'Calls to webhooks of agents and orgs, by outcome',
  },
  parley_webhook_call_duration_seconds: {
    kind: 'histogram',
    labels: ['kind'],
    help: 'Duration of a webhook call, until its response was read',
  },
  parley_webhook_dead_letters_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Events that a webhook did not accept and that are no longer retried automatically',
  },

  parley_turns_total: {
    kind: 'counter',
    labels: ['state', 'reason'],
    help: 'Turns of managed agents that ended: completed, failed, or cut with the reason (stopped is a STOP); not those of the sandbox',
  },
  parley_turn_duration_seconds: {
    kind: 'histogram',
    labels: ['channel'],
    help: 'Time from the event that began a turn until its last message was accepted; turns that were cut or said nothing do not count',
    buckets: limits.waitBucketsSeconds,
  },
  parley_tool_calls_total: {
    kind: 'counter',
    labels: ['tool', 'outcome'],
    help: 'Tool calls of turns that ended, by outcome; tools of agents count as integration, and those of the catalog as catalog',
  },

  parley_webchat_sockets: { kind: 'gauge', labels: [], help: 'Open web chat sockets' },
  parley_webchat_closed_total: {
    kind: 'counter',
    labels: ['why'],
    help: 'Web chat sockets that the node closed; behind means that the page read too slowly',
  },

  parley_send_requests_total: {
    kind: 'counter',
    labels: ['status', 'reason'],
    help: 'Requests for sends: queued, duplicate, skipped, postponed, tried (dry run), or refused with the error code',
  },
  parley_send_attempts_total: {
    kind: 'counter',
    labels: ['outcome'],
    help: 'Attempts of sends, by outcome',
  },
  parley_sends_total: {
    kind: 'counter',
    labels: ['origin', 'state', 'reason'],
    help: 'State changes of sends after they were queued; sandbox sends are not counted',
  },
  parley_campaign_recipients_total: {
    kind: 'counter',
    labels: ['state'],
    help: 'Campaign recipients: staged (pending), excluded, or dispatched (queued); from then on they count as sends',
  },

  parley_shard_commits_total: {
    kind: 'counter',
    labels: [],
    help: 'Commits of the shards that this node owns',
  },
  parley_shard_commands_total: {
    kind: 'counter',
    labels: [],
    help: 'Commands, timers and completed effects in those commits',
  },
  parley_shard_effects_completed_total: {
    kind: 'counter',
    labels: [],
    help: 'Effects in those commits that completed without a command',
  },
  parley_shard_commit_commands: {
    kind: 'histogram',
    labels: [],
    help: 'Commands, timers and completed effects per commit',
    buckets: limits.commitBucketsCommands,
  },
  parley_shard_commit_duration_seconds: {
    kind: 'histogram',
    labels: [],
    help: 'Time from the first decision of a commit until the commit was durable',
  },
  parley_cluster_nodes: {
    kind: 'gauge',
    labels: [],
    help: 'Processes of the installation whose heartbeats this node received recently',
  },
  parley_shards_owned: { kind: 'gauge', labels: [], help: 'Shards that this node owns' },
  parley_shards_copied: {
    kind: 'gauge',
    labels: [],
    help: 'Shards of which this node keeps a copy for their owner',
  },
  parley_shard_owner: { kind: 'gauge', labels: ['shard'], help: 'Whether this node owns the shard' },
  parley_shard_epoch: {
    kind: 'gauge',
    labels: ['shard'],
    help: 'Epoch of the shard that this node knows; each change of owner raises it',
  },
  parley_shard_mailbox_commands: {
    kind: 'gauge',
    labels: ['shard'],
    help: 'Commands that wait in the mailbox of the shard; it is full at 5,000',
  },
  parley_shard_lag_entries: {
    kind: 'gauge',
    labels: ['shard'],
    help: 'Log entries that the copy on this node has not applied yet',
  },
  parley_shard_outbox_age_seconds: {
    kind: 'gauge',
    labels: ['shard'],
    help: 'Age of the oldest pending effect in the outbox of the shard',
  },
  parley_shard_timer_late_seconds: {
    kind: 'gauge',
    labels: ['shard'],
    help: 'Time since the earliest pending timer of the shard was due',
  },
  parley_store_file_bytes: { kind: 'gauge', labels: [], help: 'Size of the data file' },
  parley_store_disk_free_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Free space on the disk of the data; the node writes nothing below 64 MiB',
  },
  parley_bus_connected: { kind: 'gauge', labels: [], help: 'Whether this node can reach the NATS servers' },
  parley_bus_reconnects_total: {
    kind: 'counter',
    labels: [],
    help: 'Reconnects after the connection to a NATS server was lost',
  },

  parley_process_resident_memory_bytes: { kind: 'gauge', labels: [], help: 'Resident memory of the process' },
  parley_process_heap_used_bytes: { kind: 'gauge', labels: [], help: 'Memory that JavaScript values use' },
  parley_process_external_memory_bytes: { kind: 'gauge', labels: [], help: 'Memory of buffers outside the heap' },
  parley_process_cpu_seconds_total: { kind: 'counter', labels: [], help: 'Processor time used since the start' },
  parley_process_uptime_seconds: { kind: 'gauge', labels: [], help: 'Time since the start of the process' },
  parley_event_loop_delay_p99_seconds: {
    kind: 'gauge',
    labels: [],
    help: '99th percentile of the event loop delay since the last scrape',
  },
  parley_event_loop_utilization_ratio: {
    kind: 'gauge',
    labels: [],
    help: 'Share of time that the event loop was busy since the last scrape',
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
