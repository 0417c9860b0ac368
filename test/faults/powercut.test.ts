/** A power cut at any moment: every acknowledged commit is there, and every commit is whole or absent. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { powerCuts, promises } from './powercut.js'
import { emptyDisk } from './powercut-disk.js'
import { buildWritelog, endWhole, readLog, runProgram } from './powercut-log.js'

const cuts = 30
/** The log of a failing run is stored here; with its seed it reproduces the fault. */
const logFolder = resolve(import.meta.dirname, '../../../test/output')

for (const [subject, title] of Object.entries(promises)) {
  t.test(title, async (t) => {
    const done = await powerCuts({ subject, cuts, logFolder, report: t.comment })
    t.same(done.problems, [], `with seed ${done.seed}`)
    t.ok(done.acks > 0 && done.atStake > cuts / 10, `${done.atStake} cuts came while something was not yet synced`)
  })
}

t.test('A half-written record of a killed process does not keep later records from being read', async (t) => {
  const encodeEntry = (kind: string, text: string) => {
    const head = Buffer.alloc(24)
    head.writeUInt32LE(kind.charCodeAt(0), 0)
    head.writeBigUInt64LE(BigInt(text.length), 16)
    return Buffer.concat([head, Buffer.from(text)])
  }
  const path = join(t.testdir(), 'log')
  const cut = encodeEntry('A', 'the second')
  for (let prefixBytes = 0; prefixBytes < cut.length; prefixBytes++) {
    writeFileSync(
      path,
      Buffer.concat([encodeEntry('S', ''), encodeEntry('A', 'the first'), cut.subarray(0, prefixBytes)]),
    )
    endWhole(path)
    appendFileSync(path, encodeEntry('S', ''))
    t.same(
      readLog(path).map(({ kind }) => kind),
      ['S', 'A', 'S'],
    )
  }
})

t.test('A failed sync of the disk is reported, and acknowledged data is not lost', async (t) => {
  for (const subject of ['store', 'store with write-behind']) {
    const done = await powerCuts({ subject, cuts: cuts / 2, badDisk: true, logFolder, report: t.comment })
    t.same(done.problems, [], `with seed ${done.seed}`)
    t.equal(done.failures, 1, 'the store said that it failed')
  }
})

t.test('Everything that an opened store shows is on the disk, even if its last process did not sync it', async (t) => {
  const workDir = t.testdir()
  const library = buildWritelog(workDir)
  const [folder, acks, log] = [join(workDir, 'data'), join(workDir, 'acks'), join(workDir, 'log')]
  mkdirSync(folder)
  const programRun = {
    library,
    folder,
    acks,
    log,
    program: fileURLToPath(new URL('./powercut-child.js', import.meta.url)),
  }
  await runProgram({ ...programRun, args: ['store', 'killed', 'Infinity'], syncs: 20 })
  await runProgram({ ...programRun, args: ['store', 'closed', '1'] })
  const entries = readLog(log)
  const second = entries.findLastIndex(({ kind }) => kind === 'S')
  const opened = entries.findIndex(({ kind }, at) => at > second && kind === 'A')
  const disk = emptyDisk()
  for (const entry of entries.slice(0, second)) disk.follow(entry)
  t.ok(disk.unsynced() > 0, 'the disk failed beneath the first process')
  for (const entry of entries.slice(second, opened)) disk.follow(entry)
  t.equal(disk.unsynced(), 0)
})

t.test('The same power cuts detect a store that does not sync, or syncs too late', async (t) => {
  const unsynced = await powerCuts({ subject: 'store without sync', cuts })
  t.ok(unsynced.problems.length > cuts / 3, `${unsynced.problems.length} of ${cuts}, with seed ${unsynced.seed}`)
  // About one image in five shows it, so 100 images without one are practically impossible.
  const late = await powerCuts({ subject: 'store that syncs too late', cuts: 100 })
  t.ok(late.problems.length > 0, `${late.problems.length} of ${late.cuts}, with seed ${late.seed}`)
  t.match(late.problems[0], /was promised/)
})
