/** What campaigns count of their recipients, until their sends do. */

import { counterOf } from '../../runtime/observe/meters.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { Local } from '../../runtime/shard/contract.js'
import { dispatchTable, recipientTable } from './store.js'

/** A recipient is written once, when they are staged, and their turn when it comes. Rehearsals are not counted. */
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
