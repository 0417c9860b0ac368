/** Recorded examples of the routes that are not of the management plane's areas. */
import type { RouteExamples } from '../../http/examples.js'
import { chatLines } from './chatlines.js'
import { deadLetters } from './deadletters.js'
import { emulator } from './emulator.js'
import { stage } from './stage.js'
import { stories } from './stories.js'
import { system } from './system.js'

export const nodeExamples: RouteExamples = {
  ...chatLines,
  ...deadLetters,
  ...emulator,
  ...stage,
  ...stories,
  ...system,
}
