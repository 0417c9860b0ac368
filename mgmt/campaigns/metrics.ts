/** Metrics of recipients before they have a send; afterwards the metrics of sends count them. */

import { counterOf } from '../../runtime/observe/meters.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { Local } from '../../runtime/shard/contract.js'
import { dispatchTable, recipientTable } from './store.js'

/** Staging writes a recipient once, and dispatch writes one row per claimed batch. Test campaigns are not counted. */
export function countRecipients(local: Pick<Local, 'watch'>, metrics: Metrics): void {
  const recipients = counterOf(metrics, 'parley_campaign_recipients_total')
  const [pending, excluded, queued] = [recipients('pending'), recipients('excluded'), recipients('queued')]
  local.watch(recipientTable, (_key, recipient) => {
    if (!recipient || recipient.personaId !== undefined) return
    ;(recipient.exclusion ? excluded : pending).add()
  })
  local.watch(dispatchTable, (_key, dispatch) => {
    if (dispatch && !dispatch.isTest) queued.add(dispatch.rows.length)
  })
}
