/** Every scenario there is. */
import { http } from './http/scenario.js'
import { load } from './load/scenario.js'
import type { Scenario } from './scenario.js'
import { store } from './store/scenario.js'

export const scenarios: readonly Scenario[] = [http, store, load]
