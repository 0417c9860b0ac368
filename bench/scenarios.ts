/** Every scenario there is. */
import { actors } from './actors/scenario.js'
import { campaign } from './campaign/scenario.js'
import { campaignStage } from './campaign/stagescenario.js'
import { cluster } from './cluster/scenario.js'
import { commit } from './commit/scenario.js'
import { config } from './config/scenario.js'
import { http } from './http/scenario.js'
import { ingress } from './ingress/scenario.js'
import { journeyBudget } from './journey/budgetscenario.js'
import { journeyCluster } from './journey/clusterscenario.js'
import { journey } from './journey/scenario.js'
import { load } from './load/scenario.js'
import { messages } from './messages/scenario.js'
import { neighbours } from './neighbours/scenario.js'
import { render } from './render/scenario.js'
import { roundtrip, roundtripSlow } from './roundtrip/scenario.js'
import type { Scenario } from './scenario.js'
import { sms } from './sms/scenario.js'
import { store } from './store/scenario.js'
import { traffic } from './traffic/scenario.js'
import { webchat } from './webchat/scenario.js'
import { webchatWidget } from './webchat/widgetscenario.js'

export const scenarios: readonly Scenario[] = [
  http,
  store,
  commit,
  cluster,
  actors,
  config,
  render,
  messages,
  ingress,
  sms,
  roundtrip,
  roundtripSlow,
  journey,
  journeyBudget,
  journeyCluster,
  campaign,
  campaignStage,
  traffic,
  webchat,
  webchatWidget,
  neighbours,
  load,
]
