/** Status lines, written once each. */
import { STATUS_CODES } from 'node:http'

const lines = new Map<number, string>()

export function statusLine(status: number): string {
  const known = lines.get(status)
  if (known) return known
  const line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`
  lines.set(status, line)
  return line
}
