/**
 * The lock of a data directory: a listening socket in it. The kernel closes the socket when its process dies, however it
 * dies, so no lock outlives its process and none has to be judged by its age.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { store as limits } from '../../core/limits.js'
import { StoreUnusable } from './contract.js'

/** Names of the files of locks. */
export const lockName = /^owner-[0-9a-f]{16}\.sock$/

export interface Lock {
  release(): Promise<void>
}

/**
 * Each process first opens its own lock and only then looks for others, so of two that start together at least the later
 * one sees the earlier: both may be refused, but never do both get the directory.
 */
export async function lockDirectory(dir: string): Promise<Lock> {
  const folder = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY)
  const near = nearPath(folder, dir)
  const mine = `owner-${randomBytes(8).toString('hex')}.sock`
  const server = createServer((caller) => {
    caller.on('error', () => caller.destroy())
    caller.end(String(process.pid), () => caller.destroy())
  })
  async function release(): Promise<void> {
    rmSync(join(dir, mine), { force: true })
    await new Promise((closed) => server.close(closed))
    closeSync(folder)
  }
  try {
    await listen(server, join(near, mine))
    for (const name of readdirSync(dir)) {
      if (name === mine || !lockName.test(name)) continue
      const owner = await ownerBehind(join(near, name))
      if (owner) throw new StoreUnusable(`The data directory ${dir} is in use by ${owner}. Stop that one first.`)
      rmSync(join(dir, name), { force: true })
    }
  } catch (error) {
    await release()
    if (error instanceof StoreUnusable) throw error
    throw new StoreUnusable(`The data directory ${dir} cannot be claimed: ${(error as Error).message}.`)
  }
  return { release }
}

/** The process that holds the directory; undefined when none does. Locks nothing itself. */
export async function ownerOf(dir: string): Promise<string | undefined> {
  const folder = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    for (const name of readdirSync(dir).filter((each) => lockName.test(each))) {
      const owner = await ownerBehind(join(nearPath(folder, dir), name))
      if (owner) return owner
    }
    return undefined
  } finally {
    closeSync(folder)
  }
}

/** A socket's path may have some hundred bytes only; through the open folder it is short however deep the folder is. */
function nearPath(folder: number, dir: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder}` : dir
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((listening, reject) => {
    server.once('error', reject)
    server.listen({ path, exclusive: true }, listening)
    server.unref()
  })
}

/** The process that answers at the socket; undefined when none listens any more. In doubt the socket counts as held. */
function ownerBehind(path: string): Promise<string | undefined> {
  return new Promise((answer) => {
    let pid = ''
    const call = connect(path)
    call.setEncoding('utf8')
    call.setTimeout(limits.ownerAnswerMs, () => call.destroy())
    call.on('data', (text) => {
      pid += text
    })
    call.on('error', ({ code }: NodeJS.ErrnoException) => {
      answer(code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : 'another process')
    })
    call.on('close', () => answer(/^\d+$/.test(pid) ? `process ${pid}` : 'another process'))
  })
}
