/** What a node reads from its environment, what it refuses, and the binary it agrees to load. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { http } from '../../../core/limits/index.js'
import { type Config, describeConfig, type Environment, readConfig } from '../../../runtime/config/config.js'
import { checkUwsBinary, findUwsBinary, gitBlobHash, officialBlobs, prepareUws } from '../../../runtime/http/binary.js'
import { runsEmulator } from '../../../runtime/node/listen.js'
import { anyText } from '../../harness/arbitraries.js'

function configOf(env: Environment): Config {
  const read = readConfig(env)
  if ('problems' in read) throw new Error(read.problems.join(' '))
  return read.config
}

function problemsOf(env: Environment): readonly string[] {
  const read = readConfig(env)
  return 'problems' in read ? read.problems : []
}

const key32 = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1efb', 'hex')

t.test('An empty environment is a complete configuration', async (t) => {
  const config = configOf({ HOME: '/root', PARLEY: 'x' })
  t.strictSame(config, {
    dataDir: './data',
    host: '127.0.0.1',
    gatewayPort: 8080,
    mgmtPort: 8081,
    bootstrapOrg: 'demo',
    recover: false,
    natsSyncAlways: false,
    roles: ['gateway', 'mgmt', 'shards'],
    shards: 16,
    allowPrivateUrls: false,
    timeScale: 1,
    allowUnverifiedUws: false,
  })
  t.equal(config.publicGatewayUrl, undefined, 'public URLs are known only once the listeners have their ports')
})

t.test('The table names every variable of the contract, and each has a description', async (t) => {
  const names = describeConfig().map((row) => row.name)
  const contract =
    'DATA_DIR HOST GATEWAY_PORT MGMT_PORT PUBLIC_GATEWAY_URL PUBLIC_MGMT_URL TRUSTED_PROXIES BOOTSTRAP_ORG ' +
    'BOOTSTRAP_KEY RECOVER NATS_URL ' +
    'NATS_CREDS NATS_TLS_CA NATS_SYNC_ALWAYS REDIS_URL REDIS_TLS_CA ROLES SHARDS SECRET_KEY MODEL_URL MODEL_KEY ' +
    'MODEL_NAME GEOCODER_URL ADAPTERS EMULATOR ALLOW_PRIVATE_URLS TIME_SCALE OIDC_ISSUER OIDC_AUDIENCE ' +
    'OAUTH_PROVIDERS OAUTH_RETURN_HOSTS ALLOW_UNVERIFIED_UWS'
  t.strictSame(
    names,
    contract.split(' ').map((name) => `PARLEY_${name}`),
  )
  for (const row of describeConfig()) t.ok(row.meaning.length > 10 && row.unset.length > 0, row.name)
})

t.test('Valid values are parsed to their types', async (t) => {
  const good: readonly (readonly [string, string, keyof Config, unknown])[] = [
    ['PARLEY_DATA_DIR', '/var/lib/parley', 'dataDir', '/var/lib/parley'],
    ['PARLEY_HOST', '0.0.0.0', 'host', '0.0.0.0'],
    ['PARLEY_HOST', '::', 'host', '::'],
    ['PARLEY_HOST', 'node-1.example.org', 'host', 'node-1.example.org'],
    ['PARLEY_GATEWAY_PORT', '0', 'gatewayPort', 0],
    ['PARLEY_MGMT_PORT', '65535', 'mgmtPort', 65535],
    ['PARLEY_PUBLIC_GATEWAY_URL', 'https://talk.example.org', 'publicGatewayUrl', 'https://talk.example.org'],
    ['PARLEY_PUBLIC_MGMT_URL', 'http://x.example/base/', 'publicMgmtUrl', 'http://x.example/base'],
    [
      'PARLEY_TRUSTED_PROXIES',
      '10.0.0.0/8, ::1',
      'trustedProxies',
      [{ address: '10.0.0.0', bits: 8 }, { address: '::1' }],
    ],
    ['PARLEY_BOOTSTRAP_ORG', 'acme-2', 'bootstrapOrg', 'acme-2'],
    ['PARLEY_BOOTSTRAP_KEY', `sk-svc-${'a_-9bcXY'.repeat(3)}`, 'bootstrapKey', `sk-svc-${'a_-9bcXY'.repeat(3)}`],
    ['PARLEY_NATS_URL', 'nats://u:p@a:4222, b:4222,tls://c', 'natsServers', ['nats://u:p@a:4222', 'b:4222', 'tls://c']],
    ['PARLEY_REDIS_URL', 'rediss://:pw@cache.example:6380/2', 'redisUrl', 'rediss://:pw@cache.example:6380/2'],
    ['PARLEY_ROLES', 'shards, gateway', 'roles', ['gateway', 'shards']],
    ['PARLEY_SHARDS', '4096', 'shards', 4096],
    ['PARLEY_SECRET_KEY', key32.toString('hex').toUpperCase(), 'secretKeyHex', key32.toString('hex')],
    ['PARLEY_SECRET_KEY', key32.toString('base64'), 'secretKeyHex', key32.toString('hex')],
    ['PARLEY_SECRET_KEY', key32.toString('base64url'), 'secretKeyHex', key32.toString('hex')],
    ['PARLEY_MODEL_URL', 'http://127.0.0.1:11434/v1', 'modelUrl', 'http://127.0.0.1:11434/v1'],
    ['PARLEY_GEOCODER_URL', 'https://geo.example/search?key=k', 'geocoderUrl', 'https://geo.example/search?key=k'],
    ['PARLEY_ADAPTERS', '@partner/pigeon,./local.js', 'adapters', ['@partner/pigeon', './local.js']],
    ['PARLEY_ALLOW_PRIVATE_URLS', 'true', 'allowPrivateUrls', true],
    ['PARLEY_TIME_SCALE', '0.5', 'timeScale', 0.5],
    ['PARLEY_TIME_SCALE', '3600', 'timeScale', 3600],
    ['PARLEY_ALLOW_UNVERIFIED_UWS', 'true', 'allowUnverifiedUws', true],
  ]
  for (const [name, text, field, value] of good)
    t.strictSame(configOf({ [name]: text })[field], value, `${name}=${text}`)
  const issuer = { PARLEY_OIDC_ISSUER: 'https://id.example/', PARLEY_OIDC_AUDIENCE: 'parley' }
  t.match(
    configOf(issuer),
    { oidcIssuer: 'https://id.example/', oidcAudience: 'parley' },
    'an issuer is kept letter by letter',
  )
  const cluster = { PARLEY_NATS_URL: 'a:1', PARLEY_NATS_CREDS: '/x.creds', PARLEY_NATS_TLS_CA: '/ca.pem' }
  t.match(configOf(cluster), { natsCredsFile: '/x.creds', natsTlsCaFile: '/ca.pem' })
  t.equal(configOf(cluster).natsSyncAlways, false)
  t.equal(configOf({ ...cluster, PARLEY_NATS_SYNC_ALWAYS: 'true' }).natsSyncAlways, true)
  const limits = { PARLEY_REDIS_URL: 'rediss://user:pw@cache:6380', PARLEY_REDIS_TLS_CA: '/ca.pem' }
  t.match(configOf(limits), { redisUrl: 'rediss://user:pw@cache:6380', redisTlsCaFile: '/ca.pem' })
  const model = { PARLEY_MODEL_URL: 'https://m.example', PARLEY_MODEL_KEY: 'k-1', PARLEY_MODEL_NAME: 'org/model:7b' }
  t.match(configOf(model), { modelKey: 'k-1', modelName: 'org/model:7b' })
})

t.test(
  'An invalid value is refused with a sentence that names the variable, the value and the expected form',
  async (t) => {
    const bad: Readonly<Record<string, readonly string[]>> = {
      PARLEY_DATA_DIR: ['  '],
      PARLEY_TRUSTED_PROXIES: ['proxy.example', '10.0.0.0/33', '10.0.0.1:80', ',', '10.0.0.1 10.0.0.2'],
      PARLEY_HOST: ['127.0.0.1:80', 'http://x', '[::1]', '300.1.1.1', 'a b', '-x', 'x..y', 'a'.repeat(64)],
      PARLEY_GATEWAY_PORT: ['65536', '-1', '80.0', '0x50', '8e1', ' 80', '080', 'http'],
      PARLEY_PUBLIC_GATEWAY_URL: [
        'talk.example.org',
        'ftp://x',
        'https://',
        'https://x?y=1',
        'https://x/#y',
        'https://a b',
      ],
      PARLEY_BOOTSTRAP_ORG: ['Acme', '-acme', 'a'.repeat(64), 'a_b', 'a\nb'],
      PARLEY_NATS_URL: ['http://a', ',', 'a:1,,b:1', 'nats://', 'nats://a:99999'],
      PARLEY_REDIS_URL: ['localhost:6379', 'http://x', 'redis://'],
      PARLEY_ROLES: ['gateway,worker', ',', 'Gateway', 'gateway,,mgmt'],
      PARLEY_SHARDS: ['0', '4097', '1.5', 'NaN', 'many', '٣'],
      PARLEY_MODEL_URL: ['model', 'file:///x'],
      PARLEY_ADAPTERS: ['a b', ','],
      PARLEY_ALLOW_PRIVATE_URLS: ['TRUE', '1', 'yes', 'toString', '__proto__'],
      PARLEY_TIME_SCALE: ['0', '-1', 'Infinity', 'NaN', '1e3', '0.0', '.5', '1.'],
      PARLEY_ALLOW_UNVERIFIED_UWS: ['on'],
    }
    for (const [name, texts] of Object.entries(bad)) {
      for (const text of texts) {
        const problems = problemsOf({ [name]: text })
        t.equal(problems.length, 1, `${name}=${text}`)
        t.match(problems[0], new RegExp(`^${name} is ".*"\\. It wants .+\\.$`))
        t.ok(problems[0]?.startsWith(`${name} is ${JSON.stringify(text).slice(0, 5)}`), 'it shows the value')
      }
    }
  },
)

t.test('No error shows a secret or the credentials of a URL', async (t) => {
  const secret = 'hunter2hunter2'
  const leaky: readonly Environment[] = [
    { PARLEY_SECRET_KEY: secret },
    { PARLEY_SECRET_KEY: `${secret.repeat(4)} ` },
    { PARLEY_BOOTSTRAP_KEY: secret },
    { PARLEY_BOOTSTRAP_KEY: `sk-svc-${'c'.repeat(32)}` },
    { PARLEY_BOOTSTRAP_KEY: `sk-svc-${'abc1234'.repeat(5)}` },
    { PARLEY_BOOTSTRAP_KEY: `sk-svc-${secret}` },
    { PARLEY_BOOTSTRAP_KEY: `sk-svc-${secret.repeat(3)}!` },
    { PARLEY_MODEL_URL: 'http://m.example', PARLEY_MODEL_KEY: `${secret} x` },
    { PARLEY_MODEL_KEY: secret },
    { PARLEY_REDIS_URL: `http://user:${secret}@cache` },
    { PARLEY_REDIS_URL: `user:${secret}@cache` },
    { PARLEY_REDIS_URL: `rediss//:a@${secret}@cache` },
    { PARLEY_NATS_URL: `nats://user:${secret}@a:4222,http://user:${secret}@b` },
    { PARLEY_MODEL_URL: `ftp://m.example/?key=${secret}` },
    { PARLEY_PUBLIC_MGMT_URL: `https://user:${secret}@x.example` },
    { PARLEY_GEOCODER_URL: `geo.example\n?key=${secret}\n${secret}` },
    { PARLEY_SECRETKEY: secret },
  ]
  for (const env of leaky) {
    const problems = problemsOf(env)
    t.equal(problems.length, 1, JSON.stringify(env))
    t.notMatch(problems.join(), /hunter/, problems.join())
  }
})

t.test('No error repeats the value of a secret variable', async (t) => {
  const names = fc.constantFrom('PARLEY_SECRET_KEY', 'PARLEY_BOOTSTRAP_KEY', 'PARLEY_MODEL_KEY')
  const secrets = fc.string({ minLength: 12, unit: 'grapheme' })
  const hidesSecrets = fc.property(names, secrets, (name, secret) => {
    return !problemsOf({ [name]: secret, PARLEY_MODEL_URL: 'x' })
      .join(' ')
      .includes(secret)
  })
  t.doesNotThrow(() => fc.assert(hidesSecrets))
})

t.test('An unknown variable is refused with the nearest known name', async (t) => {
  t.strictSame(problemsOf({ PARLEY_SHARD: '4' }), [
    '"PARLEY_SHARD" is not a variable of Parley. Did you mean PARLEY_SHARDS?',
  ])
  t.match(problemsOf({ PARLEY_MGTM_PORT: '1' })[0], /Did you mean PARLEY_MGMT_PORT\?$/)
  t.match(problemsOf({ PARLEY_REDIS: 'redis://x' })[0], /Did you mean PARLEY_REDIS_URL\?$/)
  t.match(problemsOf({ PARLEY_TIMESCALE: '' })[0], /PARLEY_TIME_SCALE/, 'even an empty one is a mistake')
  t.equal(problemsOf({ [`PARLEY_${'X'.repeat(100_000)}`]: '1' })[0]?.length, 157)
  t.strictSame(problemsOf({ XPARLEY_SHARD: '4', parley_shard: '4' }), [], 'variables of other programs are ignored')
})

t.test('The emulator and the sample agent run by default only on a developer’s machine', async (t) => {
  const runs = (env: Environment) => runsEmulator(configOf(env))
  t.equal(runs({}), true)
  t.equal(runs({ NODE_ENV: 'test', PARLEY_HOST: '::1' }), true)
  for (const env of [
    { NODE_ENV: 'production' },
    { PARLEY_HOST: '0.0.0.0' },
    { PARLEY_PUBLIC_MGMT_URL: 'https://api.example.com' },
    { PARLEY_PUBLIC_GATEWAY_URL: 'https://talk.example.com' },
    { PARLEY_TRUSTED_PROXIES: '127.0.0.1' },
    { PARLEY_ROLES: 'gateway,shards' },
  ]) {
    t.equal(runs(env), false, JSON.stringify(env))
  }
  t.equal(runs({ NODE_ENV: 'production', PARLEY_PUBLIC_MGMT_URL: 'https://x.example', PARLEY_EMULATOR: 'true' }), true)
  t.equal(runs({ PARLEY_TRUSTED_PROXIES: '127.0.0.1', PARLEY_EMULATOR: 'true' }), true)
  t.equal(runs({ PARLEY_EMULATOR: 'false' }), false)
})

t.test('URLs of endpoints contain no credentials', async (t) => {
  const together: Environment = { PARLEY_OIDC_AUDIENCE: 'console', PARLEY_OIDC_ISSUER: 'https://id.example' }
  for (const name of ['PARLEY_MODEL_URL', 'PARLEY_GEOCODER_URL', 'PARLEY_OIDC_ISSUER']) {
    for (const url of ['https://user:hush@x.example/', 'https://hush@x.example']) {
      const problems = problemsOf({ ...together, [name]: url })
      t.match(problems, [new RegExp(`^${name} .* without user name or password`)])
      t.notMatch(problems.join(), 'hush')
    }
  }
})

t.test('All problems are reported together', async (t) => {
  const problems = problemsOf({
    PARLEY_PORT: '1',
    PARLEY_SHARDS: '0',
    PARLEY_ROLES: 'x',
    PARLEY_OIDC_AUDIENCE: 'a',
    PARLEY_NATS_CREDS: 'f',
  })
  t.equal(problems.length, 5)
  for (const part of ['PARLEY_PORT', 'PARLEY_SHARDS', 'PARLEY_ROLES', 'PARLEY_OIDC_ISSUER', 'PARLEY_NATS_URL']) {
    t.ok(
      problems.some((problem) => problem.includes(part)),
      part,
    )
  }
})

t.test('Variables that belong together are required together', async (t) => {
  const alone: readonly (readonly [string, string, string])[] = [
    ['PARLEY_OIDC_ISSUER', 'https://id.example', 'PARLEY_OIDC_AUDIENCE'],
    ['PARLEY_OIDC_AUDIENCE', 'parley', 'PARLEY_OIDC_ISSUER'],
    ['PARLEY_MODEL_KEY', 'k', 'PARLEY_MODEL_URL'],
    ['PARLEY_MODEL_NAME', 'm', 'PARLEY_MODEL_URL'],
    ['PARLEY_NATS_CREDS', 'f', 'PARLEY_NATS_URL'],
    ['PARLEY_NATS_TLS_CA', 'f', 'PARLEY_NATS_URL'],
    ['PARLEY_NATS_SYNC_ALWAYS', 'true', 'PARLEY_NATS_URL'],
    ['PARLEY_REDIS_TLS_CA', 'f', 'PARLEY_REDIS_URL'],
  ]
  for (const [name, text, other] of alone) {
    t.strictSame(problemsOf({ [name]: text }), [`${name} is set and ${other} is not. They go together.`])
  }
  t.match(problemsOf({ PARLEY_GATEWAY_PORT: '8081' })[0], /both 8081/, 'two planes cannot share a port')
  t.strictSame(
    problemsOf({ PARLEY_REDIS_URL: 'redis://:secret@cache', PARLEY_REDIS_TLS_CA: 'f' }),
    ['PARLEY_REDIS_TLS_CA is set and PARLEY_REDIS_URL begins with redis://. TLS wants rediss://.'],
    'an authority is for TLS',
  )
  t.strictSame(problemsOf({ PARLEY_GATEWAY_PORT: '0', PARLEY_MGMT_PORT: '0' }), [], 'two free ports are two ports')
  t.strictSame(
    problemsOf({ PARLEY_GATEWAY_PORT: '8081', PARLEY_ROLES: 'gateway,shards' }),
    [],
    'one plane alone may take it',
  )
  t.match(problemsOf({ PARLEY_ROLES: 'gateway,mgmt' }), [/^PARLEY_ROLES lacks shards and PARLEY_NATS_URL is not set\./])
  t.strictSame(problemsOf({ PARLEY_ROLES: 'gateway', PARLEY_NATS_URL: 'a:1' }), [], 'shards may be elsewhere')
  t.match(problemsOf({ PARLEY_ROLES: 'mgmt,shards' }), [
    /^PARLEY_ROLES lacks gateway and PARLEY_PUBLIC_GATEWAY_URL is not set\. Links for people and providers would have no host\./,
  ])
  t.strictSame(problemsOf({ PARLEY_ROLES: 'shards', PARLEY_PUBLIC_GATEWAY_URL: 'https://gateway.test' }), [])
})

t.test('An empty variable counts as unset', async (t) => {
  const empty = Object.fromEntries(describeConfig().map((row) => [row.name, '']))
  t.strictSame(configOf(empty), configOf({}))
})

t.test('The configuration is frozen, at every depth', async (t) => {
  const config = configOf({ PARLEY_NATS_URL: 'a:1,b:1', PARLEY_ADAPTERS: 'x' })
  const loose = config as unknown as Record<string, unknown[]>
  t.throws(() => Object.assign(loose, { shards: 1 }), TypeError)
  for (const field of ['roles', 'natsServers', 'adapters']) t.throws(() => loose[field]?.push('more'), TypeError, field)
})

t.test('Reading any environment gives a configuration or sentences, never an exception', async (t) => {
  const names = fc.constantFrom(...describeConfig().map((row) => row.name), 'PARLEY___PROTO__', '__proto__')
  const texts = fc.oneof(
    anyText(),
    fc.constantFrom('https://x.example/a?b#c', 'nats://u:p@h:1,x', 'redis://h', 'sk-svc-'),
    fc.ipV6(),
    fc.double().map(String),
  )
  const envs = fc.array(fc.tuple(names, texts), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs))
  const ends = fc.property(envs, (env) => {
    const read = readConfig(env)
    return 'problems' in read ? read.problems.every((problem) => /[.?]$/.test(problem)) : Object.isFrozen(read.config)
  })
  t.doesNotThrow(() => fc.assert(ends))
})

t.test('The uWebSockets.js binary of this machine is the official one', async (t) => {
  const bytes = readFileSync(findUwsBinary())
  const here = { platform: process.platform, arch: process.arch, abi: process.versions.modules }
  t.equal(checkUwsBinary({ ...here, bytes }), undefined)
  const flipped = Buffer.from(bytes)
  flipped[1_000_000]! ^= 1
  t.match(checkUwsBinary({ ...here, bytes: flipped }), /official one is [0-9a-f]{40}\.$/, 'one flipped bit is noticed')
  t.match(checkUwsBinary({ ...here, bytes: bytes.subarray(1) }), /official one is/)
  t.match(checkUwsBinary({ ...here, abi: '999', bytes }), /No official hash .* known are .*linux-x64-115/)
  t.match(checkUwsBinary({ ...here, platform: '__proto__', bytes }), /No official hash/)
  for (const hash of Object.values(officialBlobs)) t.match(hash, /^[0-9a-f]{40}$/)
})

t.test('A binary that is not the official one stops the node unless it is allowed', async (t) => {
  const bytes = readFileSync(findUwsBinary())
  bytes[bytes.length - 1]! ^= 1
  const own = join(t.testdir({}), 'own.node')
  writeFileSync(own, bytes)
  t.throws(() => prepareUws(false, own), {
    name: 'UnverifiedBinary',
    message: /hash.*PARLEY_ALLOW_UNVERIFIED_UWS=true/,
  })
  t.match(prepareUws(true, own), /official one is/, 'an allowed one is reported nevertheless')
  t.throws(() => prepareUws(true, `${own}.gone`), { name: 'UnverifiedBinary', message: /no binary for Node \d+/ })
})

t.test('The hash of a binary is its git blob hash', async (t) => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('parley\n'), randomBytes(70_000)]) {
    t.equal(gitBlobHash(bytes), execFileSync('git', ['hash-object', '--stdin'], { input: bytes }).toString().trim())
  }
})

t.test('Headers in several pieces are accepted up to the configured limit', async (t) => {
  delete process.env.UWS_HTTP_MAX_HEADERS_SIZE
  t.equal(prepareUws(false), undefined)
  const uws = createRequire(import.meta.url)(findUwsBinary())
  const app = uws.App().get('/*', (res: { end(text: string): void }) => res.end('read'))
  const listening = await new Promise((resolve) => app.listen('127.0.0.1', 0, resolve))
  t.teardown(() => app.close())

  const answerTo = async (headerBytes: number) => {
    const socket = connect(uws.us_socket_local_port(listening), '127.0.0.1').setNoDelay()
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-long: ')
    for (let sent = 0; sent < headerBytes && !received; sent += 1_000) {
      await new Promise((resolve) => socket.write('a'.repeat(1_000), resolve))
      await turn()
    }
    socket.end('\r\n\r\n')
    await closed
    return received.split('\r\n')[0]
  }
  t.equal(await answerTo(http.headerBytes - 2_000), 'HTTP/1.1 200 OK')
  t.equal(await answerTo(http.headerBytes * 4), 'HTTP/1.1 431 Request Header Fields Too Large')
})
