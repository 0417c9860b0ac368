/** What an engine reports of itself as it works; whoever listens makes metrics of it. */

export interface ShardMeters {
  /** One commit: how many commands shared it, and how long it took from the first decision until it was durable. */
  committed(shard: number, commands: number, elapsedMs: number): void
}
