/** Writes lines to a file descriptor without waiting. A closed or slow reader costs lines, never the node. */
import { write as writeTo } from 'node:fs'
import { log as limits } from '../../core/limits/index.js'

export interface LineWriter {
  write(line: string): void
  /** Resolves when everything is written, cannot be written, or the time limit is over. Never rejects. */
  flush(): Promise<void>
}

export function createLineWriter(fd: number): LineWriter {
  let buffered: string[] = []
  let bufferedChars = 0
  let isWriting = false
  let isBroken = false
  let idleWaiters: (() => void)[] = []

  function pump(): void {
    if (isWriting) return
    if (buffered.length === 0 || isBroken) {
      for (const resolve of idleWaiters.splice(0)) resolve()
      return
    }
    isWriting = true
    const bytes = Buffer.from(buffered.join(''))
    buffered = []
    bufferedChars = 0
    writeRest(bytes)
  }

  function writeRest(bytes: Buffer): void {
    writeTo(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(writeRest, limits.retryMs, bytes)
      isBroken = error !== null
      if (!isBroken && written < bytes.length) return writeRest(bytes.subarray(written))
      isWriting = false
      pump()
    })
  }

  return {
    write(line) {
      if (isBroken || bufferedChars > limits.bufferBytes) return
      buffered.push(line)
      bufferedChars += line.length
      pump()
    },
    flush() {
      return new Promise((resolve) => {
        const timeout = setTimeout(resolve, limits.flushMs)
        idleWaiters = [...idleWaiters, resolve, () => clearTimeout(timeout)]
        pump()
      })
    },
  }
}
