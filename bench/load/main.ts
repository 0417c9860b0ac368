/** The load's process: takes its job from the command line, says when measuring begins, and prints what it saw. */
import { generate } from './generator.js'
import type { Job } from './http.js'

const { port, request, window }: Job = JSON.parse(process.argv[2] ?? '{}')
const sample = await generate(port, request, window, () => console.log('measuring'))
console.log(JSON.stringify(sample))
