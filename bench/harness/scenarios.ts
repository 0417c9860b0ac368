/** The list of all scenarios. */
import { actors } from '../scenarios/actors/scenario.js'
import { campaignPaced } from '../scenarios/campaign/pacedscenario.js'
import { campaign } from '../scenarios/campaign/scenario.js'
import { campaignStage } from '../scenarios/campaign/stagescenario.js'
import { cluster } from '../scenarios/cluster/scenario.js'
import { commit } from '../scenarios/commit/scenario.js'
import { config } from '../scenarios/config/scenario.js'
import { http } from '../scenarios/http/scenario.js'
import { ingress } from '../scenarios/ingress/scenario.js'
import { journeyBudget } from '../scenarios/journey/budgetscenario.js'
import { journeyCluster } from '../scenarios/journey/clusterscenario.js'
import { journey } from '../scenarios/journey/scenario.js'
import { messages } from '../scenarios/messages/scenario.js'
import { neighbours } from '../scenarios/neighbours/scenario.js'
import { render } from '../scenarios/render/scenario.js'
import { roundtrip, roundtripSlow } from '../scenarios/roundtrip/scenario.js'
import { sms } from '../scenarios/sms/scenario.js'
import { store } from '../scenarios/store/scenario.js'
import { traffic } from '../scenarios/traffic/scenario.js'
import { turnFlow } from '../scenarios/turn-flow/scenario.js'
import { turnLarge } from '../scenarios/turn-large/scenario.js'
import { webchat } from '../scenarios/webchat/scenario.js'
import { webchatWidget } from '../scenarios/webchat/widgetscenario.js'
import { load } from './load/scenario.js'
import type { Scenario } from './scenario.js'

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
  turnFlow,
  turnLarge,
  journey,
  journeyBudget,
  journeyCluster,
  campaign,
  campaignPaced,
  campaignStage,
  traffic,
  webchat,
  webchatWidget,
  neighbours,
  load,
]
