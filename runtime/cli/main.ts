#!/usr/bin/env node
/** `parley` on the command line: the process. */
import { exitCodes } from './failure.js'
import { run } from './program.js'
import { subcommands } from './subcommands.js'

/** Whoever read the output has gone, as `head` does: the rest is for nobody. */
process.stdout.on('error', () => process.exit(exitCodes.brokenPipe))
process.stderr.on('error', () => {})

process.exitCode = await run(process.argv.slice(2), process, subcommands)
