/** The load's process: takes its job from its input, says when measuring begins, and prints what it saw. */
import { text } from 'node:stream/consumers'
import { generate } from './generator.js'
import type { Job } from './http.js'

const { port, request, window }: Job = JSON.parse(await text(process.stdin))
const sample = await generate(port, request, window, () => console.log('measuring'))
console.log(JSON.stringify(sample))
