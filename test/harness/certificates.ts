/** A certificate authority and a certificate for this machine, generated for each test by openssl. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Certificates {
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/** `names` are the certificate's subject names, in openssl's form: `DNS:localhost`, `IP:127.0.0.1`. */
export function makeCertificates(dir: string, names = ['DNS:localhost', 'IP:127.0.0.1']): Certificates {
  const file = (name: string) => join(dir, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const validity = ['-days', '2', '-subj']
  openssl('req', '-x509', ...key, ...validity, '/CN=test authority', '-keyout', file('ca.key'), '-out', file('ca.pem'))
  openssl('req', ...key, '-subj', '/CN=test server', '-keyout', file('server.key'), '-out', file('server.csr'))
  writeFileSync(file('server.ext'), `subjectAltName=${names.join()}\n`)
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2']
  openssl(
    'x509',
    '-req',
    '-in',
    file('server.csr'),
    ...signed,
    '-extfile',
    file('server.ext'),
    '-out',
    file('server.pem'),
  )
  return { caFile: file('ca.pem'), certFile: file('server.pem'), keyFile: file('server.key') }
}
