/** Creates the management plane of a node with its outbound access. */
import { windowUnderLoad } from '../../core/campaign/throughput.js'
import { createManagement, type Management, type ManagementDeps } from '../../mgmt/index.js'
import { createCalendarReader } from '../calendar/reader.js'
import type { Config } from '../config/config.js'
import { writeAgentLogEntry } from '../conversation/agentlog.js'
import { sendBudgets } from '../delivery/throttle.js'
import type { Emulator } from '../emulator/emulator.js'
import type { RouteMeters } from '../http/metrics.js'
import type { MediaStore } from '../media/contract.js'
import { sandboxBegin, sandboxRemove } from '../sandbox/commands.js'
import type { Semaphore } from '../semaphore.js'
import { createBodyClient } from '../worker/bodyclient.js'
import { openWorkers } from '../worker/pool.js'
import { openEgress } from './egress.js'
import { mediaObjectsIn } from './mediaobjects.js'

type Given = 'secrets' | 'clock' | 'log' | 'randomBytes' | 'metrics' | 'mgmtUrl' | 'gatewayUrl' | 'conversations'

export interface NodeManagementOptions extends Pick<ManagementDeps, Given | 'adapters' | 'partnerForms'> {
  readonly config: Config
  readonly objects: MediaStore
  readonly emulator: Pick<Emulator, 'origins' | 'mailApiUrl'>
  /** Bounds concurrent outgoing requests. */
  readonly slots: Semaphore
  readonly requestMeters: Pick<RouteMeters, 'callsPerSecond'>
}

export interface NodeManagement extends Management {
  close(): Promise<void>
}

export function openManagement({
  config,
  objects,
  emulator,
  slots,
  requestMeters,
  ...given
}: NodeManagementOptions): NodeManagement {
  const { timeScale, oidcIssuer: issuer, oidcAudience: audience, oauthReturnHosts: hosts = [] } = config
  const egress = openEgress({ ...given, config, emulator, slots })
  const workers = openWorkers(given.log)
  const management = createManagement({
    ...given,
    timeScale,
    egress,
    bodies: createBodyClient(workers),
    readBusyTimes: createCalendarReader(workers),
    objects: mediaObjectsIn(objects),
    ...(issuer && audience && { oidc: { issuer, audience } }),
    returnRules: { hosts, allowHttp: config.allowPrivateUrls },
    sendBudgets,
    sandboxCommands: { begin: sandboxBegin, remove: sandboxRemove },
    agentLog: (tx, agentRef, entry, at) => writeAgentLogEntry(tx, agentRef, entry, at, timeScale),
    dispatchWindow: () => windowUnderLoad(requestMeters.callsPerSecond('mgmt')),
  })
  return {
    ...management,
    async close() {
      await Promise.all([egress.close(), workers.close()])
    },
  }
}
