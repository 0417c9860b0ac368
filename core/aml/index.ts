/** Exports of AML, text with markers. */
export { compile } from './compiler.js'
export type { AmlProblem, Compiled, CompileOptions, Reference } from './contract.js'
