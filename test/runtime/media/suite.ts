/** What every backing of the objects promises: one suite, run on each of them. */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { MediaStore } from '../../../runtime/media/contract.js'

async function* partsOf(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

async function readAll(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(Buffer.from(part))
  return Buffer.concat(all)
}

/** `processes` share what is put: each is the same backing as another process sees it. */
export function objectsSuite(t: Test, processes: () => { one: MediaStore; other: MediaStore }): void {
  t.test('An object is read back completely, by every process, from any byte on', async (t) => {
    const { one, other } = processes()
    const body = randomBytes(700_001)
    await one.put('a.png', partsOf(body.subarray(0, 10), body.subarray(10, 300_000), body.subarray(300_000)))
    for (const from of [0, 1, 10, 131_072, 699_999, 700_000]) {
      const stored = await other.get('a.png')
      t.ok(body.subarray(from).equals(await readAll(stored!.read(from))), `from byte ${from}`)
      if (stored!.bytes !== undefined) t.equal(stored!.bytes, body.length)
    }
  })

  t.test('No object exists before all of it is put, and none if its source fails', async (t) => {
    const { one, other } = processes()
    const failure = new Error('the source broke')
    async function* breakMidway(): AsyncGenerator<Uint8Array> {
      yield randomBytes(200_000)
      t.equal(await other.get('b.png'), undefined, 'half of it is there')
      throw failure
    }
    await t.rejects(one.put('b.png', breakMidway()), failure)
    t.equal(await other.get('b.png'), undefined)
  })

  t.test('A removed object is gone for every process, and removing it again is harmless', async (t) => {
    const { one, other } = processes()
    await one.put('c.png', partsOf(randomBytes(10)))
    await other.remove('c.png')
    t.equal(await one.get('c.png'), undefined)
    await one.remove('c.png')
    await one.remove('never.png')
    t.equal(await one.get('never.png'), undefined)
  })

  t.test('Objects of different names are independent', async (t) => {
    const { one } = processes()
    const bodies = Array.from({ length: 8 }, () => randomBytes(100_000))
    await Promise.all(bodies.map((body, at) => one.put(`d${at}.png`, partsOf(body))))
    await one.remove('d3.png')
    for (const [at, body] of bodies.entries()) {
      const stored = await one.get(`d${at}.png`)
      if (at === 3) t.equal(stored, undefined)
      else t.ok(body.equals(await readAll(stored!.read(0))))
    }
  })
}
