/** A NATS operator for tests: the server configuration that trusts it, and credential files of its users. */
import { writeFileSync } from 'node:fs'
import { nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createUser>

const unlimited = { subs: -1, data: -1, payload: -1 }
const accountLimits = {
  ...unlimited,
  ...{ imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
  ...{ mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
}

export interface Operator {
  /** Lines of the server's configuration. */
  readonly lines: readonly string[]
  /** Writes a credentials file for a new user. */
  writeCreds(file: string): void
}

export function makeOperator(): Operator {
  const operator = nkeys.createOperator()
  const [account, system] = [nkeys.createAccount(), nkeys.createAccount()]
  const systemKey = system.getPublicKey()
  const operatorToken = signToken(operator, operator, 'operator', { system_account: systemKey })
  const accountToken = (each: KeyPair, limits: object) => signToken(operator, each, 'account', { limits })
  const preload = [
    `${account.getPublicKey()}: ${accountToken(account, accountLimits)}`,
    `${systemKey}: ${accountToken(system, { ...accountLimits, mem_storage: 0, disk_storage: 0 })}`,
  ]
  return {
    lines: [
      `operator: ${operatorToken}`,
      `system_account: ${systemKey}`,
      'resolver: MEMORY',
      `resolver_preload { ${preload.join(', ')} }`,
    ],
    writeCreds(file) {
      const user = nkeys.createUser()
      const token = signToken(account, user, 'user', { ...unlimited, pub: {}, sub: {} })
      const seed = Buffer.from(user.getSeed()).toString()
      writeFileSync(file, [part('NATS USER JWT', token), part('USER NKEY SEED', seed)].join('\n'))
    },
  }
}

function part(title: string, text: string): string {
  return `-----BEGIN ${title}-----\n${text}\n------END ${title}------\n`
}

function signToken(issuer: KeyPair, subject: KeyPair, type: string, claims: object): string {
  const sub = subject.getPublicKey()
  const commonClaims = { jti: sub, iat: Math.floor(Date.now() / 1000), iss: issuer.getPublicKey(), name: type, sub }
  const words = [
    { typ: 'JWT', alg: 'ed25519-nkey' },
    { ...commonClaims, nats: { ...claims, type, version: 2 } },
  ]
  const text = words.map((word) => Buffer.from(JSON.stringify(word)).toString('base64url')).join('.')
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`
}
