/** Recorded examples of the routes outside of the management plane's areas. */
import type { RouteExamples } from '../../http/examples.js'
import { chatEntries } from './chatentries.js'
import { deadLetters } from './deadletters.js'
import { emulator } from './emulator.js'
import { messageDetails } from './messagedetails.js'
import { scene } from './scene.js'
import { system } from './system.js'

export const nodeExamples: RouteExamples = {
  ...chatEntries,
  ...deadLetters,
  ...emulator,
  ...scene,
  ...messageDetails,
  ...system,
}
