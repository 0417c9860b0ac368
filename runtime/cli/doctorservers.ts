/** Checks of the doctor on shared servers: NATS and Redis. */
import { readFileSync } from 'node:fs'
import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isRecord, parseJson } from '../../core/json.js'
import { doctor as limits, settings } from '../../core/limits/index.js'
import type { Config } from '../config/config.js'
import { readAddresses } from '../nats/address.js'
import { serverWarnings } from '../nats/warnings.js'
import type { Check, Finding } from './finding.js'

export const serverChecks: readonly Check[] = [nats, redis]

/** The INFO that a NATS server sends to every client before authentication. */
interface NatsInfo {
  readonly version: string
  readonly jetstream?: boolean
  readonly cluster?: string
  readonly max_payload?: number
}

async function nats({ natsServers, natsSyncAlways }: Config): Promise<Finding[]> {
  if (!natsServers) return []
  const { servers } = readAddresses(natsServers)
  const findings = await Promise.all(servers.map((server) => natsFinding(server, natsSyncAlways)))
  if (servers.length >= limits.natsServers) return findings
  const detail = `${servers.length} named in PARLEY_NATS_URL`
  const advice = `A commit counts once two of ${limits.natsServers} have it: name ${limits.natsServers}`
  return [...findings, { check: 'nats servers', status: 'warn', detail, advice }]
}

async function natsFinding(server: string, syncAlways: boolean): Promise<Finding> {
  const check = `nats ${server}`
  const { host, port } = hostAndPort(server)
  const line = await firstLines({ host, port })
  if (line === undefined) return { check, status: 'fail', detail: 'no answer', advice: 'Start it, or name another' }
  const info = natsInfo(line)
  if (!info) return { check, status: 'fail', detail: 'what answers is no NATS server' }
  const { version, jetstream, cluster, max_payload: payloadBytes = 0 } = info
  if (!jetstream) return { check, status: 'fail', detail: `${version} without JetStream`, advice: 'Switch it on' }
  const facts = { address: server, version, payloadBytes, clustered: cluster !== undefined }
  const [warning] = serverWarnings(facts, syncAlways)
  if (warning) return { check, status: 'warn', detail: warning.replace(/\.$/, '') }
  return { check, status: 'ok', detail: `${version} with JetStream, in the cluster ${cluster}` }
}

function natsInfo(line: string): NatsInfo | undefined {
  const info = parseJson(line.replace(/^INFO /, ''))
  return isRecord(info) && typeof info.version === 'string' ? (info as unknown as NatsInfo) : undefined
}

async function redis({ redisUrl, redisTlsCaFile }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return []
  const url = new URL(redisUrl)
  const { host, port } = hostAndPort(`${url.hostname}:${url.port || redisPort}`)
  const check = `redis ${host}:${port}`
  const failed = (detail: string): Finding[] => [{ check, status: 'fail', detail, advice: withoutRedis }]
  const secret = [url.username, url.password].filter(Boolean).map(decodeURIComponent)
  const commands = [...(secret.length > 0 ? [['AUTH', ...secret]] : []), ['PING']]
  const ca = redisTlsCaFile === undefined ? undefined : textOf(redisTlsCaFile)
  if (ca === null) return failed('the file of PARLEY_REDIS_TLS_CA cannot be read')
  // The password goes only to a server with a trusted certificate.
  const tls = url.protocol === 'rediss:' ? { ca } : undefined
  const request = commands.map(redisCommand).join('')
  const reply = await firstLines({ host, port, request, lines: commands.length, tls })
  if (reply === undefined) return failed(tls ? 'no answer with a trusted certificate' : 'no answer')
  if (reply.endsWith('+PONG')) return [{ check, status: 'ok', detail: 'it answers' }]
  return failed(`it does not let in who the URL names (${/^-(\w+)/m.exec(reply)?.[1] ?? 'no reason'})`)
}

const redisPort = 6_379
const withoutRedis = 'Without it each node keeps rate limits by itself'

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function redisCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}

function hostAndPort(address: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? []
  return { host, port: Math.min(Number(port), settings.portMax) }
}

interface LineRequest {
  readonly host: string
  readonly port: number
  readonly request?: string
  readonly lines?: number
  readonly tls?: { readonly ca?: string }
}

/** The first lines of a server's answer as one text; undefined if they do not arrive. */
function firstLines({ host, port, request = '', lines = 1, tls }: LineRequest): Promise<string | undefined> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = tls
      ? connectTls({ host, port, servername: isIP(host) ? '' : host, ...tls })
      : connect({ host, port })
    const end = (text: string | undefined) => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(limits.answerMs, () => end(undefined))
    socket.on('error', () => end(undefined))
    socket.on('close', () => end(undefined))
    socket.on('data', (piece) => {
      reply += piece
      if (reply.split('\r\n').length > lines) end(reply.trimEnd())
    })
    if (request !== '') socket.write(request)
  })
}
