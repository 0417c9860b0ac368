/** Writes lines to a file descriptor without waiting. A reader that is gone or slow costs lines, never the node. */
import { write as writeTo } from 'node:fs'
import { log as limits } from '../../core/limits.js'

export interface Lines {
  write(line: string): void
  /** Resolves when everything is written, cannot be written, or has had long enough. Never rejects. */
  flush(): Promise<void>
}

export function openLines(fd: number): Lines {
  let waiting: string[] = []
  let heldChars = 0
  let isWriting = false
  let isBroken = false
  let idlers: (() => void)[] = []

  function pump(): void {
    if (isWriting) return
    if (waiting.length === 0 || isBroken) {
      for (const idle of idlers.splice(0)) idle()
      return
    }
    isWriting = true
    const bytes = Buffer.from(waiting.join(''))
    waiting = []
    heldChars = 0
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
      if (isBroken || heldChars > limits.bufferBytes) return
      waiting.push(line)
      heldChars += line.length
      pump()
    },
    flush() {
      return new Promise((resolve) => {
        const patience = setTimeout(resolve, limits.flushMs)
        idlers = [...idlers, resolve, () => clearTimeout(patience)]
        pump()
      })
    },
  }
}
