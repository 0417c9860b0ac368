/** Whether this machine has the Redis that the peer of the journey scenario needs. */
import { spawnSync } from 'node:child_process'

export function redisMissing(): string | undefined {
  return spawnSync('redis-server', ['--version']).error && 'redis-server is not installed here'
}
