/** Whether this machine has the Redis that the journey peer needs. */
import { spawnSync } from 'node:child_process'

export function redisMissing(): string | undefined {
  return spawnSync('redis-server', ['--version']).error && 'redis-server is not installed here'
}
