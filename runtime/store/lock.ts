/**
 * The lock of a data directory: a listening socket in it. The kernel closes the socket when its process dies in any
 * way, so no lock outlives its process and no age needs to be judged.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { StoreUnusable } from './contract.js'
import { store as limits } from './limits.js'

/** The file names of locks. */
export const lockName = /^owner-[0-9a-f]{16}\.sock$/

export interface Lock {
  release(): Promise<void>
}

/**
 * Each process first opens its own lock and then looks for others, so of two that start together at least the later one
 * sees the earlier: both may be refused, but never do both get the directory.
 */
export async function lockDirectory(dir: string): Promise<Lock> {
  const folder = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY)
  const shortDir = shortPath(folder, dir)
  const ownName = `owner-${randomBytes(8).toString('hex')}.sock`
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    client.end(String(process.pid), () => client.destroy())
  })
  async function release(): Promise<void> {
    rmSync(join(dir, ownName), { force: true })
    await new Promise((closed) => server.close(closed))
    closeSync(folder)
  }
  try {
    await listen(server, join(shortDir, ownName))
    for (const name of readdirSync(dir)) {
      if (name === ownName || !lockName.test(name)) continue
      const owner = await pingOwner(join(shortDir, name))
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

/** The process that has the lock; undefined when none has. Takes no lock itself. */
export async function ownerOf(dir: string): Promise<string | undefined> {
  const folder = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    for (const name of readdirSync(dir).filter((each) => lockName.test(each))) {
      const owner = await pingOwner(join(shortPath(folder, dir), name))
      if (owner) return owner
    }
    return undefined
  } finally {
    closeSync(folder)
  }
}

/** The path of a socket is limited to some hundred bytes; through the open folder it is short at any depth. */
function shortPath(folder: number, dir: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder}` : dir
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((listening, reject) => {
    server.once('error', reject)
    server.listen({ path, exclusive: true }, listening)
    server.unref()
  })
}

/** The process that answers at the socket; undefined when none listens. Any other error counts as locked. */
function pingOwner(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let pid = ''
    const connection = connect(path)
    connection.setEncoding('utf8')
    connection.setTimeout(limits.ownerAnswerMs, () => connection.destroy())
    connection.on('data', (text) => {
      pid += text
    })
    connection.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : 'another process')
    })
    connection.on('close', () => resolve(/^\d+$/.test(pid) ? `process ${pid}` : 'another process'))
  })
}
