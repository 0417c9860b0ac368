/** Pictures that browsers can draw: pseudo-random dots, the same each time, which hardly compress. */
import { crc32, deflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function noisePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits per colour, three colours per dot.
  header.set([8, 2, 0, 0, 0], 8)
  const line = 1 + width * 3
  const dots = noise(line * height)
  for (let at = 0; at < dots.length; at += line) dots[at] = 0
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(dots)), chunk('IEND')])
}

function noise(bytes: number): Buffer {
  const made = Buffer.alloc(bytes)
  let state = 1
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    made[at] = state >>> 24
  }
  return made
}

function chunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
