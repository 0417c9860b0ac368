/** Checks of the doctor around a node: free ports and the clock. */
import { doctor as limits } from '../../core/limits/index.js'
import { type Config, commandLineVariables as variables } from '../config/config.js'
import { bindError } from '../http/port.js'
import type { Status } from '../node/status.js'
import { createApi, probe } from './api.js'
import { Failure } from './failure.js'
import type { Check, Finding } from './finding.js'

export const netChecks: readonly Check[] = [ports, clock]

async function ports({ host, gatewayPort, mgmtPort, roles }: Config): Promise<Finding[]> {
  const listeners = [
    ...(roles.includes('gateway') ? [['gateway port', gatewayPort] as const] : []),
    ...(roles.includes('mgmt') || !roles.includes('gateway') ? [['mgmt port', mgmtPort] as const] : []),
  ]
  return Promise.all(listeners.map(([check, port]) => portFinding(check, host, port)))
}

async function portFinding(check: string, host: string, port: number): Promise<Finding> {
  if (port === 0) return { check, status: 'ok', detail: 'any that is free' }
  const error = await bindError(host, port)
  if (error === undefined) return { check, status: 'ok', detail: `${host}:${port} is free` }
  if (error !== 'EADDRINUSE')
    return { check, status: 'fail', detail: `${host}:${port} cannot be listened on (${error})` }
  const status = await probe(`http://${urlHost(host)}:${port}/healthz`)
  if (status === 200) return { check, status: 'ok', detail: `a node answers at ${host}:${port}` }
  return {
    check,
    status: 'fail',
    detail: `${host}:${port} is taken by something else`,
    advice: 'Stop it, or name another',
  }
}

/** The wildcard addresses cannot be called, so they become localhost. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Only a node knows its own time, and it answers it to the system operator only. */
async function clock(
  { host, mgmtPort }: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const check = 'clock'
  const url = env[variables.url] || `http://${urlHost(host)}:${mgmtPort}`
  const key = env[variables.key]
  if (!env[variables.url] && !(await probe(`${url}/healthz`))) return []
  if (!key) {
    return [
      { check, status: 'warn', detail: 'not compared with the node’s', advice: `Set ${variables.key} to compare it` },
    ]
  }
  try {
    const before = Date.now()
    const { now } = await createApi({ url: url.replace(/\/(?:v1)?\/?$/, ''), key }).get<Status>('/system/status')
    return [clockFinding(Date.parse(now) - (before + Date.now()) / 2)]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ check, status: 'warn', detail: `not compared with the node’s: ${error.message.replace(/\.$/, '')}` }]
  }
}

/** `aheadMs`: how far the node's clock is ahead of the local one. */
export function clockFinding(aheadMs: number): Finding {
  const check = 'clock'
  const differenceMs = Math.abs(aheadMs)
  const detail = `${(differenceMs / 1000).toFixed(1)} s ${aheadMs < 0 ? 'ahead of' : 'behind'} that of the node`
  if (differenceMs < limits.clockWarnMs) return { check, status: 'ok', detail: 'the same as that of the node' }
  return {
    check,
    status: differenceMs < limits.clockFailMs ? 'warn' : 'fail',
    detail,
    advice: 'Let both follow a time server',
  }
}
