/** HTTP status lines, cached. */
import { STATUS_CODES } from 'node:http'

const lines = new Map<number, string>()

export function statusLine(status: number): string {
  const cached = lines.get(status)
  if (cached) return cached
  const line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`
  lines.set(status, line)
  return line
}
