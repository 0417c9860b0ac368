/** AML, text with markers, as the rest of the house sees it. */
export { compile } from './compiler.js'
export type { AmlProblem, Compiled, CompileOptions, Reference } from './contract.js'
