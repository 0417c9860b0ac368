#!/usr/bin/env node
/** `parley` on the command line: the process. */
import { exitCodes } from './failure.js'
import { run } from './program.js'
import { subcommands } from './subcommands.js'

/** The reader of the output has closed it, as `head` does, so the rest is discarded. */
process.stdout.on('error', () => process.exit(exitCodes.brokenPipe))
process.stderr.on('error', () => {})

process.exitCode = await run(process.argv.slice(2), process, subcommands)
