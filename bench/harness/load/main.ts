/** The load process: reads its job, reports when the candidate is warm, prints the sample. */
import { generate } from './generator.js'
import { readJob } from './job.js'

const { port, request, window, warm } = await readJob()
console.log(JSON.stringify(await generate(port, request, window, warm)))
