/** The web chat script: how many bytes a site loads, compressed, and how fast a node serves them. */
import { httpLoad } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'

const allowedBytes = 30_000
const allowance = `uWS, ${allowedBytes} bytes`

export const webchatWidget: Scenario = {
  name: 'webchat-widget',
  purpose: 'The script of the web chat as sites load it: its size, compressed, and how many a second a node gives out.',
  unit: 'downloads',
  seconds: 3,
  rounds: 3,
  candidates: [
    {
      name: allowance,
      role: 'limit',
      about: 'Bare uWebSockets.js answering as many bytes as the script may have at most.',
      program: 'webchat/limit-script',
      args: ['--bytes', String(allowedBytes)],
      load: httpLoad,
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'A node answering widget.js of an agent, made for it and compressed once; its head counts, too.',
      program: 'webchat/script',
      load: httpLoad,
    },
  ],
  ratios: [
    { metric: 'bytes', of: 'ours', over: allowance, atMost: 1 },
    { metric: 'rate', of: 'ours', over: allowance },
  ],
}
