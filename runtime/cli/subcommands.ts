/** All subcommands, in the order of the help. */
import { agents } from './agents.js'
import { backup } from './backup.js'
import { campaigns } from './campaigns.js'
import { doctor } from './doctor.js'
import { keys } from './keys.js'
import type { Subcommand } from './program.js'
import { send } from './send.js'
import { shards } from './shards.js'
import { status } from './status.js'
import { tail } from './tail.js'

export const subcommands: readonly Subcommand[] = [status, shards, agents, send, campaigns, tail, keys, backup, doctor]
