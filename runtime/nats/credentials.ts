/** Credentials of a node for NATS servers, and the TLS that it requires of them. */
import { readFileSync } from 'node:fs'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { type Authenticator, type ConnectionOptions, credsAuthenticator } from '@nats-io/transport-node'
import { readAddresses } from './address.js'
import { BusUnusable } from './contract.js'

export interface ServerAccess {
  /** Host and port each, optionally after nats:// or tls:// and a user and password. */
  readonly servers: readonly string[]
  readonly credsFile?: string
  /** The CA certificate of the servers; absent: the CAs that Node trusts. */
  readonly tlsCaFile?: string
}

type AccessOptions = Pick<ConnectionOptions, 'user' | 'pass' | 'token' | 'authenticator' | 'tls'> & {
  readonly servers: string[]
}

export function accessOptions({ servers: texts, credsFile, tlsCaFile }: ServerAccess): AccessOptions {
  const { servers, hosts, tls, user, password, token } = readAddresses(texts)
  return {
    servers: [...servers],
    user,
    pass: password,
    token,
    authenticator: credsFile === undefined ? undefined : credentialsIn(credsFile),
    tls: tls || tlsCaFile !== undefined ? tlsOptions(hosts, tlsCaFile) : undefined,
  }
}

function tlsOptions(hosts: readonly string[], caFile: string | undefined): ConnectionOptions['tls'] {
  const tls = {
    ca: caFile === undefined ? undefined : readText(caFile),
    // The client compares the certificate of a server dialled by IP address with "localhost". Here it must match one of
    // the configured hosts.
    checkServerIdentity(host: string, certificate: PeerCertificate) {
      const isGiven = hosts.some((each) => checkServerIdentity(each, certificate) === undefined)
      return isGiven
        ? undefined
        : (checkServerIdentity(host, certificate) ?? new Error(`not a certificate of ${hosts}`))
    },
  }
  return tls
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BusUnusable(`The file ${file} cannot be read: ${code}.`, { cause: error })
  }
}

/**
 * Reads the file for every connection, since credentials are renewed; uses the last valid ones while the file is half
 * written.
 */
function credentialsIn(file: string): Authenticator {
  const readCredentials = () => credsAuthenticator(Buffer.from(readText(file)))
  let good = readCredentials()
  try {
    good('any')
  } catch (error) {
    throw new BusUnusable(`The file ${file} holds no NATS credentials.`, { cause: error })
  }
  return (nonce) => {
    try {
      const fresh = readCredentials()
      const answer = fresh(nonce)
      good = fresh
      return answer
    } catch {
      return good(nonce)
    }
  }
}
