/** A real CalDAV server for tests: Radicale on a free port, in its own folder, with one account and its calendar. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './ports.js'

const startMs = 30_000
const tryEveryMs = 50
/** Another process may have taken a port that was free a moment ago. */
const portTries = 3

const username = 'ada@example.org'
const password = 'an app password: äöü'

/** A calendar in this zone, which is its property and no zone of an event. */
const makeCalendar = (zone: string) =>
  `<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>
<C:calendar-timezone>BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:${zone}\nEND:VTIMEZONE\nEND:VCALENDAR\n</C:calendar-timezone>
</D:prop></D:set></C:mkcalendar>`

export class TestRadicale {
  readonly username = username
  readonly password = password
  /** Of the calendar. */
  readonly url: string
  readonly #folder: string
  readonly #process: ChildProcess
  readonly #killAtExit = () => this.#process.kill('SIGKILL')

  private constructor(url: string, folder: string, child: ChildProcess) {
    this.url = url
    this.#folder = folder
    this.#process = child
    process.on('exit', this.#killAtExit)
  }

  /** The calendar is in this zone. */
  static async start(zone: string): Promise<TestRadicale> {
    for (let triesLeft = portTries - 1; ; triesLeft--) {
      const port = await freePort()
      const folder = await mkdtemp(join(tmpdir(), 'parley-radicale-'))
      await writeConfig(folder, port)
      const child = spawn('radicale', ['--config', join(folder, 'config')], { stdio: 'pipe' })
      const url = `http://127.0.0.1:${port}/${encodeURIComponent(username)}/appointments/`
      const radicale = new TestRadicale(url, folder, child)
      try {
        await radicale.#waitUntilReady()
        await radicale.request('MKCALENDAR', '', makeCalendar(zone))
        return radicale
      } catch (error) {
        await radicale.stop()
        if (triesLeft === 0) throw error
      }
    }
  }

  /** A request of the calendar's owner, as another program of theirs makes it; throws unless it is successful. */
  async request(method: string, file: string, body?: string): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const init = { method, headers: { authorization, depth: '1' }, ...(body !== undefined && { body }) }
    const response = await fetch(this.url + file, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${file} was answered with ${response.status}: ${text}`)
    return text
  }

  /** The events in the calendar, by their files. */
  async events(): Promise<Map<string, string>> {
    const listing = await this.request('PROPFIND', '')
    const files = [...listing.matchAll(/appointments\/([^<]+\.ics)</g)].map(([, file]) => file!)
    return new Map(await Promise.all(files.map(async (file) => [file, await this.request('GET', file)] as const)))
  }

  async stop(): Promise<void> {
    const child = this.#process
    process.off('exit', this.#killAtExit)
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #waitUntilReady(): Promise<void> {
    let output = ''
    this.#process.stderr?.on('data', (chunk) => (output += chunk))
    let failure: Error | undefined
    this.#process.on('error', (error) => (failure = error))
    this.#process.on('exit', () => (failure ??= new Error(`radicale ended:\n${output}`)))
    for (const deadline = Date.now() + startMs; ; await sleep(tryEveryMs)) {
      if (failure) throw failure
      const response = await fetch(new URL('/', this.url), { redirect: 'manual' }).catch(() => undefined)
      if (response) return
      if (Date.now() > deadline) throw new Error(`radicale does not answer:\n${output}`)
    }
  }
}

async function writeConfig(folder: string, port: number): Promise<void> {
  const users = join(folder, 'users')
  await writeFile(users, `${username}:${password}\n`)
  const sections = {
    server: { hosts: `127.0.0.1:${port}` },
    encoding: { request: 'utf-8', stock: 'utf-8' },
    auth: { type: 'htpasswd', htpasswd_filename: users, htpasswd_encryption: 'plain', delay: '0' },
    storage: { filesystem_folder: join(folder, 'collections') },
  }
  const lines = Object.entries(sections).flatMap(([name, options]) => [
    `[${name}]`,
    ...Object.entries(options).map(([option, value]) => `${option} = ${value}`),
  ])
  await writeFile(join(folder, 'config'), `${lines.join('\n')}\n`)
}
