/** The load's process: takes its job, says when the candidate is warm, and prints what it saw. */
import { generate } from './generator.js'
import { readJob } from './job.js'

const { port, request, window, warm } = await readJob()
console.log(JSON.stringify(await generate(port, request, window, warm)))
