/** The same load by wrk, to check that the bench's own generator is not the limit. */
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { outputOf, startChild } from '../children.js'
import { percents } from '../metrics.js'
import type { HttpRequest } from '../rpc.js'
import type { Percentile } from '../sample.js'
import type { Load } from '../scenario.js'
import { graceMs, jobOf } from './http.js'

export function wrkMissing(): string | undefined {
  return spawnSync('wrk', ['-v']).error ? 'wrk is not installed here' : undefined
}

interface WrkResult {
  readonly requests: number
  readonly micros: number
  readonly bytes: number
  readonly clockSeconds: number
  readonly failures: Record<string, number>
  readonly latencyMicros: readonly Percentile[]
}

/** wrk counts in whole seconds, so windows are rounded up; its processor time includes its start. */
export const wrkLoad: Load = async (target, window) => {
  const { port, request } = jobOf(target, window)
  const script = join(target.scratch, 'wrk.lua')
  await writeFile(script, lua(request))
  const run = async (seconds: number) => {
    const args = ['-t1', `-c${window.concurrency}`, `-d${Math.ceil(seconds)}s`, '-s', script]
    const child = startChild('wrk', [...args, `http://127.0.0.1:${port}${request.path}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = await outputOf(child, seconds * 1000 + graceMs)
    return JSON.parse(output.slice(output.lastIndexOf('\n{'))) as WrkResult
  }
  if (window.warmSeconds > 0) await run(window.warmSeconds)
  const before = await target.cpuMicros()
  const result = await run(window.seconds)
  const seconds = result.micros / 1e6
  return {
    operations: result.requests,
    seconds,
    failures: Object.fromEntries(Object.entries(result.failures).filter(([, count]) => count > 0)),
    bytes: result.bytes,
    latencyMs: result.latencyMicros.map(([percent, micros]) => [percent, micros / 1000] as const),
    cpuMicros: (await target.cpuMicros()) - before,
    loadCores: result.clockSeconds / seconds,
  }
}

function lua(request: HttpRequest): string {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
  )
  return `
wrk.method = ${quote(request.method)}
wrk.body = ${quote(request.body)}
${headers.join('\n')}
function done(summary, latency)
  local points = {}
  for _, percent in ipairs({ ${percents.join(', ')} }) do
    local micros = percent == 100 and latency.max or latency:percentile(percent)
    table.insert(points, string.format('[%g,%d]', percent, micros))
  end
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests":%d,"micros":%d,"bytes":%d,"clockSeconds":%f,' ..
    '"failures":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d},"latencyMicros":[%s]}\\n',
    summary.requests, summary.duration, summary.bytes, os.clock(),
    e.connect, e.read, e.write, e.timeout, e.status, table.concat(points, ',')))
end
`
}

/** A Lua string; every byte that is not plain text is written as its number. */
function quote(text: string): string {
  const bytes = Array.from(Buffer.from(text), (byte) =>
    byte < 32 || byte > 126 || byte === 34 || byte === 92
      ? `\\${String(byte).padStart(3, '0')}`
      : String.fromCharCode(byte),
  )
  return `"${bytes.join('')}"`
}
