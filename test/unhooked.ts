/**
 * Loaded before a test file. tap follows each promise of the file by async hooks, so that an error nobody catches is
 * told of
 * the test it came from; that is a fifth of what files with many promises cost. Without hooks such an error ends the
 * file, and
 * the runner tells what it said.
 */
import asyncHooks, { type AsyncHook } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const deaf: AsyncHook = { enable: () => deaf, disable: () => deaf }
asyncHooks.createHook = () => deaf
syncBuiltinESMExports()
